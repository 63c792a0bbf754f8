"""Cancels, retries or deletes all jobs that a filter names, a step at a time.

Each step is short and by itself: what is done is done, and whoever is interrupted runs it again.
A walk goes from the newest job to the oldest, so it ends: what comes meanwhile is newer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import msgspec

from leasehold.acting import recorded_steps
from leasehold.errors import BadOption, StoreError
from leasehold.model.ids import JobId
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.store.base import Store

STEP = 500  # some 10 ms of the database's time, and as little of anybody's wait


class Bulk(msgspec.Struct, frozen=True):
    """How many jobs the filter named, and how many of them were changed; none by a dry run."""

    matched: int = 0
    changed: int = 0

    def told(self) -> dict[str, int]:
        """Say what the audit record has of it."""
        return {"count": self.changed, "matched": self.matched}


Progress: TypeAlias = Callable[[Bulk], object]
# Changes some jobs; returns the state after of each one it did change.
Change: TypeAlias = Callable[[Sequence[JobId]], Mapping[JobId, State | None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Verb:
    """What is done to jobs, in which states: in the order in which a job goes through them.

    So one that moves on during the walk is met again further on, not missed.
    """

    name: str
    states: tuple[State, ...]
    needs_filter: bool = False


CANCEL = Verb(name="cancel", states=(State.FAILED, State.QUEUED, State.BLOCKED, State.RUNNING))
RETRY = Verb(name="retry", states=(State.FAILED, State.DEAD, State.CANCELLED))
DELETE = Verb(
    name="delete",
    states=(*CANCEL.states[:-1], State.SUCCEEDED, State.DEAD, State.CANCELLED),
    needs_filter=True,
)


def cancel_in_steps(
    store: Store, where: Filter, *, by: str | None, limit: int | None, dry_run: bool
) -> Iterator[Bulk]:
    """Cancel what the filter names; yields the sums after each step, at least once."""

    def change(job_ids: Sequence[JobId]) -> Mapping[JobId, State | None]:
        states = store.cancel_many(job_ids, by=by)
        ended = [job_id for job_id, state in states.items() if state is State.CANCELLED]
        with suppress(StoreError):  # they are cancelled; a worker's sweep does the rest
            store.follow_up(ended)
        return states

    return _change_in_steps(CANCEL, store, change, where, limit=limit, dry_run=dry_run)


def retry_in_steps(
    store: Store, where: Filter, *, limit: int | None, dry_run: bool
) -> Iterator[Bulk]:
    """Make what the filter names ready now; yields the sums after each step, at least once."""
    return _change_in_steps(RETRY, store, store.retry_many, where, limit=limit, dry_run=dry_run)


def delete_in_steps(
    store: Store, where: Filter, *, limit: int | None, dry_run: bool
) -> Iterator[Bulk]:
    """Delete what the filter names; yields the sums after each step, at least once."""
    return _change_in_steps(DELETE, store, store.delete_many, where, limit=limit, dry_run=dry_run)


def retry_these_in_steps(store: Store, job_ids: Sequence[JobId]) -> Iterator[Bulk]:
    """Make these ready now, with one row in the audit record; yields the sums after each step."""
    return _change_these(RETRY, store, store.retry_many, job_ids)


def delete_these_in_steps(store: Store, job_ids: Sequence[JobId]) -> Iterator[Bulk]:
    """Delete those of them that do not run, likewise."""
    return _change_these(DELETE, store, store.delete_many, job_ids)


def _change_these(
    verb: Verb, store: Store, change: Change, job_ids: Sequence[JobId]
) -> Iterator[Bulk]:
    tenants = set(store.owners(job_ids[:STEP]).values())
    tenant = tenants.pop() if len(tenants) == 1 else ""
    steps = _change_each_step(change, job_ids)
    return recorded_steps(
        store, f"jobs.{verb.name}", steps, Bulk.told, f"{len(job_ids)} by id", tenant=tenant
    )


def _change_each_step(change: Change, job_ids: Sequence[JobId]) -> Iterator[Bulk]:
    done = Bulk()
    for first in range(0, len(job_ids), STEP):
        step = job_ids[first : first + STEP]
        changed = change(step)
        done = Bulk(done.matched + len(step), done.changed + len(changed))
        yield done
    if not job_ids:
        yield done


def recorded_bulk(
    verb: Verb,
    begin: partial[Iterator[Bulk]],
    store: Store,
    where: Filter,
    *,
    by: str | None = None,
) -> Iterator[Bulk]:
    """Do the same with one row in the audit record for all of it; none for a dry run."""
    steps = begin(store, where)
    if begin.keywords["dry_run"]:
        return steps
    tenant, said = where.tenant or "", _say(where)
    return recorded_steps(store, f"jobs.{verb.name}", steps, Bulk.told, said, by=by, tenant=tenant)


def _say(where: Filter) -> str:
    """Say which jobs a filter names."""
    given = msgspec.structs.asdict(where)
    return ", ".join(f"{name}={value}" for name, value in given.items() if value is not None)


def follow(steps: Iterator[Bulk], progress: Progress | None) -> Bulk:
    """Go through all steps, telling of each; returns the last sums."""
    done = Bulk()
    for done in steps:
        if progress is not None:
            progress(done)
    return done


def _change_in_steps(
    verb: Verb, store: Store, change: Change, where: Filter, *, limit: int | None, dry_run: bool
) -> Iterator[Bulk]:
    if limit is not None and limit < 1:
        raise BadOption(f"limit: {limit!r} is not a positive number")
    states = _choose_states(verb, where)
    return _Walk(store, change, where, limit=limit, dry_run=dry_run).steps(states)


def _choose_states(verb: Verb, where: Filter) -> tuple[State, ...]:
    if verb.needs_filter and where == Filter():
        raise BadOption(f"say which jobs to {verb.name}: a state, a queue, a kind, …")
    if where.state is None:
        return verb.states
    if where.state not in verb.states:
        possible = ", ".join(verb.states)
        raise BadOption(
            f"can't {verb.name} jobs that are {where.state}; only those that are {possible}"
        )
    return (where.state,)


class _Walk:
    """One walk over the jobs of a filter, through one state after the other."""

    def __init__(
        self, store: Store, change: Change, where: Filter, *, limit: int | None, dry_run: bool
    ) -> None:
        self._store = store
        self._change = change
        self._where = where
        self._limit = limit
        self._dry_run = dry_run
        self._done = Bulk()
        self._marked: set[JobId] = set()  # told to stop, so still running: met again, counted once

    def steps(self, states: Sequence[State]) -> Iterator[Bulk]:
        for state in states:
            before: JobId | None = None
            while found := self._page(state, before):
                before = found[-1]
                self._step(found)
                yield self._done
        if self._done == Bulk():
            yield self._done

    def _page(self, state: State, before: JobId | None) -> list[JobId]:
        most = STEP if self._limit is None else min(STEP, self._limit - self._done.matched)
        if most <= 0:
            return []
        where = msgspec.structs.replace(self._where, state=state)
        return self._store.find_ids(where, before=before, limit=most)

    def _step(self, found: Sequence[JobId]) -> None:
        job_ids = [job_id for job_id in found if job_id not in self._marked]
        after = {} if self._dry_run else self._change(job_ids)
        self._marked.update(job_id for job_id in after if after[job_id] is State.RUNNING)
        self._done = Bulk(self._done.matched + len(job_ids), self._done.changed + len(after))
