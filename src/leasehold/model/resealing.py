"""Encrypted values on their way to another key: pages of those that stand there, and changes."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

import msgspec

from leasehold.model.envelopes import key_in


class SealedIn(StrEnum):
    """The tables that hold encrypted values, in the order in which they are walked through."""

    JOBS = "job"
    OUTCOMES = "outcome"
    CHECKPOINTS = "checkpoint"
    STEPS = "step"
    SCHEDULES = "schedule"
    CREDENTIALS = "credential"


class SealedRow(msgspec.Struct, frozen=True, array_like=True):
    """A row with encrypted values: its key, whose it is, and its fields as they stand there."""

    key: list[str | int]
    tenant: str
    fields: dict[str, str | None]

    def sealed(self) -> Iterator[tuple[str, str, str]]:
        """Go through its encrypted fields: name, text, and the key that encrypted it."""
        for name, text in self.fields.items():
            key = None if text is None else key_of_text(name, text)
            if key is not None and text is not None:
                yield name, text, key


class SealedPage(msgspec.Struct, frozen=True):
    """What a look has found: how many rows it saw, and where the next one begins."""

    seen: int
    rows: list[SealedRow]
    cursor: str | None  # None at the end


class Resealed(msgspec.Struct, frozen=True):
    """New values for a row's fields, which count only if they are still the old ones."""

    key: list[str | int]
    old: dict[str, str]
    new: dict[str, str]


def key_of_text(field: str, text: str) -> str | None:
    """Name the key of a field as it stands in its table; None when it is plain."""
    if not text.startswith("{"):
        return key_in(text)
    try:
        value = msgspec.json.decode(text)
    except msgspec.MsgspecError:
        return key_in(text)  # an error's text may begin so
    if field == "job" and isinstance(value, dict):
        value = value.get("args")  # of a schedule
    return key_in(value)
