"""What a running job saves, so that its next attempt goes on where this one was."""

from __future__ import annotations

import math
from datetime import datetime
from typing import Any

import msgspec

from leasehold.errors import BadOption
from leasehold.model.ids import Fence, JobId
from leasehold.model.outcomes import clean

CURSOR_LIMIT = 262_144  # bytes of JSON: it is written anew with each checkpoint
NOTE_LIMIT = 1_000  # characters


class Save(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """What one lease's attempt saves; a field that is not given stays as it is.

    `cursor` and `result` are JSON as text. `done` never goes back, whatever is said here. A step
    that is remembered already keeps its result. With nothing in it, it asks if the lease stands.
    """

    job_id: JobId
    fence: Fence
    cursor: str | None = None
    done: float | None = None
    total: float | None = None
    note: str | None = None
    step: str | None = None
    result: str | None = None

    @property
    def has_progress(self) -> bool:
        """Whether it says something of the checkpoint: its cursor, units or note."""
        said = (self.cursor, self.done, self.total, self.note)
        return any(each is not None for each in said)


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """What a job has saved last: its cursor (decoded JSON) and its units of work."""

    cursor: Any = None
    done: float | None = None
    total: float | None = None
    note: str | None = None
    saved_at: datetime


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """A step that has been done, and what it returned (decoded JSON)."""

    name: str
    result: Any = None
    done_at: datetime


def merge(older: Save, newer: Save) -> Save:
    """Say both in one: of each field what was said last."""
    said = {
        name: value
        for name in ("cursor", "done", "total", "note")
        if (value := getattr(newer, name)) is not None
    }
    return msgspec.structs.replace(older, **said)


def check_units(name: str, value: float | None) -> float | None:
    """Accept units of work: a number from 0 on, or None."""
    if value is None:
        return None
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or value < 0:
        raise BadOption(f"{name}: {value!r} is not a number of units, from 0 on")
    return float(value)


def tidy_note(note: str | None) -> str | None:
    """Cut a note to size, without what a database can't hold: no note is worth an error."""
    return None if note is None else clean(str(note))[:NOTE_LIMIT]
