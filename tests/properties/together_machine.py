"""Random operations on jobs that belong together, run on a store and on the model side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from leasehold.model.keys import Mode, Unique
from tests.properties.batch_rules import BatchRules
from tests.properties.chain_rules import ChainRules
from tests.properties.choices import UNIQUE_KEYS, chances, picks, some_picks, workers
from tests.properties.ground import attempt, some
from tests.properties.people_rules import PeopleRules
from tests.properties.saving_rules import SavingRules
from tests.properties.together_ground import came, followed, member_options

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim


class TogetherMachine(BatchRules, ChainRules, PeopleRules, SavingRules):
    """One example: a fresh store and a fresh model."""

    @initialize(
        chance=chances,
        calls=st.integers(0, 3),
        members=st.integers(1, 3),
        options=member_options,
    )
    def start(self, chance: int, calls: int, members: int, options: dict[str, Any]) -> None:
        """Begin with a batch and some jobs, in it or not."""
        self.register()
        self.create_batch(chance=chance, pick=0, nests=False, inside=False, calls=calls)
        inside = options | {"tenant": "", "batch": self.batch(0)}
        self.enqueue([(chance + each) % 2**16 for each in range(members)], inside)
        self.enqueue([chance], options | {"delay_seconds": None})

    @precondition(lambda self: self.has_room())
    @rule(drawn=st.lists(chances, min_size=1, max_size=2), options=member_options)
    def enqueue(self, drawn: list[int], options: dict[str, Any]) -> None:
        jobs = [self.new_job(chance, options) for chance in drawn]
        assert self.store.enqueue(jobs) == self.model.enqueue(jobs)

    @precondition(lambda self: self.ids)
    @rule(pick=picks)
    def enqueue_again(self, pick: int) -> None:
        """Enqueue the same job once more: it stands there, or was deleted, or never was made."""
        again = [self.asked[self.ids[pick % len(self.ids)]]]
        assert attempt(self.store.enqueue, again) == attempt(self.model.enqueue, again)

    @precondition(lambda self: self.has_room())
    @rule(chance=chances, options=member_options)
    def replace(self, chance: int, options: dict[str, Any]) -> None:
        """Take the place of one of the same key that waits; stand behind one that runs."""
        unique = Unique(key=UNIQUE_KEYS[0], mode=Mode.REPLACE.value)
        job = self.new_job(chance, options | {"tenant": "", "unique": unique})
        assert self.store.enqueue([job]) == self.model.enqueue([job])

    @precondition(lambda self: any(seat.behind for seat in self.model.keys.seats.values()))
    @rule()
    def hand_over(self) -> None:
        assert self.store.hand_over(limit=1000) == self.model.hand_over()

    @precondition(lambda self: self.count_live() > 1)
    @rule(chosen=some_picks)
    def cancel_many(self, chosen: list[int]) -> None:
        self.do_cancel_many(list(dict.fromkeys(self.job(pick) for pick in chosen)))

    @some("lease")
    @rule(worker=workers, outcome=st.sampled_from(["succeeded", "succeeded", "dead"]))
    def end_all(self, worker: WorkerId, outcome: str) -> None:
        """End all that a worker runs, and follow it up as it does."""
        held = {
            claim.job_id: self.settlement(claim, outcome, 0)
            for holder, claim in self.claims
            if holder == worker and self.holds(holder, claim)
        }
        ends = list(held.values())
        assert self.store.finish(worker, ends) == self.model.finish(worker, ends)
        ended = list(held)
        told = self.store.follow_up(ended)
        assert followed(told) == came(self.model.follow_up(ended))
        released = self.do_release(ended)
        while released.cancelled:
            ended = list(released.cancelled)
            told = self.store.follow_up(ended)
            assert followed(told) == came(self.model.follow_up(ended))
            released = self.do_release(ended)

    @some("ready", "waiting")
    @rule(worker=workers, outcome=st.sampled_from(["succeeded", "succeeded", "dead"]))
    def run_all(self, worker: WorkerId, outcome: str) -> None:
        """Claim all there is and end it."""
        self.claim_everything(worker)
        self.end_all(worker, outcome)

    def holds(self, worker: WorkerId, claim: Claim) -> bool:
        record = self.model.jobs.get(claim.job_id)
        lease = record.lease if record else None
        return lease is not None and (lease.fence, lease.worker) == (claim.fence, worker)
