"""How long ended jobs are kept, and what a step of taking them away has found.

Three scopes may say something, the narrower one goes before: the job's task, its queue, all jobs.
"""

from __future__ import annotations

from enum import StrEnum
from functools import reduce

import msgspec

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds
from leasehold.model.keys import FOR_EVER_SECONDS

EVER = "ever"
EVER_SECONDS = FOR_EVER_SECONDS
DAY_SECONDS = 86_400.0


class Scope(StrEnum):
    """For whose jobs something is said; the name of `ALL` is empty."""

    ALL = "all"
    QUEUE = "queue"
    TASK = "task"


class Keep(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How many seconds after its end a job is kept, by how it ended; None says nothing."""

    succeeded: float | None = None
    dead: float | None = None
    cancelled: float | None = None

    @property
    def says_nothing(self) -> bool:
        return self.succeeded is None and self.dead is None and self.cancelled is None


BUILT_IN = Keep(succeeded=7 * DAY_SECONDS, dead=30 * DAY_SECONDS, cancelled=30 * DAY_SECONDS)


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """What is said for all jobs, a queue's or a task's; `set_by` is None where code declared it."""

    scope: Scope
    name: str
    keep: Keep
    set_by: str | None = None


class Pruning(StrEnum):
    """What is taken away, in this order: a key's row goes after its job."""

    JOBS = "jobs"
    BATCHES = "batches"
    KEYS = "keys"


class Pruned(msgspec.Struct, frozen=True):
    """One step: what was looked at, what of it went, and where the next step begins.

    `cursor` is opaque; None at the end. `is_busy` says whether any job runs.
    """

    seen: int
    gone: int
    cursor: str | None
    is_busy: bool = False


class Duty(msgspec.Struct, frozen=True):
    """A task of upkeep that one worker has for a while, and where the last one left off."""

    name: str
    cursor: str | None = None


def fold(*scopes: Keep | None) -> Keep:
    """Lay what narrower scopes say over what wider ones do, the widest first.

    Who says how long succeeded jobs are kept, and nothing of the others, keeps those as long at
    least: what failed is worth a look for longer.
    """
    return reduce(_lay_over, (each for each in scopes if each is not None), BUILT_IN)


def _lay_over(wide: Keep, narrow: Keep) -> Keep:
    return Keep(
        succeeded=wide.succeeded if narrow.succeeded is None else narrow.succeeded,
        dead=_unhappy(narrow.dead, narrow.succeeded, wide.dead),
        cancelled=_unhappy(narrow.cancelled, narrow.succeeded, wide.cancelled),
    )


def _unhappy(said: float | None, succeeded: float | None, wide: float | None) -> float | None:
    return said if said is not None else max(wide or 0.0, succeeded or 0.0)


def shortest_seconds(said: list[Retention]) -> float:
    """Return a time that every job is kept for: what is younger need not be looked at."""
    common = fold(next((each.keep for each in said if each.scope is Scope.ALL), None))
    keeps = [common, *(each.keep for each in said if each.scope is not Scope.ALL)]
    return min(
        amount
        for keep in keeps
        for amount in (keep.succeeded, keep.dead, keep.cancelled)
        if amount is not None
    )


def read_keep(value: Duration | None, *, name: str = "keep") -> float | None:
    """Read a time to keep jobs for: a duration, or "ever"; None says nothing."""
    if value is None:
        return None
    if value == EVER:
        return EVER_SECONDS
    if isinstance(value, str) and not any(letter.isdigit() for letter in value):
        raise BadOption(f"{name}: can't read {value!r}; write it like '7d', or 'ever'")
    return seconds(value, name=name)
