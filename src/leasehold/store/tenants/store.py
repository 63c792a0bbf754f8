"""The store of one tenant, over any store. On SQLite it is what keeps tenants apart.

A job's tenant never changes, so acting on a job is two steps: look whose it is, then act. What is
another tenant's is not there, by no answer and by no error; what concerns all is `NotForTenants`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from msgspec import structs

from leasehold.errors import BatchNotFound, IdConflict, JobNotFound, NotForTenants
from leasehold.model.ids import JobId
from leasehold.store.tenants.batches import TenantBatches
from leasehold.store.tenants.jobs import TenantJobs
from leasehold.store.tenants.refusing import NotForTenantsStore
from leasehold.store.tenants.stamping import Stamp, needed_by
from leasehold.store.tenants.throttles import TenantThrottles

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from contextlib import AbstractContextManager
    from datetime import datetime

    from leasehold.model.audit import AuditFilter, AuditRecord, Entry
    from leasehold.model.batches import NewBatch
    from leasehold.model.credentials import CredentialInfo
    from leasehold.model.schedules import Firing, NewSchedule, ScheduleInfo
    from leasehold.model.values import NewJob
    from leasehold.sealing.keyring import Keyring
    from leasehold.store.base import Answers, EnqueueScript, SchemaStatus, Store
    from leasehold.store.contract.tenancy import OwnersScript


class TenantStore(TenantJobs, TenantBatches, TenantThrottles, NotForTenantsStore):
    """Belongs to whoever gave the store: closing it closes nothing."""

    def __init__(self, whole: Callable[[], Store], tenant: str) -> None:
        self._open = whole
        self._stamp = Stamp(tenant)
        self._bounded: tuple[Store, Store] | None = None  # of which store, as this tenant

    @property
    def tenant(self) -> str:
        """Whose it is."""
        return self._stamp.tenant

    @property
    def _whole(self) -> Store:
        return self._open()

    @property
    def _inner(self) -> Store:
        whole = self._open()  # a client that was closed opens another one
        if self._bounded is None or self._bounded[0] is not whole:
            self._bounded = (whole, whole.as_tenant(self.tenant))
        inner = self._bounded[1]
        if inner.skew_seconds != whole.skew_seconds:
            inner.skew_seconds = whole.skew_seconds
        return inner

    @property
    def url(self) -> str:
        return self._open().url

    @url.setter
    def url(self, _url: str) -> None:
        raise NotForTenants("url")

    @property
    def skew_seconds(self) -> float:
        return self._open().skew_seconds

    @skew_seconds.setter
    def skew_seconds(self, _seconds: float) -> None:
        raise NotForTenants("skew_seconds")

    @property
    def keyring(self) -> Keyring | None:
        return self._open().keyring

    @keyring.setter
    def keyring(self, _keyring: Keyring | None) -> None:
        raise NotForTenants("keyring")

    def as_tenant(self, tenant: str) -> Store:
        self._stamp.check(tenant)
        return self

    def schema(self) -> SchemaStatus:
        return self._inner.schema()

    def check_schema(self) -> None:
        self._inner.check_schema()

    def check_role(self) -> None:
        self._inner.check_role()

    def close(self) -> None:
        """Leave it open: it is its owner's."""

    def now(self) -> datetime:
        return self._inner.now()

    def moment(self) -> datetime:
        return self._inner.moment()

    # -- enqueue ---------------------------------------------------------------------------------
    def enqueue(self, jobs: Sequence[NewJob]) -> Answers:
        return self._inner.enqueue(self._checked(jobs))

    def begin_enqueue(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        return self._inner.begin_enqueue(self._checked(jobs))

    def enqueue_script(self, jobs: Sequence[NewJob]) -> EnqueueScript:
        stamped = self._stamp.jobs(jobs)
        if needed := needed_by(stamped):
            self._check_needed(needed, (yield from self._inner.owners_script(needed)))
        return (yield from self._inner.enqueue_script(stamped))

    def owners_script(self, job_ids: Sequence[JobId]) -> OwnersScript:
        found = yield from self._inner.owners_script(job_ids)
        return {each: owner for each, owner in found.items() if owner == self.tenant}

    def notify(self, arrivals: Mapping[str, int]) -> None:
        self._whole.notify(arrivals)

    def start_batch(self, batch: NewBatch, jobs: Sequence[NewJob]) -> None:
        try:
            self._inner.start_batch(self._stamp.batch(batch), self._checked(jobs))
        except BatchNotFound as error:
            if error.batch_id != batch.id:
                raise
            raise IdConflict([batch.id]) from None  # it is another tenant's

    def _checked(self, jobs: Sequence[NewJob]) -> list[NewJob]:
        stamped = self._stamp.jobs(jobs)
        if needed := needed_by(stamped):
            self._check_needed(needed, self._inner.owners(needed))
        return stamped

    def _check_needed(self, needed: Sequence[JobId], owners: Mapping[JobId, str]) -> None:
        """Refuse to wait for another's job: that would tell of it, and hand on its result."""
        for each in needed:
            if owners.get(each) != self.tenant:
                raise JobNotFound(each)

    # -- what was done -----------------------------------------------------------------------------
    def together(self) -> AbstractContextManager[None]:
        return self._inner.together()

    def record(self, entry: Entry) -> None:
        self._inner.record(structs.replace(entry, tenant=self.tenant))

    def audit(self, where: AuditFilter, *, before: int | None, limit: int) -> Sequence[AuditRecord]:
        own = structs.replace(where, tenant=self._stamp.check(where.tenant))
        return self._inner.audit(own, before=before, limit=limit)

    # -- schedules -------------------------------------------------------------------------------
    def schedules(self, *, tenant: str | None = None) -> list[ScheduleInfo]:
        return self._inner.schedules(tenant=self._stamp.check(tenant))

    def schedule(self, name: str, *, tenant: str) -> ScheduleInfo | None:
        return self._inner.schedule(name, tenant=self._stamp.check(tenant))

    def put_schedule(
        self,
        schedule: NewSchedule,
        *,
        next_at: datetime | None,
        by: str | None,
        seen: ScheduleInfo | None,
    ) -> bool:
        if seen is not None:
            self._stamp.check(seen.tenant)
        stamped = self._stamp.schedule(schedule)
        named = stamped.job.get("needs", {}).get("jobs", ())
        if needed := [JobId(UUID(str(each))) for each in named]:
            self._check_needed(needed, self._inner.owners(needed))
        return self._inner.put_schedule(stamped, next_at=next_at, by=by, seen=seen)

    def pause_schedule(self, name: str, *, tenant: str, by: str | None) -> bool:
        return self._inner.pause_schedule(name, tenant=self._stamp.check(tenant), by=by)

    def resume_schedule(self, seen: ScheduleInfo, *, next_at: datetime | None) -> bool:
        self._stamp.check(seen.tenant)
        return self._inner.resume_schedule(seen, next_at=next_at)

    def delete_schedule(self, name: str, *, tenant: str) -> bool:
        return self._inner.delete_schedule(name, tenant=self._stamp.check(tenant))

    def put_credential(self, name: str, value: str, *, tenant: str, by: str | None) -> None:
        self._inner.put_credential(name, value, tenant=self._stamp.check(tenant), by=by)

    def credential(self, name: str, *, tenant: str) -> str | None:
        return self._inner.credential(name, tenant=self._stamp.check(tenant))

    def credentials(self, *, tenant: str | None = None) -> list[CredentialInfo]:
        return self._inner.credentials(tenant=self._stamp.check(tenant))

    def delete_credential(self, name: str, *, tenant: str) -> bool:
        return self._inner.delete_credential(name, tenant=self._stamp.check(tenant))

    def fire(self, firing: Firing) -> bool:
        if not firing.is_by_hand:
            raise NotForTenants("fire")
        return self._inner.fire(self._stamp.firing(firing))


if TYPE_CHECKING:

    def _is_a_store(store: TenantStore) -> Store:
        """Nothing that a store can do may be forgotten here."""
        return store
