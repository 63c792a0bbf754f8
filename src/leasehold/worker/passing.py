"""Passes slots on: the next job of a lane starts with the transaction that ends the one before.

Where more waits in lanes than their limits let run, each end would be followed by a claim that
locks and counts. One lease for another changes no count.
"""

from __future__ import annotations

import time
from collections import Counter
from typing import TYPE_CHECKING, Protocol, TypeAlias

from leasehold.model.lanes import has_slot

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim, Settlement
    from leasehold.store.base import Answer, Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.intake import Intake

Asked: TypeAlias = "list[tuple[Attempt, Settlement]]"


class Gate(Protocol):
    """Who knows whether others wait for what a slot would be passed on to."""

    @property
    def may_pass_on(self) -> bool: ...

    @property
    def intake(self) -> Intake: ...


class Passing:
    """Used by the finisher's thread alone."""

    def __init__(
        self, store: Store, worker: WorkerId, leases: Mapping[str, float], gate: Gate
    ) -> None:
        self._store = store
        self._worker = worker
        self._leases = leases
        self._gate = gate

    def divide(self, asked: Asked) -> list[Asked]:
        """Put apart what may pass its slot on, where that is wanted just now."""
        if not self._gate.may_pass_on:
            return [asked]
        able = [each for each in asked if _may_pass(*each)]
        if not able:
            return [asked]
        rest = [each for each in asked if not _may_pass(*each)]
        return [able, rest] if rest else [able]

    def finish(self, asked: Asked) -> list[Answer]:
        """Settle, and start what comes next in the same lanes."""
        settlements = [each for _, each in asked]
        if not self._gate.may_pass_on or not all(_may_pass(*each) for each in asked):
            return self._store.finish(self._worker, settlements)
        intake = self._gate.intake
        asked_at = time.monotonic()
        with intake.passing:
            answers, claims = self._pass_on(settlements, [each.claim.place for each, _ in asked])
            if claims:
                intake.start(self._store, claims, asked_at)
        _mark((attempt for attempt, _ in asked), claims)
        return answers

    def _pass_on(
        self, settlements: Sequence[Settlement], places: Sequence[str]
    ) -> tuple[list[Answer], list[Claim]]:
        try:
            return self._store.pass_on(self._worker, settlements, places, leases=self._leases)
        except Exception:
            self._gate.intake.doubt()  # only the answer may have been lost
            raise


def _may_pass(attempt: Attempt, ended: Settlement) -> bool:
    is_plain = ended.outcome == "succeeded" and ended.result is None and ended.spent is None
    return is_plain and attempt.claim.place != "" and has_slot(attempt.claim.place)


def _mark(attempts: Iterable[Attempt], claims: Sequence[Claim]) -> None:
    """Note whose slots are not free: as many of each place as were passed on."""
    passed = Counter([claim.place for claim in claims])
    for attempt in attempts:
        place = attempt.claim.place
        if passed[place] > 0:
            passed[place] -= 1
            attempt.has_passed_on = True
