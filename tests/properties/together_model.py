"""Jobs that belong together, as plain Python: callbacks, and the ends of batches."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from leasehold.model.batches import BatchEnded, JobEnded
from leasehold.model.ids import derive_id
from leasehold.model.states import State
from leasehold.model.values import NewJob
from tests.properties.batch_model import Batches, Came
from tests.properties.core_model import given
from tests.properties.model import Model

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from leasehold.model.batches import BatchStatus, NewBatch
    from leasehold.model.ids import JobId
    from leasehold.store.base import Answers
    from tests.properties.records import Lease, Record

FINAL = {"succeeded", "dead", "cancelled"}


class TogetherModel(Model):
    """The queue, with all that follows from the end of a job."""

    def __init__(self, fragile: Collection[str]) -> None:
        super().__init__(fragile)
        self.batches = Batches(self.jobs, self._make_callback)

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        for job in jobs:
            if job.batch is not None and job.id not in self.jobs:
                self.batches.admit(job.batch, job.tenant, job.adder)
        return super().enqueue(jobs)

    # -- callbacks -------------------------------------------------------------------------------
    def _end(self, record: Record, lease: Lease | None, outcome: str, *, error: str | None) -> None:
        super()._end(record, lease, outcome, error=error)
        asked = record.asked
        if asked.on_end is None or outcome not in FINAL:
            return
        told = JobEnded(
            job_id=asked.id,
            kind=asked.kind,
            state=State(outcome),
            attempt=record.attempt,
            error=error,
            tenant=asked.tenant,
            batch=asked.batch,
        )
        self._make_callback(asked.on_end, derive_id(asked.id, f"end:{record.attempt}"), told)

    def _make_callback(self, asked: msgspec.Raw, job_id: JobId, told: JobEnded | BatchEnded) -> str:
        """Make the job that was asked for: under another id when the first one is taken."""
        while job_id in self.jobs:  # what has ended was deleted before, and made anew
            job_id = derive_id(job_id, "again")
        document = msgspec.json.decode(asked) | {"id": job_id, "args": {"ended": told}}
        document["tenant"] = document.get("tenant") or told.tenant
        job = msgspec.json.decode(msgspec.json.encode(document), type=NewJob)
        self._write(job)
        return given(job.queue)

    # -- batches ---------------------------------------------------------------------------------
    def create_batch(self, batch: NewBatch) -> None:
        self._tick()
        self.batches.create(batch)

    def seal_batch(self, batch_id: JobId) -> BatchStatus | None:
        self._tick()
        return self.batches.seal(batch_id)

    def follow_up(self, ended: Iterable[JobId]) -> Came:
        self._tick()
        return self.batches.follow(self.batches.of_ended(ended))

    def follow_batches(self, batches: Iterable[JobId]) -> Came:
        self._tick()
        return self.batches.follow(dict.fromkeys(batches, False))

    def sweep(self, *, is_thorough: bool) -> Came:
        self._tick()
        has_dead = None if is_thorough else False
        return self.batches.follow(dict.fromkeys(self.batches.to_sweep(), has_dead))
