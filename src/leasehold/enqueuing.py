"""The enqueue verbs, over anything that can write jobs: an own connection or a caller's."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple, ParamSpec, TypeAlias, TypeVar

import msgspec

from leasehold.checking import check_name
from leasehold.errors import BadArguments, BadOption, NotForTenants
from leasehold.keying import own_key_by_name
from leasehold.model.ids import JobId
from leasehold.model.keys import Verdict
from leasehold.model.secrets import RAW_MARK
from leasehold.model.values import NewJob
from leasehold.options import JOB_OPTION_NAMES, JobOptions, read_options
from leasehold.payload import check_syntax, encode
from leasehold.placing import own_place
from leasehold.store.base import Answers
from leasehold.task import Call, Enqueued, Task, job_fields, refuse_unknown
from leasehold.tracing import is_traced, producing
from leasehold.workflow import StartedWorkflow, Workflow

if TYPE_CHECKING:
    from typing import Unpack
    from uuid import UUID

    from leasehold.id_source import IdSource

P = ParamSpec("P")
R = TypeVar("R")

Write: TypeAlias = Callable[[Sequence[NewJob]], Answers]
# Hands jobs over to be written; what it returns waits for the same answer.
Begin: TypeAlias = Callable[[Sequence[NewJob]], Callable[[], Answers]]
AsyncWrite: TypeAlias = Callable[[Sequence[NewJob]], Awaitable[Answers]]

DEFAULT_CHUNK = 2_000
# Options that a kind's registered task knows too, and their fields in a job.
_POLICY = {
    "queue": "queue",
    "priority": "priority",
    "max_attempts": "max_attempts",
    "timeout": "timeout_seconds",
}
# A job whose timeout is said does not ask its task for a throttle, either.
_PLACING = frozenset({"throttle", "share", "cost", "timeout"})
# One statement carries a chunk as one JSON text: bounded, whatever the size of the jobs.
CHUNK_BYTES = 8 * 2**20


class Enqueuer:
    """Enqueues through `write`, which takes jobs and tells of those that were not simply written.

    With `begin`, the jobs of the next chunk are built while the database writes this one.
    """

    def __init__(
        self,
        ids: IdSource,
        write: Write,
        begin: Begin | None = None,
        *,
        is_for_tenant: bool = False,
    ) -> None:
        self._ids = ids
        self._write = write
        self._begin = begin or self._write_at_once
        self._is_for_tenant = is_for_tenant

    def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job."""
        job = task.new_job(self._ids.next(), *args, **kwargs)
        return answer(job, self._write([job]), is_own_id=task.options.job_id is None, task=task)

    def enqueue_many(
        self,
        calls: Iterable[Call],
        *,
        chunk: int = DEFAULT_CHUNK,
        ids: Iterable[UUID] | None = None,
    ) -> int:
        """Enqueue `task.call(...)`s, chunk by chunk; returns how many jobs are new.

        `ids` are fresh ones, one for each call, as `client.ids.take(n)` makes them: rows of the
        caller's own may then name the jobs before they are written.
        """
        counts: list[int] = []
        write_ahead(
            self._begin,
            split(calls, self._ids if ids is None else GivenIds(ids), chunk),
            lambda written, answers: counts.append(written.count_new(answers)),
        )
        return sum(counts)

    def enqueue_all(
        self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK
    ) -> list[Enqueued[Any]]:
        """Enqueue `task.call(...)`s, chunk by chunk; answers for each, in their order."""
        done: list[Enqueued[Any]] = []
        write_ahead(
            self._begin,
            split(calls, self._ids, chunk),
            lambda written, answers: done.extend(written.answer(answers)),
        )
        return done

    def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code; the worker checks the arguments."""
        if self._is_for_tenant:
            refuse_placing(options)
        job = build_by_name(self._ids.next(), kind, args or {}, options)
        return answer(job, self._write([job]), is_own_id=options.get("id") is None)

    def start(self, flow: Workflow) -> StartedWorkflow:
        """Enqueue all steps of a workflow together; names their jobs."""
        plan = flow.plan(self._ids)
        self._write(plan.jobs)
        return StartedWorkflow(plan.name, plan.ids)

    def _write_at_once(self, jobs: Sequence[NewJob]) -> Callable[[], Answers]:
        answers = self._write(jobs)
        return lambda: answers


class AsyncEnqueuer:
    """The same verbs, awaited."""

    def __init__(self, ids: IdSource, write: AsyncWrite, *, is_for_tenant: bool = False) -> None:
        self._ids = ids
        self._write = write
        self._is_for_tenant = is_for_tenant

    async def enqueue(self, task: Task[P, R], /, *args: P.args, **kwargs: P.kwargs) -> Enqueued[R]:
        """Enqueue one job."""
        job = task.new_job(self._ids.next(), *args, **kwargs)
        answers = await self._write([job])
        return answer(job, answers, is_own_id=task.options.job_id is None, task=task)

    async def enqueue_many(
        self,
        calls: Iterable[Call],
        *,
        chunk: int = DEFAULT_CHUNK,
        ids: Iterable[UUID] | None = None,
    ) -> int:
        """Enqueue `task.call(...)`s, chunk by chunk; returns how many jobs are new."""
        count = 0
        for each in split(calls, self._ids if ids is None else GivenIds(ids), chunk):
            count += each.count_new(await self._write(each.jobs))
        return count

    async def enqueue_all(
        self, calls: Iterable[Call], *, chunk: int = DEFAULT_CHUNK
    ) -> list[Enqueued[Any]]:
        """Enqueue `task.call(...)`s, chunk by chunk; answers for each, in their order."""
        done: list[Enqueued[Any]] = []
        for each in split(calls, self._ids, chunk):
            done += each.answer(await self._write(each.jobs))
        return done

    async def enqueue_by_name(
        self, kind: str, args: Mapping[str, Any] | None = None, **options: Unpack[JobOptions]
    ) -> Enqueued[Any]:
        """Enqueue without the handler's code; the worker checks the arguments."""
        if self._is_for_tenant:
            refuse_placing(options)
        job = build_by_name(self._ids.next(), kind, args or {}, options)
        return answer(job, await self._write([job]), is_own_id=options.get("id") is None)

    async def start(self, flow: Workflow) -> StartedWorkflow:
        """Enqueue all steps of a workflow together; names their jobs."""
        plan = flow.plan(self._ids)
        await self._write(plan.jobs)
        return StartedWorkflow(plan.name, plan.ids)


class GivenIds:
    """Hands out ids that the caller has made."""

    def __init__(self, ids: Iterable[UUID]) -> None:
        self._ids = iter(ids)

    def take(self, count: int) -> list[JobId]:
        """Return the next ones."""
        taken = [JobId(each) for each in islice(self._ids, count)]
        if len(taken) < count:
            raise BadOption("ids: there are more calls than ids; give one for each")
        return taken


class Chunk(NamedTuple):
    """Jobs that are written together, those of their ids that callers gave, and their calls."""

    jobs: list[NewJob]
    given: set[JobId]
    calls: list[Call]

    def count_new(self, answers: Answers) -> int:
        """Count the jobs that this write made."""
        if not self.given and not answers:
            return len(self.jobs)
        return sum(each.is_new for each in self.answer(answers))

    def answer(self, answers: Answers) -> list[Enqueued[Any]]:
        """Say what became of each job; the same one again in this chunk is not new."""
        seen: set[JobId] = set()
        done: list[Enqueued[Any]] = []
        for job, call in zip(self.jobs, self.calls, strict=True):
            told = answer(job, answers, is_own_id=job.id not in self.given, task=call.task)
            if job.id in seen:
                told = Enqueued(id=job.id, is_new=False, task=call.task)
            done.append(told)
            seen.add(job.id)
        return done


def split(calls: Iterable[Call], ids: IdSource | GivenIds, size: int) -> Iterator[Chunk]:
    """Build the jobs and cut them into chunks of at most `size` jobs, lazily."""
    if size < 1:
        raise BadOption(f"chunk: {size!r} is not a positive number")
    ready: list[Call] = []
    room = CHUNK_BYTES
    for call in calls:
        ready.append(call)
        room -= len(call.args)
        if len(ready) == size or room <= 0:
            yield build_chunk(ready, ids)
            ready, room = [], CHUNK_BYTES
    if ready:
        yield build_chunk(ready, ids)


def build_chunk(calls: list[Call], ids: IdSource | GivenIds) -> Chunk:
    """Build the jobs of these calls, their fresh ids in the order of the calls."""
    jobs = [call.job(fresh_id) for call, fresh_id in zip(calls, ids.take(len(calls)), strict=True)]
    given = {own_id for call in calls if (own_id := call.task.options.job_id) is not None}
    return Chunk(jobs, given, calls)


def write_ahead(
    begin: Begin, chunks: Iterable[Chunk], note: Callable[[Chunk, Answers], object]
) -> None:
    """Write chunks in order, each while the next is built, and note what became of them.

    One that fails ends it before the next is begun. When building the next fails, this one is
    still written, and its own error would go first.
    """
    under_way: list[tuple[Chunk, Callable[[], Answers]]] = []  # one at most

    def settle() -> None:
        if under_way:
            chunk, finish = under_way.pop()
            note(chunk, finish())

    try:
        for chunk in chunks:
            settle()
            under_way.append((chunk, begin(chunk.jobs)))
    finally:
        settle()


def answer(
    job: NewJob, answers: Answers, *, is_own_id: bool, task: Task[..., Any] | None = None
) -> Enqueued[Any]:
    """Say what became of one job.

    An id of our own can only stand there already because a write was repeated after its answer
    was lost: it is new all the same.
    """
    found = answers.get(job.id)
    if found is None:
        return Enqueued(id=job.id, is_new=True, task=task)
    match found.verdict:
        case Verdict.SAME:
            return Enqueued(id=job.id, is_new=is_own_id, task=task)
        case Verdict.REPLACED:
            return Enqueued(id=job.id, is_new=True, replaced=found.other, task=task)
        case Verdict.BEHIND:
            return Enqueued(id=job.id, is_new=True, behind=found.other, task=task)
        case held:
            until = found.until
            return Enqueued(id=found.id, is_new=False, held=held.value, held_until=until, task=task)


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
    fields = job_fields(check_name("kind", kind), options) | own_place(options, args)
    fields |= own_key_by_name(options, kind, args, refuse)
    if RAW_MARK in raw:
        fields["encrypted"] = True
    for name, field in _POLICY.items():
        if name not in given:
            del fields[field]
    return NewJob(id=options.job_id or fresh_id, args=msgspec.Raw(raw), **fields)


def refuse_placing(given: JobOptions) -> None:
    """Refuse what would let a tenant past its task's throttle, or take others' turns."""
    for name in sorted(_PLACING & given.keys()):
        raise NotForTenants(f"{name} of a job that is enqueued by its name")


def traced_write(write: Write) -> Write:
    """Let jobs carry the trace that they are enqueued in, where the program traces."""

    def written(jobs: Sequence[NewJob]) -> Answers:
        if not is_traced():
            return write(jobs)
        with producing(jobs) as carried:
            return write(carried)

    return written


def traced_async_write(write: AsyncWrite) -> AsyncWrite:
    """Do the same for one that is awaited."""

    async def written(jobs: Sequence[NewJob]) -> Answers:
        if not is_traced():
            return await write(jobs)
        with producing(jobs) as carried:
            return await write(carried)

    return written
