"""The queue as plain Python: written from the rules in ARCHITECTURE.md, not from anybody's SQL.

It keeps its own clock. Each operation takes a moment, so that two of them never fall on one
instant, as in a real store; all durations in the tests are far longer than what a test takes.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from leasehold.errors import IdConflict
from leasehold.model.ids import Fence
from leasehold.model.keys import Standing, Verdict
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.properties.core_model import NO_FENCE, cancelled
from tests.properties.lane_model import Lanes
from tests.properties.needs_model import FORSAKEN, LET_GO
from tests.properties.people_model import People
from tests.properties.records import Lease, Record, Saved

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.saving import Save
    from leasehold.model.values import NewJob, Settlement, Want
    from leasehold.store.base import Answers

LAPSED = "lapsed: its worker stopped renewing the lease"


class Model(Lanes, People):
    """Every operation of the store that changes or decides something."""

    # -- enqueue and claim -----------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        self._tick()
        known = frozenset(job.id for job in jobs if job.id in self.jobs)
        clashing = [job.id for job in jobs if job.id in known and not self._is_same(job)]
        if clashing:
            raise IdConflict(clashing)
        answers = {job_id: Standing(job_id, Verdict.SAME) for job_id in known}
        for job in jobs:
            if job.id in known:
                continue
            if job.unique is None:
                self._write(job)
            elif answer := self.keys.enqueue(job):
                answers[job.id] = answer
        self._look_at_once(jobs)
        return answers

    def _look_at_once(self, jobs: Sequence[NewJob]) -> None:
        """Judge those that wait for jobs which did not come with them: these may have ended."""
        own = {job.id for job in jobs}
        asked = {job.id for job in jobs if job.needs and not own.issuperset(job.needs.jobs)}
        self._release([each for each in self.waiting.dependents() if each in asked], None)

    def _is_same(self, job: NewJob) -> bool:
        there = self.jobs[job.id].asked
        return (job.kind, job.tenant, job.args) == (there.kind, there.tenant, there.args)

    def claim(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        kinds: Collection[str],
        lease_seconds: float,
        is_for_suspects: bool,
        fences: Mapping[JobId, Fence],
    ) -> list[JobId]:
        """Claim; unknown kinds are parked. The fences are the store's: it alone numbers them."""
        self._tick()
        taken = []
        for job_id in self._choose("ready", wants, limit, is_for_suspects=is_for_suspects):
            record = self.jobs[job_id]
            if record.asked.kind in kinds:
                self._lease(record, worker, fences.get(job_id, NO_FENCE), lease_seconds)
                taken.append(job_id)
            else:
                record.place = "parked"
        return taken

    def claim_only(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        kinds: Collection[str],
        lease_seconds: float,
        is_for_suspects: bool,
        fences: Mapping[JobId, Fence],
    ) -> list[JobId]:
        """Claim jobs of these kinds; all others stay where they are."""
        self._tick()
        taken = self._choose("ready", wants, limit, is_for_suspects=is_for_suspects, kinds=kinds)
        for job_id in taken:
            fence = fences.get(job_id, NO_FENCE)
            self._lease(self.jobs[job_id], worker, fence, lease_seconds)
        return taken

    def claim_parked(
        self,
        worker: WorkerId,
        wants: Sequence[Want],
        *,
        limit: int,
        kinds: Collection[str],
        lease_seconds: float,
        fences: Mapping[JobId, Fence],
    ) -> list[JobId]:
        """Claim what others parked: what is no suspect, else one suspect alone."""
        self._tick()
        taken = self._choose("parked", wants, limit, is_for_suspects=False, kinds=kinds)
        if not taken:
            taken = self._choose("parked", wants, 1, is_for_suspects=True, kinds=kinds)
        for job_id in taken:
            fence = fences.get(job_id, NO_FENCE)
            self._lease(self.jobs[job_id], worker, fence, lease_seconds)
        return taken

    def _choose(
        self,
        place: str,
        wants: Sequence[Want],
        limit: int,
        *,
        is_for_suspects: bool,
        kinds: Collection[str] | None = None,
    ) -> list[JobId]:
        chosen: list[JobId] = []
        for want in wants:
            waiting = [
                (-record.priority, record.created, job_id)
                for job_id, record in self.jobs.items()
                if record.place == place
                and record.queue == want.queue
                and not self.is_paused(want.queue)
                and is_for_suspects == (record.lapses > 0)
                and (kinds is None or record.asked.kind in kinds)
            ]
            chosen += [job_id for _, _, job_id in sorted(waiting)][: want.limit]
        return chosen[:limit]

    # -- settling --------------------------------------------------------------------------------
    def finish(self, worker: WorkerId, settlements: Sequence[Settlement]) -> list[Answer]:
        self._tick()
        return [self._settle(worker, each) for each in settlements]

    def _settle(self, worker: WorkerId, each: Settlement) -> Answer:
        record = self.jobs.get(each.job_id)
        lease = record.lease if record else None
        if record and lease and (lease.fence, lease.worker) == (each.fence, worker):
            self._apply(record, lease, each)
            return Answer.SETTLED
        is_settled = record is not None and any(
            (end.fence, end.worker) == (each.fence, worker) and end.outcome != "lapsed"
            for end in record.ends
        )
        return Answer.ALREADY if is_settled else Answer.LOST

    def _apply(self, record: Record, lease: Lease, each: Settlement) -> None:
        if lease.is_cancelled:
            self._end(record, lease, "cancelled", error=cancelled(lease.by))
            return
        record.failures += each.is_counted
        if each.outcome in {"failed", "snoozed"}:
            record.lapses = 0
        self._end(record, lease, each.outcome, error=each.error)
        if each.outcome in {"failed", "snoozed"}:
            self._schedule(record, each.delay_seconds or 0.0)
        elif each.outcome == "released":
            record.land()

    def save(self, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        """Save for those whose lease stands: `done` never goes back, a memory never changes."""
        self._tick()
        return [self._save(worker, each) for each in saves]

    def _save(self, worker: WorkerId, each: Save) -> bool:
        record = self.jobs.get(each.job_id)
        lease = record.lease if record else None
        if not record or not lease or (lease.fence, lease.worker) != (each.fence, worker):
            return False
        before = record.saved
        said = [amount for amount in (before.done, each.done) if amount is not None]
        record.saved = Saved(
            cursor=before.cursor if each.cursor is None else each.cursor,
            done=max(said, default=None),
            total=before.total if each.total is None else each.total,
        )
        if each.step is not None:
            record.steps.setdefault(each.step, each.result or "null")
        return True

    def is_committed(self, worker: WorkerId, each: Settlement) -> bool:
        """Settle inside the job's own transaction: True when it may commit."""
        self._tick()
        record = self.jobs.get(each.job_id)
        lease = record.lease if record else None
        if not record or not lease or lease.is_cancelled:
            return False
        if (lease.fence, lease.worker) != (each.fence, worker):
            return False
        self._apply(record, lease, each)
        return True

    def release_unknown(self, worker: WorkerId, known: Collection[tuple[JobId, Fence]]) -> int:
        self._tick()
        count = 0
        for job_id, record in list(self.jobs.items()):  # an end may make another job
            lease = record.lease
            if lease and lease.worker == worker and (job_id, lease.fence) not in known:
                count += 1
                if lease.is_cancelled:
                    self._end(record, lease, "cancelled", error=cancelled(lease.by))
                else:
                    self._end(record, lease, "released", error=None)
                    record.land()
        return count

    def renew(
        self, worker: WorkerId, held: Collection[tuple[JobId, Fence]]
    ) -> tuple[set[JobId], set[JobId]]:
        """Return the lost and the cancelled."""
        self._tick()
        lost, cancelling = set(), set()
        for job_id, fence in held:
            record = self.jobs.get(job_id)
            lease = record.lease if record else None
            if not record or not lease or (lease.fence, lease.worker) != (fence, worker):
                lost.add(job_id)
                continue
            until = min(self.now + lease.lease_seconds, lease.deadline)
            record.lease = replace(lease, until=until)
            cancelling |= {job_id} if lease.is_cancelled else set()
        return lost, cancelling

    # -- upkeep ----------------------------------------------------------------------------------
    def advance(self, seconds: float) -> None:
        self.now += seconds

    def promote(self) -> int:
        self._tick()
        due = [
            record
            for record in self.jobs.values()
            if record.place == "scheduled" and (record.run_at or 0.0) <= self.now
        ]
        for record in due:
            record.land()
        return len(due)

    def hand_over(self) -> int:
        self._tick()
        return self.keys.hand_over(self.now)

    def sweep_dependents(self) -> tuple[dict[str, int], tuple[JobId, ...]]:
        self._tick()
        return self._release(self.waiting.dependents(), None)

    def release_dependents(
        self, ended: Collection[JobId]
    ) -> tuple[dict[str, int], tuple[JobId, ...]]:
        self._tick()
        return self._release(self.waiting.of(ended), ended)

    def _release(
        self, chosen: Collection[JobId], recent: Collection[JobId] | None
    ) -> tuple[dict[str, int], tuple[JobId, ...]]:
        judged = self.waiting.judge(chosen, recent)
        complaints = self.waiting.complain(judged, recent)
        for job_id, verdict in judged.items():
            record = self.jobs[job_id]
            if verdict == FORSAKEN:
                self._cancel_waiting(record, complaints[job_id])
            else:
                record.let_go(self.now)
        let_go = Counter(self.jobs[each].queue for each, told in judged.items() if told == LET_GO)
        return dict(let_go), tuple(sorted(each for each in judged if judged[each] == FORSAKEN))

    def lapsed(self) -> dict[JobId, tuple[Fence, float]]:
        """Name the leases whose end has passed, each with its fence and that end."""
        self._tick()
        return {
            job_id: (record.lease.fence, record.lease.until)
            for job_id, record in self.jobs.items()
            if record.lease and record.lease.until < self.now
        }

    def reclaim(
        self, leases: Sequence[tuple[JobId, Fence, float]], delay_seconds: float
    ) -> dict[JobId, State]:
        self._tick()
        taken = {}
        for job_id, fence, until in leases:
            record = self.jobs.get(job_id)
            lease = record.lease if record else None
            if not record or not lease or until >= self.now:
                continue
            if (lease.fence, lease.until) == (fence, until):
                self._take_back(record, lease, delay_seconds)
                taken[job_id] = record.state
        return taken

    def _take_back(self, record: Record, lease: Lease, delay_seconds: float) -> None:
        if lease.is_cancelled:
            self._end(record, lease, "cancelled", error=cancelled(lease.by))
            return
        is_charged = record.lapses > 0
        record.failures += is_charged
        record.lapses += 1
        is_spent = is_charged and record.failures >= record.max_attempts
        if is_spent or record.asked.kind in self._fragile:
            self._end(record, lease, "dead", error=LAPSED)
        else:
            self._end(record, lease, "lapsed", error=LAPSED)
            self._schedule(record, delay_seconds)
