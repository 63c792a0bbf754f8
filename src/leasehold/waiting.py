"""The verbs that wait for jobs to end, and what they give back."""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from leasehold.checking import read_job_id
from leasehold.errors import (
    JobCancelled,
    JobFailed,
    JobNotFound,
    LeaseholdError,
    WaitTimeout,
)
from leasehold.model.durations import Duration, seconds
from leasehold.model.states import State
from leasehold.task import Enqueued

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from uuid import UUID

    from leasehold.model.ids import JobId
    from leasehold.model.results import Ended
    from leasehold.waiter import End, Waiter

# Something that names a job; one that was just enqueued also says how to read its result.
Awaited: TypeAlias = "Enqueued[Any] | UUID | str"

_SLICE_SECONDS = 0.25  # so long may the interruption of a handler that waits be put off


@dataclass(frozen=True, slots=True, kw_only=True)
class Finished:
    """A job that has ended, as `as_completed` gives it; without a state there is no such job."""

    id: JobId
    state: State | None
    error: str | None
    job: Awaited  # as it was passed in
    _ended: Ended | None = field(repr=False)

    def result(self) -> Any:
        """Return its result, or raise what `wait` would raise."""
        return result_of(self.job, self._ended)


def wait_many(waiter: Waiter, jobs: Sequence[Awaited], timeout: Duration | None) -> list[Finished]:
    """Wait until all have ended, however; returns them in their order."""
    place = dict(each_ended(waiter, jobs, timeout))
    return [place[number] for number in range(len(jobs))]


def each_ended(
    waiter: Waiter, jobs: Sequence[Awaited], timeout: Duration | None
) -> Iterator[tuple[int, Finished]]:
    """Go through the jobs as they end, each with its number in the list."""
    limit = read_timeout(timeout)
    deadline = time.monotonic() + limit
    ids = [id_of(job) for job in jobs]
    done: SimpleQueue[int] = SimpleQueue()
    ends = [waiter.end_of(job_id) for job_id in ids]
    for number, end in enumerate(ends):
        end.add_done_callback(partial(_tell, done.put, number))
    try:
        for _ in ends:
            next_one = _take_next(done, deadline)
            if next_one is None:
                raise late(waiter, ids, ends, limit)
            yield next_one, finished(jobs[next_one], ids[next_one], ends[next_one].result())
    finally:
        give_up(ends)


def _tell(put: Callable[[int], None], number: int, _end: End) -> None:
    put(number)


def _take_next(done: SimpleQueue[int], deadline: float) -> int | None:
    """Wait for the next end, in slices: an interruption strikes only between them."""
    while True:
        left = deadline - time.monotonic()
        try:
            return done.get(timeout=max(0.0, min(left, _SLICE_SECONDS)))
        except Empty:
            if left <= 0:
                return None


def finished(job: Awaited, job_id: JobId, ended: Ended | None) -> Finished:
    """Tell of one end."""
    state, error = (None, None) if ended is None else (ended.state, ended.error)
    return Finished(id=job_id, state=state, error=error, job=job, _ended=ended)


def late(waiter: Waiter, ids: Sequence[JobId], ends: Sequence[End], limit: float) -> WaitTimeout:
    """Make the error for those that have not ended in time."""
    error = WaitTimeout(
        [job_id for job_id, end in zip(ids, ends, strict=True) if not end.done()], limit
    )
    error.__cause__ = waiter.trouble
    return error


def give_up(ends: Iterable[End]) -> None:
    """Let go of what was not waited for to its end."""
    for end in ends:
        end.cancel()


def results_of(done: Iterable[Finished], *, return_errors: bool) -> list[Any]:
    """Return the results in order; the first that failed is raised, or all are among them."""
    if not return_errors:
        return [each.result() for each in done]
    return [_result_or_error(each) for each in done]


def _result_or_error(done: Finished) -> Any:
    try:
        return done.result()
    except LeaseholdError as error:
        return error


def read_timeout(timeout: Duration | None) -> float:
    """Return the seconds that may be waited."""
    return math.inf if timeout is None else seconds(timeout, name="timeout")


def id_of(job: Awaited) -> JobId:
    """Return the job's id."""
    return job.id if isinstance(job, Enqueued) else read_job_id(job)


def result_of(job: Awaited, ended: Ended | None) -> Any:
    """Return what the job came to, read as its task says; raise what it failed by."""
    if ended is None:
        raise JobNotFound(id_of(job))
    if ended.state is State.DEAD:
        raise JobFailed(ended.job_id, ended.kind, ended.error)
    if ended.state is State.CANCELLED:
        raise JobCancelled(ended.job_id, ended.kind, ended.error)
    if ended.result is None:
        return None
    task = job.task if isinstance(job, Enqueued) else None
    if task is not None and task.name == ended.kind:
        return task.decode_result(ended.result)
    return msgspec.json.decode(ended.result)  # by its id, or of another kind that had the key
