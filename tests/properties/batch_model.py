"""Batches as plain Python: who may add to one, how its members stand, and when it ends."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.errors import BatchNotFound, BatchSealed
from leasehold.model.batches import BatchCounts, BatchEnded, BatchStatus, status_of
from leasehold.model.ids import derive_id
from leasehold.model.states import State

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    import msgspec

    from leasehold.model.batches import Adder, NewBatch
    from leasehold.model.ids import JobId
    from tests.properties.records import Record

    # Makes a callback job of what was asked for, under an id, told this.
    CallBack = Callable[[msgspec.Raw, JobId, BatchEnded], str]


@dataclass(slots=True)
class Batch:
    """A batch's own row; how far it is stands in its members."""

    asked: NewBatch
    round: int = 1
    is_sealed: bool = False
    has_failed: bool = False
    is_cancelled: bool = False
    is_ended: bool = False
    by: str | None = None

    @property
    def status(self) -> BatchStatus:
        return status_of(
            is_sealed=self.is_sealed, is_cancelled=self.is_cancelled, is_ended=self.is_ended
        )


@dataclass(slots=True)
class Came:
    """What came of a look at batches."""

    ended: set[JobId]
    failed: set[JobId]
    arrivals: Counter[str]


class Batches:
    """All batches, over the model's jobs: nothing is counted, everything is looked up."""

    def __init__(self, jobs: Mapping[JobId, Record], call_back: CallBack) -> None:
        self.rows: dict[JobId, Batch] = {}
        self._jobs = jobs
        self._call_back = call_back

    # -- members ---------------------------------------------------------------------------------
    def create(self, asked: NewBatch) -> None:
        if asked.id in self.rows:
            return
        if asked.parent is not None:
            self.admit(asked.parent, asked.tenant, asked.adder)
        self.rows[asked.id] = Batch(asked)

    def admit(self, batch_id: JobId, tenant: str, adder: Adder | None) -> None:
        """Raise unless it is open, or sealed and asked by one of its own that runs."""
        batch = self.rows.get(batch_id)
        if batch is None or batch.asked.tenant != tenant:
            raise BatchNotFound(batch_id)
        is_ours = batch.status is BatchStatus.SEALED and self._runs_in(batch_id, adder)
        if batch.status is not BatchStatus.OPEN and not is_ours:
            raise BatchSealed(batch_id, batch.status)

    def _runs_in(self, batch_id: JobId, adder: Adder | None) -> bool:
        record = self._jobs.get(adder.job_id) if adder else None
        if adder is None or record is None or record.lease is None:
            return False
        return record.lease.fence == adder.fence and record.asked.batch == batch_id

    def members(self, batch_id: JobId) -> list[Record]:
        return [record for record in self._jobs.values() if record.asked.batch == batch_id]

    def live_members(self, batches: Iterable[JobId]) -> set[JobId]:
        """Name those that have not ended and were not told to stop."""
        return {
            record.asked.id
            for batch_id in batches
            for record in self.members(batch_id)
            if record.place and not (record.lease and record.lease.is_cancelled)
        }

    def counts(self, batch_id: JobId) -> BatchCounts:
        states = Counter(record.state for record in self.members(batch_id))
        counted = {state.value: number for state, number in states.items()}
        return BatchCounts(total=states.total(), **counted)

    # -- the verbs -------------------------------------------------------------------------------
    def seal(self, batch_id: JobId) -> BatchStatus | None:
        batch = self.rows.get(batch_id)
        if batch is None:
            return None
        batch.is_sealed = True
        return batch.status

    def cancel(self, batch_id: JobId, by: str | None) -> set[JobId] | None:
        """Mark it, if it has not ended, and all that is nested in it and has not; names them."""
        if batch_id not in self.rows:
            return None
        self._mark(self.rows[batch_id], by)
        named = {batch_id}
        for nested in self.nested(batch_id):
            named |= self.cancel(nested, by) or set()
        return named

    def _mark(self, batch: Batch, by: str | None) -> None:
        if not batch.is_ended:
            batch.by = batch.by if batch.is_cancelled else by
            batch.is_sealed = batch.is_cancelled = True

    def nested(self, batch_id: JobId) -> list[JobId]:
        """Name the batches that this one can't end before."""
        return [
            each.asked.id
            for each in self.rows.values()
            if each.asked.parent == batch_id and not each.is_ended
        ]

    def reopen(self, batch_id: JobId) -> BatchStatus | None:
        batch = self.rows.get(batch_id)
        if batch is None:
            return None
        if batch.is_ended:
            self.rows[batch_id] = Batch(batch.asked, round=batch.round + 1)
        return self.rows[batch_id].status

    # -- what follows ----------------------------------------------------------------------------
    def of_ended(self, ended: Iterable[JobId]) -> dict[JobId, bool]:
        """Name the batches of these jobs, and whether one of them has ended dead."""
        found: dict[JobId, bool] = {}
        for record in (self._jobs[each] for each in ended if each in self._jobs):
            batch_id = record.asked.batch
            if batch_id is not None:
                is_dead = bool(record.ends) and record.ends[-1].outcome == "dead"
                found[batch_id] = found.get(batch_id, False) or is_dead
        return found

    def follow(self, asked: Mapping[JobId, bool | None]) -> Came:
        """End those in which nothing is alive, then their parents; notice first deaths."""
        came = Came(set(), set(), Counter())
        level: Mapping[JobId, bool | None] = dict(asked)
        while level:
            for batch_id, has_dead in level.items():
                self._follow(batch_id, has_dead, came)
            level = self._parents_of_ended(level, came)
        return came

    def _parents_of_ended(self, level: Iterable[JobId], came: Came) -> Mapping[JobId, bool | None]:
        parents = [self.rows[each].asked.parent for each in level if each in came.ended]
        return {parent: False for parent in parents if parent is not None}

    def _follow(self, batch_id: JobId, has_dead: bool | None, came: Came) -> None:  # noqa: FBT001
        batch = self.rows.get(batch_id)
        if batch is None or batch.is_ended:
            return
        is_over = self.is_over(batch)
        if is_over or has_dead is None:
            has_dead = any(each.state is State.DEAD for each in self.members(batch_id))
        if has_dead and batch.asked.on_failure is not None and not batch.has_failed:
            batch.has_failed = True
            came.failed.add(batch_id)
            came.arrivals[self._call(batch, batch.asked.on_failure, "failure")] += 1
        if is_over:
            batch.is_ended = True
            came.ended.add(batch_id)
            if batch.asked.on_end is not None:
                came.arrivals[self._call(batch, batch.asked.on_end, "end")] += 1

    def is_over(self, batch: Batch) -> bool:
        is_alive = any(each.place for each in self.members(batch.asked.id))
        return batch.is_sealed and not is_alive and not self.nested(batch.asked.id)

    def to_sweep(self) -> list[JobId]:
        """Name those that a sweep looks at, in their order."""
        return sorted(
            batch_id
            for batch_id, each in self.rows.items()
            if not each.is_ended
            and (each.is_sealed or (each.asked.on_failure is not None and not each.has_failed))
        )

    def _call(self, batch: Batch, asked: msgspec.Raw, purpose: str) -> str:
        counts = self.counts(batch.asked.id)
        told = BatchEnded(
            batch=batch.asked.id,
            round=batch.round,
            is_cancelled=batch.is_cancelled,
            total=counts.total,
            succeeded=counts.succeeded,
            dead=counts.dead,
            cancelled=counts.cancelled,
        )
        return self._call_back(asked, derive_id(batch.asked.id, f"{purpose}:{batch.round}"), told)
