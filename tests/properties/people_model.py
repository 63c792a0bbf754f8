"""What people do to jobs of the model, and what is taken away when its time is over."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from leasehold.model.states import State
from tests.properties.core_model import Core, cancelled
from tests.properties.needs_model import LET_GO
from tests.properties.records import Record

if TYPE_CHECKING:
    from leasehold.model.ids import JobId


class People(Core):
    """The part of the model that cancels, retries, deletes and prunes."""

    def cancel(self, job_id: JobId, by: str | None) -> State | None:
        self._tick()
        record = self.jobs.get(job_id)
        if record is None:
            return None
        if record.lease:
            record.lease = replace(record.lease, is_cancelled=True, by=by)
        elif record.place:
            self._cancel_waiting(record, cancelled(by))
        return record.state

    def retry(self, job_id: JobId) -> State | None:
        self._tick()
        record = self.jobs.get(job_id)
        if record is None:
            return None
        if record.state in {State.FAILED, State.DEAD, State.CANCELLED}:
            if not record.place:
                self.keys.take_back(job_id)
                record.priority = record.asked_priority
            record.failures = record.lapses = 0
            if not record.place and self._must_wait(record):
                record.stand_behind()
            else:
                record.land()
        return record.state

    def _must_wait(self, record: Record) -> bool:
        """Whether one that never ran waits for others again."""
        has_run = any(end.fence is not None for end in record.ends)
        if record.asked.needs is None or has_run:
            return False
        return self.waiting.verdict(record) != LET_GO

    def delete(self, job_id: JobId) -> State | None:
        self._tick()
        record = self.jobs.get(job_id)
        if record is None:
            return None
        if record.lease:
            return State.RUNNING
        self.keys.forget(job_id)
        del self.jobs[job_id]
        return None

    def prune(self, states: set[str], limit: int) -> list[JobId]:
        """Take away what has ended so, page by page: a page does not see what goes with it.

        Keys are not forgotten with it.
        """
        self._tick()
        ids = sorted(self.jobs)
        pages = [ids[start : start + limit] for start in range(0, len(ids), limit)]
        return [job_id for page in pages for job_id in self._prune_page(page, states)]

    def _prune_page(self, page: list[JobId], states: set[str]) -> list[JobId]:
        gone = [
            each
            for each in page
            if not self.jobs[each].place
            and self.jobs[each].state in states
            and not self.waiting.is_needed(each)
        ]
        for job_id in gone:
            del self.jobs[job_id]
        return gone

    def prune_keys(self) -> int:
        """Forget the keys whose job is gone, unless somebody stands behind it."""
        seats = self.keys.seats
        over = [key for key in seats if self.keys.is_forgettable(key)]
        for key in over:
            del seats[key]
        return len(over)

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        self._tick()
        record = self.jobs.get(job_id)
        if record is None:
            return None
        if record.place in {"ready", "waiting", "scheduled", "parked"}:
            record.priority = priority
        return record.state
