"""Random operations on jobs with keys: they are skipped, replace others, or stand behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.model.keys import Mode, Unique
from leasehold.model.values import Settlement
from tests.properties.choices import (
    MOST_LIVE,
    UNIT,
    chances,
    job_options,
    modes,
    picks,
    unique_keys,
)
from tests.properties.ground import Ground

if TYPE_CHECKING:
    from leasehold.model.ids import JobId


class KeyRules(Ground):
    """What can happen to keys; other rules end, retry and delete the jobs that have them."""

    @precondition(lambda self: self.count_live() < MOST_LIVE)
    @rule(chance=chances, options=job_options, key=unique_keys, mode=modes)
    def enqueue_with_a_key(
        self, chance: int, options: dict[str, Any], key: str, mode: Mode
    ) -> None:
        asked = Unique(key=key, mode=mode.value)
        job = self.new_job(chance, options | {"tenant": "", "unique": asked})
        assert self.store.enqueue([job]) == self.model.enqueue([job])

    @precondition(lambda self: self.live_holders())
    @rule(chance=chances, options=job_options, pick=picks, mode=modes)
    def enqueue_with_a_held_key(
        self, chance: int, options: dict[str, Any], pick: int, mode: Mode
    ) -> None:
        """Ask for the key of a job that waits or runs."""
        holders = self.live_holders()
        unique = self.asked[holders[pick % len(holders)]].unique
        assert unique is not None
        self.enqueue_with_a_key(chance, options, unique.key, mode)

    @precondition(lambda self: any(seat.behind for seat in self.model.keys.seats.values()))
    @rule()
    def hand_over(self) -> None:
        assert self.store.hand_over(limit=1000) == self.model.hand_over()

    @precondition(lambda self: any(seat.behind for seat in self.model.keys.seats.values()))
    @rule(outcome=st.sampled_from(["succeeded", "failed", "snoozed", "released"]))
    def end_and_hand_over(self, outcome: str) -> None:
        """End all that runs and has a key, so that who stands behind it may go."""
        holders = self.live_holders()
        for worker, claim in self.claims:
            end = Settlement(
                job_id=claim.job_id,
                fence=claim.fence,
                outcome=outcome,
                delay_seconds=UNIT if outcome in {"failed", "snoozed"} else None,
                error="Boom" if outcome == "failed" else None,
                is_counted=outcome == "failed",
            )
            if claim.job_id in holders:
                assert self.store.finish(worker, [end]) == self.model.finish(worker, [end])
        self.hand_over()

    def live_holders(self) -> list[JobId]:
        """Name the live jobs that have a key, not those behind them."""
        holders = [seat.holder for seat in self.model.keys.seats.values()]
        jobs = self.model.jobs
        return [each for each in holders if each in jobs and jobs[each].place]
