"""The jobs of one tenant: whose a job is is looked up first, and another's is not there."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

from msgspec import structs

from leasehold.errors import NotForTenants, StoreRefused
from leasehold.model.ids import JobId

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.model.facts import Facts, Halt
    from leasehold.model.keys import KeyInfo
    from leasehold.model.needs import Predecessor
    from leasehold.model.results import Ended
    from leasehold.model.saving import Checkpoint, Step
    from leasehold.model.states import State
    from leasehold.model.values import Attempt, Filter, Job, QueueCounts
    from leasehold.store.base import Store
    from leasehold.store.tenants.stamping import Stamp

_SECOND = 1000 << 80  # of a UUIDv7's milliseconds


class TenantJobs:
    """What people ask of jobs. `_inner` is bounded by its database, where it can be."""

    _stamp: Stamp

    @property
    def _inner(self) -> Store:
        raise NotImplementedError

    @property
    def _whole(self) -> Store:
        raise NotImplementedError

    def _owns(self, job_id: JobId) -> bool:
        return self._inner.owners([job_id]).get(job_id) == self._stamp.tenant

    def _own(self, job_ids: Sequence[JobId]) -> list[JobId]:
        owners = self._inner.owners(job_ids) if job_ids else {}
        return [each for each in job_ids if owners.get(each) == self._stamp.tenant]

    def _narrowed(self, where: Filter) -> Filter:
        return structs.replace(where, tenant=self._stamp.check(where.tenant))

    def owners(self, job_ids: Sequence[JobId]) -> dict[JobId, str]:
        return dict.fromkeys(self._own(job_ids), self._stamp.tenant)

    # -- look ------------------------------------------------------------------------------------
    def get(self, job_id: JobId) -> Job | None:
        found = self._inner.get(job_id)
        return _shown(found) if found is not None and self._admits(found) else None

    def find(
        self, where: Filter, *, before: JobId | None, limit: int, above: JobId | None = None
    ) -> list[Job]:
        found = self._inner.find(self._narrowed(where), before=before, limit=limit, above=above)
        return [_shown(each) for each in found if self._admits(each)]

    def _admits(self, job: Job) -> bool:
        return job.tenant == self._stamp.tenant

    def find_ids(self, where: Filter, *, before: JobId | None, limit: int) -> list[JobId]:
        return self._inner.find_ids(self._narrowed(where), before=before, limit=limit)

    def floor(self, where: Filter, *, before: JobId | None, count: int) -> JobId | None:
        """Look among all: a look for few of many is long. Say the second, not a job's id."""
        self._narrowed(where)
        found = self._whole.floor(where, before=before, count=count)
        return None if found is None else JobId(UUID(int=found.int // _SECOND * _SECOND))

    def history(self, job_id: JobId) -> list[Attempt]:
        attempts = self._inner.history(job_id) if self._owns(job_id) else []
        return [structs.replace(each, worker_name=None) for each in attempts]

    def facts(self, job_id: JobId) -> Facts | None:
        """Read them for all, since others may stand in the way; then say nothing of those."""
        if not self._owns(job_id):
            return None
        try:
            found = self._whole.facts(job_id)
        except StoreRefused as error:  # this database user may not
            raise NotForTenants("facts") from error
        return None if found is None else self._without_others(found)

    def _without_others(self, facts: Facts) -> Facts:
        lane = facts.lane
        if lane is not None:
            jobs = tuple(self._own(lane.jobs))
            lane = structs.replace(lane, jobs=jobs, pause=_unsigned(lane.pause))
        return structs.replace(
            facts,
            is_for_tenant=True,
            before=min(1, facts.before),
            shares=min(1, facts.shares),
            worker=None if facts.worker is None else "a worker",
            lane=lane,
            queue_pause=_unsigned(facts.queue_pause),
            fleet=structs.replace(facts.fleet, queues=()),
        )

    def counts(self, *, tenant: str | None = None) -> list[QueueCounts]:
        return self._inner.counts(tenant=self._stamp.check(tenant))

    def ended(self, job_ids: Sequence[JobId]) -> Mapping[JobId, Ended | None]:
        own = self._own(job_ids)
        found = dict(self._inner.ended(own)) if own else {}
        return found | dict.fromkeys(set(job_ids).difference(own), None)

    def checkpoint(self, job_id: JobId) -> Checkpoint | None:
        return self._inner.checkpoint(job_id) if self._owns(job_id) else None

    def steps(self, job_id: JobId) -> list[Step]:
        return self._inner.steps(job_id) if self._owns(job_id) else []

    def predecessors(self, job_id: JobId) -> list[Predecessor]:
        found = self._inner.predecessors(job_id) if self._owns(job_id) else []
        own = set(self._own([each.id for each in found]))
        return [each if each.id in own else type(each)(id=each.id) for each in found]

    def dependents(self, job_id: JobId, *, limit: int = 50) -> list[JobId]:
        found = self._inner.dependents(job_id, limit=limit) if self._owns(job_id) else []
        return self._own(found)

    # -- change ----------------------------------------------------------------------------------
    def cancel(self, job_id: JobId, *, by: str | None) -> State | None:
        return self._inner.cancel(job_id, by=by) if self._owns(job_id) else None

    def retry(self, job_id: JobId) -> State | None:
        return self._inner.retry(job_id) if self._owns(job_id) else None

    def delete(self, job_id: JobId) -> State | None:
        return self._inner.delete(job_id) if self._owns(job_id) else None

    def reprioritise(self, job_id: JobId, priority: int) -> State | None:
        return self._inner.reprioritise(job_id, priority) if self._owns(job_id) else None

    def cancel_many(self, job_ids: Sequence[JobId], *, by: str | None) -> dict[JobId, State | None]:
        return self._inner.cancel_many(self._own(job_ids), by=by)

    def retry_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        return self._inner.retry_many(self._own(job_ids))

    def delete_many(self, job_ids: Sequence[JobId]) -> dict[JobId, State | None]:
        return self._inner.delete_many(self._own(job_ids))

    # -- keys ------------------------------------------------------------------------------------
    def key(self, key: str, *, tenant: str) -> KeyInfo | None:
        return self._inner.key(key, tenant=self._stamp.check(tenant))

    def forget_key(self, key: str, *, tenant: str) -> bool:
        return self._inner.forget_key(key, tenant=self._stamp.check(tenant))


def _shown(job: Job) -> Job:
    """Which machine runs it is the operator's business."""
    return job if job.worker_name is None else structs.replace(job, worker_name=None)


def _unsigned(halt: Halt | None) -> Halt | None:
    """Who paused it, too."""
    return None if halt is None else structs.replace(halt, by=None)
