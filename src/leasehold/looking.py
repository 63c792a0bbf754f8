"""What people see of jobs: one with its history and its reasons, many by filters, all counted."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from msgspec import structs

from leasehold.acting import record
from leasehold.checking import read_job_id
from leasehold.errors import BadOption, JobNotFound
from leasehold.filtering import read_filter
from leasehold.model.why import explain
from leasehold.paging import read_page
from leasehold.revealing import open_job, show_attempt, show_checkpoint, show_job, show_step

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Unpack
    from uuid import UUID

    from leasehold.filtering import Filters
    from leasehold.model.ids import JobId
    from leasehold.model.keys import KeyInfo
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.values import Attempt, Job, QueueCounts, WorkerInfo
    from leasehold.model.why import Why
    from leasehold.paging import Page
    from leasehold.store.base import Store

Found = TypeVar("Found")

DEFAULT_PAGE = 100


def found(answer: Found | None, job_id: JobId) -> Found:
    if answer is None:
        raise JobNotFound(job_id)
    return answer


class Looking:
    """The part of a client that reads; what is encrypted stays so but in `reveal`."""

    @property
    def store(self) -> Store:
        raise NotImplementedError

    def get(self, job_id: UUID | str) -> Job:
        """Return the job, else `JobNotFound`."""
        known = read_job_id(job_id)
        return show_job(found(self.store.get(known), known))

    def reveal(self, job_id: UUID | str) -> Job:
        """Return the job with its arguments, result and error decrypted.

        `MissingKey` when this process does not have the key, `BadCiphertext` when something was
        tampered with. All other verbs show of an encrypted value only which key it needs.
        """
        known = read_job_id(job_id)
        job = open_job(found(self.store.get(known), known), self.store.keyring)
        record(self.store, "job.reveal", known, tenant=job.tenant)
        return job

    def find(
        self,
        *,
        limit: int = DEFAULT_PAGE,
        before: UUID | str | None = None,
        **filters: Unpack[Filters],
    ) -> list[Job]:
        """List jobs, newest first. For the next page pass the last one's id as `before`."""
        if limit < 1:
            raise BadOption(f"limit: {limit!r} is not a positive number")
        start = None if before is None else read_job_id(before, name="before")
        found = self.store.find(read_filter(filters), before=start, limit=limit)
        return [show_job(job) for job in found]

    def page(
        self,
        *,
        limit: int = DEFAULT_PAGE,
        before: UUID | str | None = None,
        **filters: Unpack[Filters],
    ) -> Page:
        """List jobs as `find` does, but do not look for long for those that are rare.

        A page may have fewer jobs than the limit, or none, and others after it.
        """
        start = None if before is None else read_job_id(before, name="before")
        page = read_page(self.store, read_filter(filters), limit=limit, before=start)
        return structs.replace(page, jobs=[show_job(job) for job in page.jobs])

    def each(self, *, page: int = DEFAULT_PAGE, **filters: Unpack[Filters]) -> Iterator[Job]:
        """Go through all jobs, newest first, reading them page by page."""
        before: UUID | None = None
        while True:
            jobs = self.find(limit=page, before=before, **filters)
            yield from jobs
            if len(jobs) < page:
                return
            before = jobs[-1].id

    def history(self, job_id: UUID | str) -> list[Attempt]:
        """List the job's ended attempts, oldest first."""
        known = read_job_id(job_id)
        attempts = self.store.history(known)
        if not attempts:
            self.get(known)  # tells a job without attempts from no job
        return [show_attempt(each) for each in attempts]

    def checkpoint(self, job_id: UUID | str) -> Checkpoint | None:
        """Return how far the job is, as it has saved it itself; None when it has saved nothing."""
        known = read_job_id(job_id)
        found = self.store.checkpoint(known)
        if found is None:
            self.get(known)  # tells a job that saved nothing from no job
            return None
        return show_checkpoint(found)

    def steps(self, job_id: UUID | str) -> list[Step]:
        """List the steps that the job remembers, oldest first."""
        known = read_job_id(job_id)
        steps = self.store.steps(known)
        if not steps:
            self.get(known)
        return [show_step(step) for step in steps]

    def why(self, job_id: UUID | str) -> Why:
        """Say why the job does not run now, and what to do about it."""
        known = read_job_id(job_id)
        return explain(found(self.store.facts(known), known))

    def key(self, key: str, *, tenant: str = "") -> KeyInfo | None:
        """Say which job has a key, live or remembered; None when nothing is known of it."""
        return self.store.key(key, tenant=tenant)

    def counts(self) -> list[QueueCounts]:
        """Count the live jobs of each queue."""
        return self.store.counts()

    def workers(self) -> list[WorkerInfo]:
        """List the workers that have shown themselves."""
        return self.store.workers()
