"""How long this worker's attempts take, by kind: for its own budget, and for later workers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.timing import Estimate, Measured

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.values import Settlement
    from leasehold.worker.attempt import Attempt

SAMPLES = 16  # of a batch of settlements: the rest of a thousand says no more
SHORT_SECONDS = 0.002
_TOLD_SHARE = 0.1  # a change of less is not worth a write
# One that was handed back, lost or cancelled says nothing about how long it would have taken.
_WHOLE = frozenset({"succeeded", "failed", "dead"})


class Durations:
    """Written by the finisher, read by the claimer: numbers only, one step old at most."""

    def __init__(self, known: Mapping[str, float] | None = None) -> None:
        self._estimates = {kind: Estimate(seconds) for kind, seconds in (known or {}).items()}
        self._told: dict[str, float] = dict(known or {})

    def typical(self, kind: str) -> float | None:
        """Say how long an attempt takes, rather too long; None when nothing is known."""
        estimate = self._estimates.get(kind)
        return None if estimate is None else estimate.typical_seconds

    def is_short(self, kind: str) -> bool:
        """Whether others may well wait until one has ended; not while nothing is known."""
        typical = self.typical(kind)
        return typical is not None and typical <= SHORT_SECONDS

    def note(self, ended: Sequence[tuple[Attempt, Settlement]]) -> None:
        """Take in some of a batch of settled attempts."""
        for attempt, each in ended[:: max(1, len(ended) // SAMPLES)]:
            if attempt.task.options.resumable:
                continue  # it uses what time there is: nobody needs to know how much that was
            if each.elapsed_seconds is not None and each.outcome in _WHOLE:
                self.add(attempt.claim.kind, each.elapsed_seconds)

    def add(self, kind: str, seconds: float) -> None:
        estimate = self._estimates.get(kind)
        if estimate is None:
            estimate = self._estimates[kind] = Estimate()
        estimate.add(seconds)

    def take_news(self) -> list[Measured]:
        """Return what has changed enough, since it was last told, to be written down."""
        return [news for kind in list(self._estimates) if (news := self._news(kind)) is not None]

    def _news(self, kind: str) -> Measured | None:
        estimate = self._estimates[kind]
        seconds, told = estimate.typical_seconds, self._told.get(kind)
        if seconds is None or estimate.attempts == 0:
            return None
        if told is not None and abs(seconds - told) <= _TOLD_SHARE * told:
            return None
        news = Measured(kind=kind, seconds=seconds, weight=estimate.weight)
        self._told[kind], estimate.attempts = seconds, 0
        return news
