"""Tasks: named handlers with their options. `@task` makes one, calling it runs the handler."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, ParamSpec, Protocol, TypeVar, cast, overload

import msgspec

from leasehold.binding import Binding, compile_binding
from leasehold.calling_back import callback_of, for_tenant
from leasehold.checking import check_name
from leasehold.errors import BadOption, BadResult
from leasehold.keying import check_key_arguments, fixed_key, is_keyed_by_call, own_key
from leasehold.model.values import NewJob, TaskPolicy
from leasehold.options import (
    JOB_OPTION_NAMES,
    TASK_OPTION_NAMES,
    JobOptions,
    Options,
    TaskOptions,
    read_options,
)
from leasehold.payload import MET, check_syntax, encode, explain, refuse_secrets
from leasehold.placing import check_arguments, depends_on_arguments, fixed_place, own_place

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Unpack

    from leasehold.model.ids import JobId

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Enqueued(Generic[R_co]):
    """The answer to an enqueue: the job that stands, and whether this call made it.

    None is made when the id was given and stood there already, and when its key is held: by a
    live job (`held` is "live", or "pushed" when that was put off), or by what is remembered of one
    ("ever", "period", "cooldown").
    """

    id: JobId
    is_new: bool
    held: str | None = None
    held_until: datetime | None = None  # of a pushed job its new time
    replaced: JobId | None = None  # whose place it has
    behind: JobId | None = None  # the running job that it waits for
    # How to read its result, for `client.wait`; None when it was enqueued by name.
    task: Task[..., Any] | None = field(default=None, repr=False, compare=False)


class Call(msgspec.Struct, frozen=True, gc=False):
    """One call of a task, its arguments checked and encoded; `enqueue_many` takes these."""

    task: Task[..., Any]
    args: msgspec.Raw
    place: dict[str, Any] | None = None  # in line, and its key, as its arguments make them

    def job(self, fresh_id: JobId) -> NewJob:
        """Build the job, under the id that the options give, else under the fresh one."""
        return self.task.build(fresh_id, self.args, self.place)


class Task(Generic[P, R]):
    """A named handler with its options. Immutable: `with_options` makes another one.

    `R` is what calling the handler returns, which for `async def` is a coroutine.
    """

    __slots__ = (
        "_binding",
        "_fields",
        "_is_keyed_by_call",
        "_is_placed_by_arguments",
        "handler",
        "is_async",
        "name",
        "options",
        "origin",
    )

    def __init__(
        self, binding: Binding, options: Options, *, origin: Task[P, R] | None = None
    ) -> None:
        self.name = binding.kind
        self.handler: Callable[P, R] = binding.handler
        self.options = options
        # The task as it was defined: what a registry knows, whatever options a call adds.
        self.origin: Task[P, R] = origin or self
        self.is_async = is_async(binding.handler)
        self._binding = binding
        self._fields = job_fields(binding.kind, options)
        self._is_placed_by_arguments = depends_on_arguments(options)
        self._is_keyed_by_call = is_keyed_by_call(options)
        check_arguments(options, binding.signature.parameters, binding.kind)
        check_key_arguments(options, binding.signature.parameters, binding.kind)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Run the handler here and now, without a queue."""
        return self.handler(*args, **kwargs)

    def __repr__(self) -> str:
        return f"<Task {self.name}>"

    @property
    def __wrapped__(self) -> Callable[P, R]:
        """The handler; `inspect.signature` and documentation tools look for it here."""
        return self.handler

    def with_options(self, **changes: Unpack[JobOptions]) -> Task[P, R]:
        """Return this task with other options for the jobs made of it."""
        refuse_unknown(changes, JOB_OPTION_NAMES)
        return Task(self._binding, read_options(changes, self.options), origin=self.origin)

    def call(self, *args: P.args, **kwargs: P.kwargs) -> Call:
        """Check and encode one call, for `enqueue_many`."""
        return Call(self, *self._encode(args, kwargs))

    def new_job(self, fresh_id: JobId, /, *args: P.args, **kwargs: P.kwargs) -> NewJob:
        """Build one job, checked and encoded; an id in the options goes before the fresh one."""
        return self.build(fresh_id, *self._encode(args, kwargs))

    def build(
        self, fresh_id: JobId, args: msgspec.Raw, own: dict[str, Any] | None = None
    ) -> NewJob:
        """Build a job of arguments that are encoded already, and of what they make of it."""
        fields = self._fields if own is None else {**self._fields, **own}
        return NewJob(id=self.options.job_id or fresh_id, args=args, **fields)

    def decode(self, raw: str | bytes) -> dict[str, Any]:
        """Read stored arguments as the handler's annotations say, else `BadArguments`."""
        return self._binding.decode(raw)

    def encode_result(self, value: object, *, is_sealed: bool = True) -> msgspec.Raw | None:
        """Encode what the handler returned, else `BadResult`; None needs no storing.

        One that will not be encrypted may hold no `Secret`.
        """
        if value is None:
            return None
        limit, met = self.options.result_limit, MET.count
        raw = encode(value, root="result", limit=limit, refuse=self._refuse_result)
        check_syntax(raw, root="result", refuse=self._refuse_result)
        if not is_sealed and MET.are_in(raw, since=met):
            refuse_secrets(raw, root="result", refuse=self._refuse_result)
        return msgspec.Raw(raw)

    def decode_result(self, raw: bytes | str | None) -> Any:
        """Read a stored result as the return annotation says, else `BadResult`."""
        if raw is None:
            return None
        try:
            return self._binding.result_decoder.decode(raw)
        except (msgspec.MsgspecError, UnicodeError, RecursionError) as error:
            raise self._refuse_result(explain(error, "result")) from error

    def as_callback(self) -> bytes:
        """Write down the job that `on_end` makes of this task; `BadOption` when it can't be one."""
        return callback_of(self._binding, self.options, self._fields)

    def policy(self) -> TaskPolicy:
        """What the store should know of this kind."""
        return TaskPolicy(
            kind=self.name,
            queue=self.options.queue,
            priority=self.options.priority,
            max_attempts=self.options.max_attempts,
            timeout_seconds=self.options.timeout_seconds,
            dies_on_lapse=self.options.on_lapse == "dead",
            throttle=self._throttle_name(),
            throttle_by=self.options.throttle_by,
            share_by=self.options.share_by,
            cost=self.options.cost,
            keep_seconds=self.options.keep_seconds,
            keep_dead_seconds=self.options.keep_dead_seconds,
            keep_cancelled_seconds=self.options.keep_cancelled_seconds,
            encrypted=self.options.encrypted,
        )

    def _throttle_name(self) -> str | None:
        throttle = self.options.throttle
        return self.options.throttle_key or (None if throttle is None else throttle.name)

    def _encode(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> tuple[msgspec.Raw, dict[str, Any] | None]:
        """Encode a call, and say what it makes of a job: place in line, key, secrecy."""
        met = MET.count
        binding = self._binding
        given = binding.bind(args, kwargs)
        raw = encode(given, root="args", limit=self.options.args_limit, refuse=binding.refuse)
        read = binding.check(raw, args, kwargs)
        own: dict[str, Any] = {}
        if self._is_placed_by_arguments:
            own = self._place(given)
        if self._is_keyed_by_call:
            own |= own_key(self.options, binding, read)
        if MET.are_in(raw, since=met):
            binding.check_secrets(raw)
            own["encrypted"] = True
        return msgspec.Raw(raw), own or None

    def _place(self, given: dict[str, Any]) -> dict[str, Any]:
        binding = self._binding
        try:
            return own_place(self.options, binding.defaults | given)
        except BadOption as error:
            raise binding.refuse(str(error)) from error

    def _refuse_result(self, reason: str) -> BadResult:
        return BadResult(self.name, reason)


class TaskDecorator(Protocol):
    """What `@task(...)` with options is, before it meets its handler."""

    def __call__(self, handler: Callable[P, R], /) -> Task[P, R]:
        """Make the task."""


@overload
def task(handler: Callable[P, R], /) -> Task[P, R]: ...
@overload
def task(**options: Unpack[TaskOptions]) -> TaskDecorator: ...
def task(handler: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Make a task of a function, `@task` or `@task(queue="mail", max_attempts=4)`.

    The name is stored with each job: module and qualified name, unless `name` gives a better one.
    """
    refuse_unknown(options, TASK_OPTION_NAMES | {"name"})
    name = options.pop("name", None)
    checked = read_options(cast("TaskOptions", options))
    if handler is not None:
        return make_task(handler, name, checked)
    return lambda found: make_task(found, name, checked)


def make_task(handler: Callable[..., Any], name: str | None, options: Options) -> Task[..., Any]:
    """Check that the handler can be one, and name it."""
    if isinstance(handler, staticmethod):
        handler = handler.__func__
    _check_handler(handler)
    kind = check_name("name", name if name is not None else _default_name(handler))
    return Task(compile_binding(kind, handler), options)


def is_async(handler: Callable[..., Any]) -> bool:
    """Whether calling it gives a coroutine. The outermost function decides, not what it wraps."""
    called = getattr(handler, "__call__", None)  # noqa: B004 - for objects with `async def __call__`
    return inspect.iscoroutinefunction(handler) or inspect.iscoroutinefunction(called)


def job_fields(kind: str, options: Options) -> dict[str, Any]:
    """What the jobs of these options have in common, but for what `NewJob` leaves out anyway."""
    fields = {
        "kind": kind,
        "queue": options.queue,
        "priority": options.priority,
        "max_attempts": options.max_attempts,
        "timeout_seconds": options.timeout_seconds,
        "delay_seconds": options.delay_seconds,
        "run_at": options.run_at,
        "tenant": options.tenant,
        "batch": options.batch,
        "created_by": options.created_by,
        "on_end": for_tenant(options.on_end, options.tenant),
        "needs": options.needs,
        "encrypted": options.encrypted or None,
    }
    said = {name: value for name, value in fields.items() if value is not None and value != ""}
    return said | fixed_place(options) | fixed_key(options)


def refuse_unknown(given: object, known: frozenset[str]) -> None:
    """Refuse option names that do not exist here, naming those that do."""
    unknown = sorted(set(given) - known)  # type: ignore[call-overload] # a TypedDict is a dict
    if unknown:
        raise BadOption(
            f"there is no option {unknown[0]!r} here; there are {', '.join(sorted(known))}"
        )


def _check_handler(handler: object) -> None:
    if isinstance(handler, Task):
        raise BadOption(f"{handler!r} is a task already")
    if isinstance(handler, (type, classmethod)) or not callable(handler):
        raise BadOption(f"{handler!r} can't be a task; make it a function")
    if inspect.isgeneratorfunction(handler) or inspect.isasyncgenfunction(handler):
        raise BadOption(
            f"{handler!r} is a generator, and a job has one result: return instead of yield"
        )


def _default_name(handler: Callable[..., Any]) -> str:
    name = getattr(handler, "__qualname__", None)
    if name is None or "<lambda>" in name:
        raise BadOption(f"{handler!r} has no name of its own; give it one with name=")
    module = handler.__module__
    return name if module == "__main__" else f"{module}.{name}"
