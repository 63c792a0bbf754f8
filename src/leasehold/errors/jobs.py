"""Tasks, jobs, keys, batches and schedules: what is not there, or not possible as it stands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.errors.root import LeaseholdError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from uuid import UUID


class UnknownTask(LeaseholdError, LookupError):
    """No task of that kind is registered here."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"no task named {kind!r} is registered here")
        self.kind = kind


class DuplicateTask(LeaseholdError):
    """Two different handlers want the same kind."""

    def __init__(self, kind: str) -> None:
        super().__init__(f"two tasks are named {kind!r}; give one of them another name=")
        self.kind = kind


class JobNotFound(LeaseholdError, LookupError):
    """There is no job with that id, or it is another tenant's."""

    def __init__(self, job_id: UUID) -> None:
        super().__init__(f"no job {job_id}")
        self.job_id = job_id


class ScheduleNotFound(LeaseholdError, LookupError):
    """There is no schedule of that name, or it is another tenant's."""

    def __init__(self, name: str, tenant: str = "") -> None:
        whose = f" of tenant {tenant!r}" if tenant else ""
        super().__init__(f"no schedule {name!r}{whose}; `leasehold schedules` lists them")
        self.name = name
        self.tenant = tenant


class WrongState(LeaseholdError):
    """The job exists, but what was asked is not possible in its state."""

    def __init__(self, job_id: UUID, state: str, verb: str) -> None:
        super().__init__(f"job {job_id} is {state}: can't {verb} it")
        self.job_id = job_id
        self.state = state
        self.verb = verb


class IdConflict(LeaseholdError):
    """An id was given that another job, of another kind or with other arguments, already has."""

    def __init__(self, job_ids: Iterable[UUID]) -> None:
        self.job_ids = tuple(job_ids)
        named = ", ".join(str(job_id) for job_id in self.job_ids)
        super().__init__(f"already used for a job of another kind or with other arguments: {named}")


class KeyHeld(LeaseholdError):
    """A live job has the key that an ended one, or nobody, should have."""

    def __init__(self, job_id: UUID | None, key: str, holder: UUID) -> None:
        refused = (
            f"key {key!r} can't be forgotten: it"
            if job_id is None
            else f"job {job_id} can't be retried: its key {key!r}"
        )
        super().__init__(
            f"{refused} is with job {holder}, which is live; cancel that one or let it end"
        )
        self.job_id = job_id
        self.key = key
        self.holder = holder


class NoResult(LeaseholdError, LookupError):
    """No job that this one waited for has left the result that was asked for."""

    def __init__(self, job_id: UUID, reason: str) -> None:
        super().__init__(f"job {job_id}: {reason}")
        self.job_id = job_id
        self.reason = reason


class BatchNotFound(LeaseholdError, LookupError):
    """There is no batch with that id, or it is another tenant's."""

    def __init__(self, batch_id: UUID) -> None:
        super().__init__(f"no batch {batch_id}, or it is another tenant's")
        self.batch_id = batch_id


class BatchSealed(LeaseholdError):
    """The batch takes no more members: it is sealed, cancelled or has ended."""

    def __init__(self, batch_id: UUID, status: str) -> None:
        super().__init__(
            f"batch {batch_id} is {status} and takes no more members; add them before the seal, or "
            "from inside a running member with current_job().batch.add"
        )
        self.batch_id = batch_id
        self.status = status
