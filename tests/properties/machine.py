"""Random operations, run on a store and on the model side by side, compared after each step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, invariant, precondition, rule

from leasehold.errors import IdConflict, KeyHeld, LeaseLost
from leasehold.model.ids import WorkerId
from leasehold.model.keys import Mode
from leasehold.model.states import State
from leasehold.model.values import Held, NewJob, Only, Settlement, TaskPolicy, Want
from leasehold.store.base import Answer
from tests.conformance.kit import raw
from tests.properties import invariants
from tests.properties.choices import (
    EVERYTHING,
    HOSTS,
    KINDS,
    KNOWN,
    MOST_EVER,
    MOST_LIVE,
    OUTCOMES,
    RETRIABLE,
    SOMEBODY,
    UNIQUE_KEYS,
    UNIT,
    chances,
    job_options,
    narrowings,
    orders,
    picks,
    some_picks,
    suspicions,
    units,
    workers,
)
from tests.properties.ground import some
from tests.properties.keeping_rules import KeepingRules
from tests.properties.key_rules import KeyRules
from tests.properties.lane_rules import LaneRules
from tests.properties.needs_rules import NeedsRules
from tests.properties.saving_rules import SavingRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim


class QueueMachine(LaneRules, KeyRules, NeedsRules, SavingRules, KeepingRules):
    """One example: a fresh store and a fresh model."""

    @initialize(
        count=st.integers(1, 4), options=job_options, key=st.sampled_from([None, *UNIQUE_KEYS])
    )
    def start(self, count: int, options: dict[str, Any], key: str | None) -> None:
        self.register()
        if key:
            self.enqueue_with_a_key(count, options | {"delay_seconds": None}, key, Mode.SKIP)
        self.enqueue(list(range(count)), options | {"delay_seconds": None})

    def register(self) -> None:
        policies = [
            TaskPolicy(
                kind=kind,
                queue="a",
                priority=0,
                max_attempts=5,
                timeout_seconds=UNIT,
                dies_on_lapse=kind == "fragile",
            )
            for kind in KNOWN
        ]
        self.store.register(SOMEBODY, policies, [HOSTS])

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

    @some("ready", "waiting")
    @rule(worker=workers)
    def claim_everything(self, worker: WorkerId) -> None:
        for suspects in (False, True):
            self.do_claim(worker, EVERYTHING, 1000, KINDS, suspects=suspects)
        self.do_claim_lanes(worker, self.model.lanes(), 1000, 1000)

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

    def do_claim(
        self,
        worker: WorkerId,
        wants: list[Want],
        limit: int,
        kinds: tuple[str, ...],
        *,
        suspects: bool,
    ) -> None:
        taken = self.store.claim(
            worker,
            wants,
            limit=limit,
            leases=dict.fromkeys(kinds, UNIT),
            is_for_suspects=suspects,
        )
        wanted = self.model.claim(
            worker,
            wants,
            limit=limit,
            kinds=kinds,
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
    @rule(
        chosen=some_picks,
        outcome=st.sampled_from(OUTCOMES),
        delay=units,
        is_impostor=st.sampled_from([False, False, False, True]),
    )
    def finish(self, *, chosen: list[int], outcome: str, delay: int, is_impostor: bool) -> None:
        """Settle some claims of one worker, living or stale."""
        worker, _ = self.a_claim(chosen[0])
        ends = {
            claim.job_id: self.settlement(claim, outcome, delay)
            for holder, claim in map(self.a_claim, chosen)
            if holder == worker
        }
        given = list(ends.values())
        if is_impostor:
            answers = self.store.finish(WorkerId(3 - worker), given)
            assert Answer.SETTLED not in answers, "only the holder settles"
        else:
            assert self.store.finish(worker, given) == self.model.finish(worker, given)

    def settlement(self, claim: Claim, outcome: str, delay: int) -> Settlement:
        return Settlement(
            job_id=claim.job_id,
            fence=claim.fence,
            outcome=outcome,
            result=raw(claim.attempt) if outcome == "succeeded" else None,
            error="Boom" if outcome in {"failed", "dead"} else None,
            delay_seconds=delay * UNIT if outcome in {"failed", "snoozed"} else None,
            is_counted=outcome in {"failed", "dead"},
            elapsed_seconds=1.0,
        )

    @precondition(lambda self: self.claims)
    @rule(pick=picks)
    def commit(self, pick: int) -> None:
        """End an attempt in the job's own transaction."""
        worker, claim = self.a_claim(pick)
        end = self.settlement(claim, "succeeded", 0)
        try:
            with self.store.transaction(worker, lambda: end, lease_seconds=UNIT):
                pass
        except LeaseLost:
            assert not self.model.is_committed(worker, end), "it was refused"
        else:
            assert self.model.is_committed(worker, end), "it was not refused"

    @precondition(lambda self: self.claims)
    @rule(worker=workers, chosen=some_picks)
    def renew(self, worker: WorkerId, chosen: list[int]) -> None:
        held = {claim.job_id: claim for _, claim in map(self.a_claim, chosen)}.values()
        renewal = self.store.renew(worker, [Held(each.job_id, each.fence, UNIT) for each in held])
        lost, cancelled = self.model.renew(worker, [(each.job_id, each.fence) for each in held])
        assert (set(renewal.lost), set(renewal.cancelled)) == (lost, cancelled)

    @some("lease")
    @rule(worker=workers, chosen=some_picks)
    def release_unknown(self, worker: WorkerId, chosen: list[int]) -> None:
        known = [self.a_claim(pick)[1] for pick in chosen] if self.claims else []
        count = self.store.release_unknown(
            worker, [Held(each.job_id, each.fence, UNIT) for each in known]
        )
        assert count == self.model.release_unknown(
            worker, {(each.job_id, each.fence) for each in known}
        )

    @precondition(lambda self: self.model.paused or self.is_some_scheduled())
    @rule(count=st.sampled_from([1, 1, 2, 4]))
    def pass_time(self, count: int) -> None:
        self.store.skew_seconds += count * UNIT
        self.model.advance(count * UNIT)

    @some("lease")
    @rule()
    def look_for_lapses(self) -> None:
        found = self.store.lapsed(limit=1000)
        wanted = self.model.lapsed()
        assert {each.job_id: each.fence for each in found} == {
            job_id: fence for job_id, (fence, _) in wanted.items()
        }
        # Leases of one claim end together, in no order: sorted, so that an example repeats exactly.
        found.sort(key=lambda each: each.job_id)
        self.seen += [(each, wanted[each.job_id][1]) for each in found]

    @precondition(lambda self: self.seen)
    @rule(chosen=some_picks, delay=units)
    def reclaim(self, chosen: list[int], delay: int) -> None:
        """Take back leases that were seen lapsed, just now or long ago."""
        leases = {}
        for pick in chosen:
            lapsed, until = self.seen[-1 - pick % len(self.seen)]
            leases[lapsed.job_id] = (lapsed, until)
        taken = self.store.reclaim([(lapsed, delay * UNIT) for lapsed, _ in leases.values()])
        wanted = [(lapsed.job_id, lapsed.fence, until) for lapsed, until in leases.values()]
        assert taken == self.model.reclaim(wanted, delay * UNIT)

    @some("lease")
    @rule()
    def lapse_and_reclaim(self) -> None:
        """What happens to a worker that died."""
        self.pass_time(2)
        self.look_for_lapses()
        if self.seen:
            self.reclaim([0, 1, 2], 0)
        self.pass_and_promote()

    @some("scheduled")
    @rule()
    def pass_and_promote(self) -> None:
        self.pass_time(2)
        self.promote()

    @some("scheduled")
    @rule()
    def promote(self) -> None:
        assert self.store.promote(limit=1000).count == self.model.promote()

    @precondition(lambda self: self.count_live() > 1)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        job_id = self.job(pick)
        assert self.store.cancel(job_id, by="Ada") == self.model.cancel(job_id, by="Ada")

    @precondition(lambda self: any(job.state in RETRIABLE for job in self.model.jobs.values()))
    @rule(pick=picks)
    def retry(self, pick: int) -> None:
        job_id = self.job(pick)
        record = self.model.jobs.get(job_id)
        before = record.state if record else None
        wanted = attempt(self.model.retry, job_id)
        assert attempt(self.store.retry, job_id) == wanted
        if record and before in RETRIABLE and isinstance(wanted, State):
            self.retries.setdefault(str(job_id), set()).add(record.attempt)

    @precondition(lambda self: len(self.model.jobs) > MOST_LIVE)
    @rule(pick=picks)
    def delete(self, pick: int) -> None:
        job_id = self.job(pick)
        assert self.store.delete(job_id) == self.model.delete(job_id)
        if job_id not in self.model.jobs:
            self.retries.pop(str(job_id), None)
            self.buried |= {(job_id, claim.fence) for _, claim in self.claims}

    @precondition(lambda self: self.count_live() > 1)
    @rule(pick=picks, priority=st.integers(-1, 1))
    def reprioritise(self, pick: int, priority: int) -> None:
        job_id = self.job(pick)
        assert self.store.reprioritise(job_id, priority) == self.model.reprioritise(
            job_id, priority
        )

    # -- what holds after each -------------------------------------------------------------------
    @invariant()
    def shows_what_the_model_shows(self) -> None:
        self.comparison.check()

    @invariant()
    def keeps_its_invariants(self) -> None:
        claims = {
            (str(claim.job_id), int(claim.fence))
            for _, claim in self.claims
            if (claim.job_id, claim.fence) not in self.buried
        }
        invariants.check(self.tables, claims=claims, retries=self.retries)
        invariants.check_key_rows(self.tables, self.model.keys.shown())


def attempt(act: Callable[[Any], object], subject: object) -> object:
    """Return what it returned, which ids it called a conflict, or who has the key."""
    try:
        return act(subject)
    except IdConflict as conflict:
        return ("conflict", frozenset(conflict.job_ids))
    except KeyHeld as held:
        return ("held", held.job_id, held.key, held.holder)
