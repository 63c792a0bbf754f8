"""`current_job()`: what a handler can ask and do about the job it runs, wherever it runs."""

from __future__ import annotations

from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, TypeVar, overload

import msgspec

from leasehold.client import Client
from leasehold.errors import LeaseholdError
from leasehold.task import is_async
from leasehold.worker.results import read_all, read_one
from leasehold.worker.savings import Savings, StepCall, Units
from leasehold.worker.transactions import JobTransaction

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from datetime import datetime

    from leasehold.batches import Batch
    from leasehold.model.durations import Duration
    from leasehold.model.ids import JobId
    from leasehold.model.needs import Predecessor
    from leasehold.model.values import Claim
    from leasehold.task import Task

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
UNSET = msgspec.UNSET
_current: ContextVar[RunningJob] = ContextVar("leasehold_current_job")


class RunningJob:
    """The job that a handler runs: what it is, how long it may go on, and how to end it."""

    __slots__ = ("_claim", "_savings")

    def __init__(self, claim: Claim) -> None:
        self._claim = claim
        self._savings: Savings | None = None

    def __repr__(self) -> str:
        return f"<job {self.id} {self.kind} attempt {self.attempt}>"

    @property
    def id(self) -> JobId:
        return self._claim.job_id

    @property
    def kind(self) -> str:
        return self._claim.kind

    @property
    def queue(self) -> str:
        return self._claim.queue

    @property
    def tenant(self) -> str:
        return self._claim.tenant

    @property
    def attempt(self) -> int:
        """The number of this claim: 1, 2, 3 … over the job's whole life."""
        return self._claim.attempt

    @property
    def failures(self) -> int:
        """How many attempts were counted against `max_attempts` before this one."""
        return self._claim.failures

    @property
    def lapses(self) -> int:
        """How many workers have died under it since it last ended an attempt by itself.

        The second one in a row counts as a failure. A job that has got on since then may raise
        `Snooze(0)`: it comes back at once and is no suspect any more.
        """
        return self._claim.lapses

    @property
    def max_attempts(self) -> int:
        return self._claim.max_attempts

    @property
    def is_stopping(self) -> bool:
        """Whether the handler should end: deadline, cancel, lost lease or the worker's stop."""
        return False

    @property
    def seconds_left(self) -> float:
        """How long until the deadline."""
        raise NotImplementedError

    @property
    def result(self) -> Any:
        """What the job returns when its transaction ends it; set it inside the transaction."""
        raise NotImplementedError

    @result.setter
    def result(self, value: Any) -> None:
        raise NotImplementedError

    @property
    def batch_id(self) -> JobId | None:
        """The batch that this job belongs to."""
        return self._claim.batch

    @property
    def batch(self) -> Batch:
        """A handle on this job's batch, to add members, also after it was sealed.

        What is added counts before this job ends. It blocks for a moment: an async handler calls
        it in a thread.
        """
        raise NotImplementedError

    @property
    def client(self) -> Client:
        """A client of the queue that this job came from, to enqueue more; it need not be closed.

        The client of a tenant's job acts for that tenant.
        """
        raise LeaseholdError("an isolated task has no client: let the one that follows it enqueue")

    @property
    def predecessors(self) -> tuple[Predecessor, ...]:
        """The jobs that this one waited for, in the order in which they were named.

        They are read when first asked for: that blocks for a moment, so an async handler does it
        in a thread.
        """
        raise NotImplementedError

    @overload
    def result_of(self, task: Task[..., Coroutine[Any, Any, R]]) -> R: ...
    @overload
    def result_of(self, task: Task[..., R]) -> R: ...
    def result_of(self, task: Task[..., Any]) -> Any:
        """Return what the one job of this task, that this one waited for, has returned.

        It is read as the task's return annotation says. `NoResult` when there is none, several of
        them, or one that did not succeed.
        """
        return read_one(self.id, self.predecessors, task)

    @overload
    def results_of(self, task: Task[..., Coroutine[Any, Any, R]]) -> list[R]: ...
    @overload
    def results_of(self, task: Task[..., R]) -> list[R]: ...
    def results_of(self, task: Task[..., Any]) -> list[Any]:
        """Return what those jobs of this task have returned that succeeded, in their order."""
        return read_all(self.predecessors, task)

    def check(self) -> None:
        """Raise the interruption, if there is one: for long loops that nothing else interrupts."""

    def transaction(self) -> JobTransaction:
        """Open a transaction that commits the caller's writes and the job's success together."""
        raise NotImplementedError

    def spend(self, amount: float) -> None:
        """Say what this attempt used of its throttle's rate in all; it is settled at its end.

        Without this it is what the claim reserved, the job's `cost`.
        """
        raise NotImplementedError

    def pause_throttle(self, until: datetime | Duration, /, *, reason: str = "") -> None:
        """Start no other job of this one's throttle key until then, as after a 429.

        Never shortens a pause. It blocks for a moment: an async handler calls it in a thread.
        """
        raise NotImplementedError

    # -- going on where it was -------------------------------------------------------------------
    @property
    def cursor(self) -> Any:
        """What was saved last, by an earlier attempt or by this one; None when nothing was.

        Decoded JSON. The first look reads the database, unless this is the first attempt.
        """
        return self._save_with().cursor

    async def cursor_async(self) -> Any:
        """Do the same without blocking the loop, should it have to be read."""
        return await self._save_with().cursor_async()

    def cursor_as(self, kind: type[T]) -> T | None:
        """Read the cursor as a type; `BadCheckpoint` when it does not fit."""
        found: T | None = self._save_with().cursor_as(kind)
        return found

    def checkpoint(
        self,
        cursor: Any = UNSET,
        *,
        done: float | None = None,
        total: float | None = None,
        note: str | None = None,
        on: object | None = None,
    ) -> None:
        """Save where this job is: the next attempt goes on from there. Durable when it returns.

        The cursor is anything JSON can hold, up to 256 KiB; without one the last stays. `done` and
        `total` are units of work, `note` a word about it. Inside `job.saving()` and
        `job.transaction()` it is written with their commit; on a connection of the caller's
        (`on=`), with the caller's: make it the last statement there. `LeaseLost` when the job is
        another worker's by now.
        """
        self._save_with().checkpoint(cursor, Units(done, total, note), on)

    async def checkpoint_async(
        self,
        cursor: Any = UNSET,
        *,
        done: float | None = None,
        total: float | None = None,
        note: str | None = None,
        on: object | None = None,
    ) -> None:
        """Do the same without blocking the loop; `on` is an async connection."""
        await self._save_with().checkpoint_async(cursor, Units(done, total, note), on)

    def progress(
        self, done: float | None = None, total: float | None = None, note: str | None = None
    ) -> None:
        """Say how far this job is; returns at once. Written a few times a second, and at its end.

        `done` never goes back, whatever is said.
        """
        self._save_with().progress(Units(done, total, note))

    @overload
    def step(
        self,
        name: str,
        function: Callable[P, Coroutine[Any, Any, R]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Coroutine[Any, Any, R]: ...
    @overload
    def step(
        self, name: str, function: Callable[P, R], /, *args: P.args, **kwargs: P.kwargs
    ) -> R: ...
    def step(self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
        """Call the function, once for all attempts, and remember what it returns.

        An attempt that finds the step's memory returns that. What it returns is read back from
        JSON, the first time too, as the function's annotation says. An error is not remembered. A
        worker that is killed after the function and before its memory is written runs it again:
        the effect is at least once. `step_in_transaction` makes it exactly once.
        """
        savings = self._save_with()
        run = savings.step_async if is_async(function) else savings.step
        return run(name, StepCall(function, args, kwargs))

    @overload
    def step_in_transaction(
        self,
        name: str,
        function: Callable[Concatenate[Any, P], Coroutine[Any, Any, R]],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> Coroutine[Any, Any, R]: ...
    @overload
    def step_in_transaction(
        self,
        name: str,
        function: Callable[Concatenate[Any, P], R],
        /,
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> R: ...
    def step_in_transaction(
        self, name: str, function: Callable[..., Any], /, *args: Any, **kwargs: Any
    ) -> Any:
        """Call the function with a connection first, in one transaction with the step's memory.

        What it writes there happens exactly once, wherever the worker is killed.
        """
        savings = self._save_with()
        run = savings.step_async if is_async(function) else savings.step
        return run(name, StepCall(function, args, kwargs), self.saving())

    def saving(self) -> JobTransaction:
        """Open a transaction in which the caller's writes and what is saved are one commit.

        The job goes on afterwards; a page of data and its cursor stand together, or neither does.
        """
        raise NotImplementedError

    def _save_with(self) -> Savings:
        """Return what saves for this job, made at first use."""
        savings = self._savings
        if savings is None:
            savings = self._savings = self._open_savings()
        return savings

    def _open_savings(self) -> Savings:
        raise NotImplementedError


def current_job() -> RunningJob:
    """Return the job that this handler runs. Outside a handler it is an error."""
    try:
        return _current.get()
    except LookupError:
        raise LeaseholdError("current_job() is only there inside a running handler") from None


def set_current_job(job: RunningJob) -> None:
    _current.set(job)
