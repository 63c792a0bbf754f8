"""Whether the application can do its work."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

import leasehold as lh
from leasehold_documents.settings import settings

if TYPE_CHECKING:
    from collections.abc import Iterator


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong, in sentences; nothing: all is well."""

    reasons: tuple[str, ...]
    workers: int

    @property
    def is_ok(self) -> bool:
        return not self.reasons


def health(client: lh.Client, *, silence_seconds: float | None = None) -> Health:
    """Look whether the database answers and a worker was seen lately, idle ones included.

    Who works by `POST /worker/tick` alone is seen at each tick.
    """
    allowed = settings().silence_seconds if silence_seconds is None else silence_seconds
    try:
        workers = len(client.workers())
        reasons = tuple(_reasons(client, allowed))
    except lh.StoreError as error:
        return Health(reasons=(f"the database does not answer: {error}",), workers=0)
    return Health(reasons=reasons, workers=workers)


def _reasons(client: lh.Client, allowed_seconds: float) -> Iterator[str]:
    silence = client.store.silent_seconds()
    if silence > allowed_seconds:
        yield (
            f"no worker was seen for {silence:.0f} s, more than {allowed_seconds:g}: start one "
            "(leasehold-documents work), or call POST /worker/tick"
        )
