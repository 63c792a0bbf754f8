"""Random operations of people on single jobs."""

from __future__ import annotations

from hypothesis.stateful import precondition, rule

from leasehold.model.states import State
from tests.properties.choices import MOST_LIVE, RETRIABLE, picks
from tests.properties.ground import Ground, attempt


class PeopleRules(Ground):
    """What people can ask for of any job, whatever its state."""

    @precondition(lambda self: self.count_live() > 1)
    @rule(pick=picks)
    def cancel(self, pick: int) -> None:
        job_id = self.job(pick)
        assert self.store.cancel(job_id, by="Ada") == self.model.cancel(job_id, by="Ada")

    @precondition(lambda self: any(job.state in RETRIABLE for job in self.model.jobs.values()))
    @rule(pick=picks)
    def retry(self, pick: int) -> None:
        job_id = self.concerned(pick, *RETRIABLE)
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
