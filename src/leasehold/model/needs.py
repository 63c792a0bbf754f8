"""Jobs that wait for others: what a job needs before it may run, and how those stand.

Nothing is counted down. Whoever ends a job looks at those that wait for it, and a sweep looks at
all that wait: a crash in between loses nothing, and a job is let go once because its row moves
once. The rules are SQL, the same on both stores: `judge_needs`.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.states import State

# How the error of a job begins that ended because it can't have what it needs.
FORSAKEN_WORDS = "cancelled because "
MOST_NEEDS = 100_000


class Needs(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True, gc=False):
    """The jobs that must have ended before, well unless said otherwise: the SQL API's field."""

    jobs: tuple[JobId, ...]
    any: bool = False  # one of them is enough
    even_if_failed: bool = False  # an end of any kind is enough


class Predecessor(msgspec.Struct, frozen=True, kw_only=True):
    """A job that another one was made to wait for. One that was deleted has no kind or state."""

    id: JobId
    kind: str | None = None
    state: State | None = None
    result: Any = None
    error: str | None = None
    tenant: str = ""


class Released(msgspec.Struct, frozen=True, kw_only=True):
    """What a look at waiting jobs did: how many it let go, by queue, and which it had to end.

    `called` counts callbacks that were made with those ends, by queue.
    """

    let_go: dict[str, int] = {}
    cancelled: tuple[JobId, ...] = ()
    called: dict[str, int] = {}

    @property
    def arrivals(self) -> dict[str, int]:
        """The jobs that somebody should wake for."""
        return dict(Counter(self.let_go) + Counter(self.called)) if self.called else self.let_go
