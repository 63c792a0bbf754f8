"""Random ends of leases: settled by who holds them or not, committed, handed back, taken back."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from leasehold.errors import LeaseLost
from leasehold.model.ids import WorkerId
from leasehold.model.values import Held, Settlement
from leasehold.store.base import Answer
from tests.conformance.kit import raw
from tests.properties.choices import (
    EVERYTHING,
    KINDS,
    OUTCOMES,
    UNIT,
    picks,
    some_picks,
    units,
    workers,
)
from tests.properties.claiming import Claiming
from tests.properties.ground import some

if TYPE_CHECKING:
    from leasehold.model.values import Claim


class LeaseRules(Claiming):
    """What can happen to what runs, and to what comes back."""

    @some("ready", "waiting")
    @rule(worker=workers)
    def claim_everything(self, worker: WorkerId) -> None:
        for suspects in (False, True):
            self.do_claim(worker, EVERYTHING, 1000, KINDS, suspects=suspects)
        self.do_claim_lanes(worker, self.model.lanes(), 1000, 1000)

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
