"""Makes what a tenant writes the tenant's own, whoever it says it is for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import structs

from leasehold.errors import ForeignTenant

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.batches import NewBatch
    from leasehold.model.ids import JobId
    from leasehold.model.schedules import Firing, NewSchedule
    from leasehold.model.values import NewJob


class Stamp:
    """One tenant's. What names nobody becomes the tenant's, what names another one is refused."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    def check(self, asked: str | None) -> str:
        """Return the tenant, unless another one was asked for."""
        if asked and asked != self.tenant:
            raise ForeignTenant(self.tenant, asked)
        return self.tenant

    def jobs(self, jobs: Sequence[NewJob]) -> list[NewJob]:
        """Stamp jobs to enqueue."""
        return [self.job(job) for job in jobs]

    def job(self, job: NewJob) -> NewJob:
        changed: dict[str, Any] = {"tenant": self.check(job.tenant)}
        if job.share == "":  # made of the tenant before anybody knew which
            changed["share"] = self.tenant
        if job.on_end is not None:
            changed["on_end"] = self._callback(job.on_end)
        return structs.replace(job, **changed)

    def batch(self, batch: NewBatch) -> NewBatch:
        """Stamp a batch and its callbacks."""
        return structs.replace(
            batch,
            tenant=self.check(batch.tenant),
            on_end=None if batch.on_end is None else self._callback(batch.on_end),
            on_failure=None if batch.on_failure is None else self._callback(batch.on_failure),
        )

    def schedule(self, schedule: NewSchedule) -> NewSchedule:
        """Stamp a schedule; its jobs are its tenant's anyway, their callbacks need not be."""
        job = self._document(schedule.job)
        del job["tenant"]  # the schedule has it
        if "on_end" in job:
            job["on_end"] = self._document(job["on_end"])
        return structs.replace(schedule, tenant=self.check(schedule.tenant), job=job)

    def firing(self, firing: Firing) -> Firing:
        """Stamp what a schedule makes when it is fired by hand."""
        return structs.replace(
            firing, tenant=self.check(firing.tenant), jobs=self.jobs(firing.jobs)
        )

    def _callback(self, raw: msgspec.Raw) -> msgspec.Raw:
        return msgspec.Raw(msgspec.json.encode(self._document(msgspec.json.decode(raw))))

    def _document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        changed = {**document, "tenant": self.check(document.get("tenant"))}
        if changed.get("share") == "":
            changed["share"] = self.tenant
        return changed


def needed_by(jobs: Sequence[NewJob]) -> list[JobId]:
    """Name the jobs that these wait for and that are not among them."""
    needed = {each for job in jobs if job.needs is not None for each in job.needs.jobs}
    return sorted(needed - {job.id for job in jobs}) if needed else []
