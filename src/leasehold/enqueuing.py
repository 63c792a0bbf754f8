"""The enqueue verbs, over anything that can write jobs: an own connection or a caller's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import msgspec

from leasehold.errors import BadArguments, BadOption
from leasehold.model.ids import JobId
from leasehold.model.values import NewJob
from leasehold.options import JOB_OPTION_NAMES, JobOptions, check_name, read_options
from leasehold.payload import check_syntax, encode
from leasehold.task import Call, Enqueued, Task, job_fields, refuse_unknown

if TYPE_CHECKING:
    from typing import Unpack

    from leasehold.id_source import IdSource

P = ParamSpec("P")
R = TypeVar("R")

Write: TypeAlias = Callable[[Sequence[NewJob]], frozenset[JobId]]
AsyncWrite: TypeAlias = Callable[[Sequence[NewJob]], Awaitable[frozenset[JobId]]]

DEFAULT_CHUNK = 1_000
# Options that a kind's registered task knows too, and their fields in a job.
_POLICY = {
    "queue": "queue",
    "priority": "priority",
    "max_attempts": "max_attempts",
    "timeout": "timeout_seconds",
}
# One statement carries a chunk as one JSON text: bounded, whatever the size of the jobs.
CHUNK_BYTES = 8 * 2**20


class Enqueuer:
    """Enqueues through `write`, which takes jobs and returns the ids that stood there already."""

    def __init__(self, ids: IdSource, write: Write) -> None:
        self._ids = ids
        self._write = write

    def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job."""
        job = task.new_job(self._ids.next(), *args, **kwargs)
        return answer(job, self._write([job]), is_own_id=task.options.job_id is None)

    def enqueue_many(self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK) -> int:
        """Enqueue `task.call(...)`s, chunk by chunk; returns how many jobs are new."""
        return sum(
            each.count_new(self._write(each.jobs)) for each in split(calls, self._ids, chunk)
        )

    def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code; the worker checks the arguments."""
        job = build_by_name(self._ids.next(), kind, args or {}, options)
        return answer(job, self._write([job]), is_own_id=options.get("id") is None)


class AsyncEnqueuer:
    """The same verbs, awaited."""

    def __init__(self, ids: IdSource, write: AsyncWrite) -> None:
        self._ids = ids
        self._write = write

    async def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job."""
        job = task.new_job(self._ids.next(), *args, **kwargs)
        return answer(job, await self._write([job]), is_own_id=task.options.job_id is None)

    async def enqueue_many(self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK) -> int:
        """Enqueue `task.call(...)`s, chunk by chunk; returns how many jobs are new."""
        count = 0
        for each in split(calls, self._ids, chunk):
            count += each.count_new(await self._write(each.jobs))
        return count

    async def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code; the worker checks the arguments."""
        job = build_by_name(self._ids.next(), kind, args or {}, options)
        return answer(job, await self._write([job]), is_own_id=options.get("id") is None)


class Chunk(NamedTuple):
    """Jobs that are written together, and those of their ids that callers gave."""

    jobs: list[NewJob]
    given: set[JobId]

    def count_new(self, existing: frozenset[JobId]) -> int:
        """Count the jobs that this write made.

        An id of our own can only stand there already because a write was repeated after its
        answer was lost: it is new all the same.
        """
        if not self.given:
            return len(self.jobs)
        own = sum(job.id not in self.given for job in self.jobs)
        return own + len(self.given - existing)


def split(calls: Iterable[Call], ids: IdSource, size: int) -> Iterator[Chunk]:
    """Build the jobs and cut them into chunks of at most `size` jobs, lazily."""
    if size < 1:
        raise BadOption(f"chunk: {size!r} is not a positive number")
    jobs: list[NewJob] = []
    given: set[JobId] = set()
    room = CHUNK_BYTES
    for call in calls:
        own_id = call.task.options.job_id
        if own_id is not None:
            given.add(own_id)
        jobs.append(call.job(ids.next()))
        room -= len(memoryview(call.args))
        if len(jobs) == size or room <= 0:
            yield Chunk(jobs, given)
            jobs, given, room = [], set(), CHUNK_BYTES
    if jobs:
        yield Chunk(jobs, given)


def answer(job: NewJob, existing: frozenset[JobId], *, is_own_id: bool) -> Enqueued[Any]:
    """Say what became of one job."""
    return Enqueued(id=job.id, is_new=is_own_id or job.id not in existing)


def build_by_name(fresh_id: JobId, kind: str, args: Mapping[str, Any], given: JobOptions) -> NewJob:
    """Build a job of a kind whose handler is not known here: what is not given is its task's."""
    refuse_unknown(given, JOB_OPTION_NAMES)
    options = read_options(given)

    def refuse(reason: str) -> BadArguments:
        return BadArguments(kind, reason)

    if not all(isinstance(name, str) for name in args):
        raise refuse("args: the names of arguments must be text")
    raw = encode(dict(args), root="args", limit=options.args_limit, refuse=refuse)
    check_syntax(raw, root="args", refuse=refuse)
    fields = job_fields(check_name("kind", kind), options)
    for name, field in _POLICY.items():
        if name not in given:
            fields[field] = None
    return NewJob(id=options.job_id or fresh_id, args=msgspec.Raw(raw), **fields)
