"""Random operations, run on a store and on the model side by side, compared after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from leasehold.model.keys import Mode
from leasehold.model.values import Held, NewJob, Only, Want
from tests.conformance.kit import raw
from tests.properties.choices import (
    EVERYTHING,
    KINDS,
    KNOWN,
    MOST_EVER,
    MOST_LIVE,
    UNIQUE_KEYS,
    UNIT,
    chances,
    job_options,
    narrowings,
    orders,
    picks,
    some_picks,
    suspicions,
    workers,
)
from tests.properties.ground import attempt, some
from tests.properties.keeping_rules import KeepingRules
from tests.properties.key_rules import KeyRules
from tests.properties.lane_rules import LaneRules
from tests.properties.lease_rules import LeaseRules
from tests.properties.needs_rules import NeedsRules
from tests.properties.people_rules import PeopleRules
from tests.properties.saving_rules import SavingRules

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId


class QueueMachine(
    LaneRules, KeyRules, NeedsRules, SavingRules, KeepingRules, LeaseRules, PeopleRules
):
    """One example: a fresh store and a fresh model."""

    @initialize(
        count=st.integers(1, 4), options=job_options, key=st.sampled_from([None, *UNIQUE_KEYS])
    )
    def start(self, count: int, options: dict[str, Any], key: str | None) -> None:
        self.register()
        if key:
            self.enqueue_with_a_key(count, options | {"delay_seconds": None}, key, Mode.SKIP)
        self.enqueue(list(range(count)), options | {"delay_seconds": None})

    # -- the rules -------------------------------------------------------------------------------
    @precondition(lambda self: self.count_live() < MOST_LIVE)
    @rule(drawn=st.lists(chances, min_size=1, max_size=3), options=job_options)
    def enqueue(self, drawn: list[int], options: dict[str, Any]) -> None:
        jobs = [self.new_job(chance, options) for chance in drawn]
        assert self.store.enqueue(jobs) == self.model.enqueue(jobs)

    @precondition(lambda self: self.ids and len(self.ids) < MOST_EVER)
    @rule(pick=picks, change=st.sampled_from(["", "kind", "tenant", "args"]), options=job_options)
    def enqueue_again(self, pick: int, change: str, options: dict[str, Any]) -> None:
        fresh = self.new_job(pick % 2**16, options)
        there = self.asked[self.job(pick)]
        changes: dict[str, Any] = {
            "kind": "plain" if there.kind == "fragile" else "fragile",
            "tenant": "evil",
            "args": raw({"number": -1}),
        }
        given = {name: getattr(there, name) for name in there.__struct_fields__}
        again = NewJob(**(given | ({change: changes[change]} if change else {})))
        jobs = [fresh, again] if again.id != fresh.id else [fresh]
        assert attempt(self.store.enqueue, jobs) == attempt(self.model.enqueue, jobs)

    @some("ready")
    @rule(
        worker=workers,
        queues=orders,
        most=st.integers(1, 3),
        limit=st.integers(1, 4),
        suspects=suspicions,
        only=narrowings,
    )
    def claim(
        self,
        *,
        worker: WorkerId,
        queues: tuple[str, ...],
        most: int,
        limit: int,
        suspects: bool,
        only: frozenset[str] | None,
    ) -> None:
        """Claim some, by a worker that knows every kind, or that wants some only."""
        wants = [Want(queue, most) for queue in queues]
        if only is None:
            self.do_claim(worker, wants, limit, KINDS, suspects=suspects)
        else:
            self.do_claim_only(worker, wants, limit, only, suspects=suspects)

    @some("ready")
    @rule(worker=workers, suspects=suspicions)
    def claim_all_and_park(self, *, worker: WorkerId, suspects: bool) -> None:
        """Claim all there is, by a worker that does not know every kind."""
        self.do_claim(worker, EVERYTHING, 1000, KNOWN, suspects=suspects)

    def do_claim_only(
        self,
        worker: WorkerId,
        wants: list[Want],
        limit: int,
        only: frozenset[str],
        *,
        suspects: bool,
    ) -> None:
        """Claim what still fits, say: the others are neither taken nor parked."""
        taken = self.store.claim(
            worker,
            wants,
            limit=limit,
            leases=dict.fromkeys(KNOWN, UNIT),
            is_for_suspects=suspects,
            only=Only(kinds=only),
        )
        wanted = self.model.claim_only(
            worker,
            wants,
            limit=limit,
            kinds=only.intersection(KNOWN),
            lease_seconds=UNIT,
            is_for_suspects=suspects,
            fences=self.next_fences(taken),
        )
        self.note(worker, taken, wanted)

    @some("parked")
    @rule(worker=workers, queues=orders, limit=st.integers(1, 3))
    def claim_parked(self, worker: WorkerId, queues: tuple[str, ...], limit: int) -> None:
        wants = [Want(queue, limit) for queue in queues]
        taken = self.store.claim_parked(worker, wants, limit=limit, leases={"strange": UNIT})
        wanted = self.model.claim_parked(
            worker,
            wants,
            limit=limit,
            kinds=["strange"],
            lease_seconds=UNIT,
            fences=self.next_fences(taken),
        )
        self.note(worker, taken, wanted)

    @precondition(lambda self: self.claims)
    @rule(worker=workers, chosen=some_picks)
    def renew(self, worker: WorkerId, chosen: list[int]) -> None:
        held = {claim.job_id: claim for _, claim in map(self.a_claim, chosen)}.values()
        renewal = self.store.renew(worker, [Held(each.job_id, each.fence, UNIT) for each in held])
        lost, cancelled = self.model.renew(worker, [(each.job_id, each.fence) for each in held])
        assert (set(renewal.lost), set(renewal.cancelled)) == (lost, cancelled)

    @precondition(lambda self: self.count_live() > 1)
    @rule(pick=picks, priority=st.integers(-1, 1))
    def reprioritise(self, pick: int, priority: int) -> None:
        job_id = self.job(pick)
        assert self.store.reprioritise(job_id, priority) == self.model.reprioritise(
            job_id, priority
        )
