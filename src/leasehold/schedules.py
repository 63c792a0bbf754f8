"""What people say at run time about schedules: `client.schedules.pause("nightly")`."""

from __future__ import annotations

from datetime import datetime
from itertools import islice
from typing import TYPE_CHECKING, Any

from leasehold.acting import recorded, who
from leasehold.checking import check_name
from leasehold.enqueuing import build_by_name, refuse_placing
from leasehold.errors import BadOption, ScheduleNotFound, StoreBusy
from leasehold.model.schedules import Firing, change_schedule, read_job, read_schedule
from leasehold.revealing import open_schedule, show_schedule
from leasehold.scheduling import NO_ID, Schedule, job_of
from leasehold.store.sealing import seal_schedule
from leasehold.store.tenants.store import TenantStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from datetime import timedelta
    from typing import Unpack

    from leasehold.id_source import IdSource
    from leasehold.model.ids import JobId
    from leasehold.model.schedules import NewSchedule, ScheduleInfo
    from leasehold.model.values import NewJob
    from leasehold.options import JobOptions
    from leasehold.scheduling import Timing
    from leasehold.store.base import Store
    from leasehold.task import Call, Task

SOMEBODY = "somebody"
MOST_SLOTS = 1_000
_TRIES = 20


class Schedules:
    """Each schedule has a name, within its tenant."""

    def __init__(self, store: Callable[[], Store], ids: IdSource) -> None:
        self._store = store
        self._ids = ids

    def list(self, *, tenant: str | None = None) -> list[ScheduleInfo]:
        """List the schedules of one tenant or of all, each with its last and its next run."""
        return [show_schedule(each) for each in self._store().schedules(tenant=tenant)]

    def get(self, name: str, *, tenant: str = "") -> ScheduleInfo:
        """Return one schedule, else `ScheduleNotFound`."""
        return show_schedule(self._get(name, tenant=tenant))

    def _get(self, name: str, *, tenant: str) -> ScheduleInfo:
        """Return it as it stands, its arguments perhaps encrypted."""
        found = self._store().schedule(name, tenant=tenant)
        if found is None:
            raise ScheduleNotFound(name, tenant)
        return found

    def set(
        self,
        name: str,
        rule: str | timedelta | float,
        work: Task[..., Any] | Call | str,
        args: Mapping[str, Any] | None = None,
        *,
        options: JobOptions | None = None,
        by: str | None = None,
        **timing: Unpack[Timing],
    ) -> ScheduleInfo:
        """Make a schedule, or change one; what code declares does not undo it.

        `work` is a task, `task.call(...)`, or a task's name with its arguments and options: then
        the worker checks them. For the rest see `schedule`. The first slot is the next one.
        """
        if options and isinstance(self._store(), TenantStore):
            refuse_placing(options)
        job = _job(name, work, args, options or {})
        wanted = read_schedule(check_name("name", name), rule, job, **timing)
        detail = {"rule": str(rule), "kind": job.kind}
        with recorded(self._store(), "schedule.set", name, by=by, tenant=wanted.tenant, **detail):
            for _ in range(_TRIES):
                if put(self._store(), wanted, by=who(by) or SOMEBODY):
                    return self.get(name, tenant=wanted.tenant)
            raise _moved(name)

    def change(
        self,
        name: str,
        *,
        rule: str | timedelta | float | None = None,
        tenant: str = "",
        by: str | None = None,
        **timing: Unpack[Timing],
    ) -> ScheduleInfo:
        """Change when it fires; what is not named, and its job, stay as they are.

        A schedule that has other slots then goes on with the next one of those.
        """
        with recorded(
            self._store(), "schedule.change", name, by=by, tenant=tenant, rule=rule, **timing
        ):
            for _ in range(_TRIES):
                wanted = change_schedule(self._get(name, tenant=tenant), rule=rule, **timing)
                if put(self._store(), wanted, by=who(by) or SOMEBODY):
                    return self.get(name, tenant=tenant)
            raise _moved(name)

    def pause(self, name: str, *, tenant: str = "", by: str | None = None) -> bool:
        """Fire it no more until it is resumed; False when it was paused already."""
        with recorded(self._store(), "schedule.pause", name, by=by, tenant=tenant) as doing:
            is_changed = self._store().pause_schedule(name, tenant=tenant, by=who(by))
            doing.count = int(is_changed)
            if not is_changed:
                self.get(name, tenant=tenant)
        return is_changed

    def resume(self, name: str, *, tenant: str = "") -> bool:
        """Go on with the next slot, not with those of the pause; False when it was not paused."""
        with recorded(self._store(), "schedule.resume", name, tenant=tenant) as doing:
            is_changed = self._resume(name, tenant)
            doing.count = int(is_changed)
        return is_changed

    def _resume(self, name: str, tenant: str) -> bool:
        store = self._store()
        for _ in range(_TRIES):
            found = self.get(name, tenant=tenant)
            if found.paused_at is None:
                return False
            next_at = _next(store, found, found)
            if store.resume_schedule(found, next_at=next_at):
                return True
        raise _moved(name)

    def run_now(self, name: str, *, tenant: str = "") -> JobId:
        """Enqueue its job now, also when it is paused; its slots stay as they are.

        Returns the job's id; when the job has a key that is held, that of the job that stands.
        """
        with recorded(self._store(), "schedule.run", name, tenant=tenant) as doing:
            job_id = self._fire(name, tenant)
            doing.detail["job"] = job_id
        return job_id

    def _fire(self, name: str, tenant: str) -> JobId:
        store = self._store()
        for _ in range(_TRIES):
            found = self._get(name, tenant=tenant)
            job = read_job(open_schedule(found, store.keyring), self._ids.next())
            if store.fire(_by_hand(found, job)):
                last = self.get(name, tenant=tenant).last_job
                return job.id if job.unique is None or last is None else last
        raise _moved(name)

    def delete(self, name: str, *, tenant: str = "") -> bool:
        """Delete it, not its jobs; False when it is not there.

        A worker whose code declares it makes it again at its start: pause such a one instead.
        """
        with recorded(self._store(), "schedule.delete", name, tenant=tenant) as doing:
            is_deleted = self._store().delete_schedule(name, tenant=tenant)
            doing.count = int(is_deleted)
        return is_deleted

    def preview(
        self, name: str, count: int = 10, *, tenant: str = "", after: datetime | None = None
    ) -> Sequence[datetime]:
        """List its next slots, in UTC, whether it is paused or not."""
        if not 1 <= count <= MOST_SLOTS:
            raise BadOption(f"count: {count!r} is not a number from 1 to {MOST_SLOTS:,}")
        start = after or self._store().now()
        return list(islice(self.get(name, tenant=tenant).slots_after(start), count))


def declare(store: Store, schedules: Iterable[Schedule]) -> None:
    """Write down what code declares; what somebody has set at run time stays as they set it."""
    for each in schedules:
        for _ in range(_TRIES):
            found = store.schedule(each.name, tenant=each.declared.tenant)
            declared = seal_schedule(each.declared, store.keyring)
            is_settled = found is not None and (found.set_by or found.is_as(declared))
            if is_settled or put(store, each.declared, by=None):
                break
        else:
            raise _moved(each.name)


def put(store: Store, wanted: NewSchedule, *, by: str | None) -> bool:
    """Write a schedule; False when somebody else has just changed it."""
    found = store.schedule(wanted.name, tenant=wanted.tenant)
    if found is None:
        next_at = wanted.next_after(store.now())
        return store.put_schedule(wanted, next_at=next_at, by=by, seen=None)
    keeps = found.has_same_times(wanted)
    next_at = found.next_at if keeps else _next(store, found, wanted)
    return store.put_schedule(wanted, next_at=next_at, by=by, seen=found)


def _next(store: Store, found: ScheduleInfo, wanted: NewSchedule) -> datetime | None:
    """Find the next slot; never one that has been fired, also when the clock was set back."""
    now = store.now()
    return wanted.next_after(now if found.last_slot is None else max(now, found.last_slot))


def _by_hand(found: ScheduleInfo, job: NewJob) -> Firing:
    return Firing(
        name=found.name,
        tenant=found.tenant,
        version=found.version,
        next_at=found.next_at,
        following=found.next_at,
        jobs=[job],
        is_by_hand=True,
    )


def _job(
    name: str,
    work: Task[..., Any] | Call | str,
    args: Mapping[str, Any] | None,
    options: JobOptions,
) -> NewJob:
    if isinstance(work, str):
        if options.get("id") is not None:
            raise BadOption(f"schedule {name!r}: each of its jobs has an id of its own")
        return build_by_name(NO_ID, work, args or {}, options)
    if args is not None or options:
        raise BadOption(
            f"schedule {name!r}: args and options are for a task's name; "
            "write task.with_options(...).call(...)"
        )
    return job_of(work, f"schedule {name!r}")


def _moved(name: str) -> StoreBusy:
    return StoreBusy(f"schedule {name!r} moved each time it was to be changed: try again")
