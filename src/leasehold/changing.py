"""What people do to jobs: cancel, retry, delete and reprioritise them, one or many."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from leasehold.acting import recorded, who
from leasehold.bulk import (
    CANCEL,
    DELETE,
    RETRY,
    cancel_in_steps,
    delete_in_steps,
    delete_these_in_steps,
    follow,
    recorded_bulk,
    retry_in_steps,
    retry_these_in_steps,
)
from leasehold.checking import check_priority, read_job_id
from leasehold.errors import StoreError, WrongState
from leasehold.filtering import read_filter
from leasehold.keeping import PruneReport, recorded_prune
from leasehold.looking import found
from leasehold.model.states import State

if TYPE_CHECKING:
    from collections.abc import Iterable
    from contextlib import AbstractContextManager
    from typing import Unpack
    from uuid import UUID

    from leasehold.acting import Doing
    from leasehold.bulk import Bulk, Progress
    from leasehold.filtering import Filters
    from leasehold.keeping import PruneProgress
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store


class Changing:
    """The part of a client that changes jobs; whatever it does is written down."""

    @property
    def store(self) -> Store:
        raise NotImplementedError

    def cancel(self, job_id: UUID | str, *, by: str | None = None) -> State:
        """End a waiting job as cancelled, or ask a running one to stop; returns its state.

        A job that had ended stays as it is.
        """
        known = read_job_id(job_id)
        with self._recorded("job.cancel", known, by=by) as doing:
            state = found(self.store.cancel(known, by=who(by)), known)
            doing.count = int(state in {State.CANCELLED, State.RUNNING})
        if state.is_final:
            with suppress(StoreError):  # it is cancelled; a worker's sweep does the rest
                self.store.follow_up([known])
        return state

    def retry(self, job_id: UUID | str) -> State:
        """Make a failed, dead or cancelled job ready now, with its attempts to spend anew.

        `KeyHeld` when another live job has its key by now.
        """
        known = read_job_id(job_id)
        with self._recorded("job.retry", known):
            state = found(self.store.retry(known), known)
            if state not in {State.QUEUED, State.BLOCKED}:
                raise WrongState(known, state, "retry")
        return state

    def delete(self, job_id: UUID | str) -> None:
        """Delete a job and its history. One that is gone already is fine, a running one is not."""
        known = read_job_id(job_id)
        with self._recorded("job.delete", known) as doing:
            doing.count = len(self.store.owners([known]))
            state = self.store.delete(known)
            if state is not None:
                raise WrongState(known, state, "delete")

    def reprioritise(self, job_id: UUID | str, priority: int) -> State:
        """Change the priority of a waiting job; higher runs first."""
        known = read_job_id(job_id)
        with self._recorded("job.reprioritise", known, priority=priority):
            state = found(self.store.reprioritise(known, check_priority(priority)), known)
            if state not in {State.QUEUED, State.BLOCKED, State.FAILED}:
                raise WrongState(known, state, "reprioritise")
        return state

    def forget_key(self, key: str, *, tenant: str = "") -> bool:
        """Forget what is remembered of a key; False when there is nothing.

        While a live job has it, it is `KeyHeld`.
        """
        with recorded(self.store, "key.forget", key, tenant=tenant) as doing:
            is_forgotten = self.store.forget_key(key, tenant=tenant)
            doing.count = int(is_forgotten)
        return is_forgotten

    def _recorded(
        self, action: str, job_id: JobId, *, by: str | None = None, **detail: Any
    ) -> AbstractContextManager[Doing]:
        """Change one job, and write down that it was done."""
        tenant = self.store.owners([job_id]).get(job_id, "")
        return recorded(self.store, action, job_id, by=by, tenant=tenant, **detail)

    # -- change many -----------------------------------------------------------------------------
    def cancel_many(
        self,
        *,
        by: str | None = None,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Cancel all jobs that the filters name, in short steps; those that have ended stay.

        `progress` is told the sums after each step. A dry run counts and changes nothing. When one
        step fails, those before it are done: run it again.
        """
        where = read_filter(filters)
        begin = partial(cancel_in_steps, by=who(by), limit=limit, dry_run=dry_run)
        return follow(recorded_bulk(CANCEL, begin, self.store, where, by=by), progress)

    def retry_many(
        self,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Make all failed, dead or cancelled jobs that the filters name ready now, in steps."""
        where = read_filter(filters)
        begin = partial(retry_in_steps, limit=limit, dry_run=dry_run)
        return follow(recorded_bulk(RETRY, begin, self.store, where), progress)

    def retry_these(
        self, job_ids: Iterable[UUID | str], *, progress: Progress | None = None
    ) -> Bulk:
        """Make these failed, dead or cancelled jobs ready now, in short steps.

        Those in another state, and those whose key another live job has, stay as they are.
        """
        known = [read_job_id(each) for each in job_ids]
        return follow(retry_these_in_steps(self.store, known), progress)

    def delete_these(
        self, job_ids: Iterable[UUID | str], *, progress: Progress | None = None
    ) -> Bulk:
        """Delete these jobs, those of them that do not run, in short steps."""
        known = [read_job_id(each) for each in job_ids]
        return follow(delete_these_in_steps(self.store, known), progress)

    def delete_many(
        self,
        *,
        limit: int | None = None,
        dry_run: bool = False,
        progress: Progress | None = None,
        **filters: Unpack[Filters],
    ) -> Bulk:
        """Delete all jobs that the filters name and that do not run, in steps.

        At least one filter has to be given.
        """
        where = read_filter(filters)
        begin = partial(delete_in_steps, limit=limit, dry_run=dry_run)
        return follow(recorded_bulk(DELETE, begin, self.store, where), progress)

    def prune(self, *, dry_run: bool = False, progress: PruneProgress | None = None) -> PruneReport:
        """Take away now all that is past its time, which workers do by and by, in short steps.

        `progress` is told the sums after each step. A dry run counts and takes nothing away.
        """
        report = PruneReport()
        for report in recorded_prune(self.store, dry_run=dry_run):
            if progress is not None:
                progress(report)
        return report
