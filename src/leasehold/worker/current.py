"""`current_job()`: what a handler can ask and do about the job it runs."""

from __future__ import annotations

import time
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from leasehold.errors import Interrupted, LeaseholdError, LeaseLost
from leasehold.model.lanes import read_place
from leasehold.model.throttles import check_amount, read_pause
from leasehold.model.values import Settlement
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from datetime import datetime
    from types import TracebackType

    from leasehold.model.durations import Duration
    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt

_current: ContextVar[RunningJob] = ContextVar("leasehold_current_job")


class RunningJob:
    """The job that a handler runs: what it is, how long it may go on, and how to end it."""

    __slots__ = ("_claim",)

    def __init__(self, claim: Claim) -> None:
        self._claim = claim

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


def current_job() -> RunningJob:
    """Return the job that this handler runs. Outside a handler it is an error."""
    try:
        return _current.get()
    except LookupError:
        raise LeaseholdError("current_job() is only there inside a running handler") from None


def set_current_job(job: RunningJob) -> None:
    _current.set(job)


class CurrentJob(RunningJob):
    """A job that runs in a thread or on the loop of its worker."""

    __slots__ = ("_attempt", "_store", "_worker")

    def __init__(self, attempt: Attempt, store: Store, worker: WorkerId) -> None:
        self._claim = attempt.claim  # not through super(): one is made for each job
        self._attempt = attempt
        self._store = store
        self._worker = worker

    @property
    def is_stopping(self) -> bool:
        return self._attempt.interruption is not None

    @property
    def seconds_left(self) -> float:
        return self._attempt.deadline - time.monotonic()

    @property
    def result(self) -> Any:
        return self._attempt.result

    @result.setter
    def result(self, value: Any) -> None:
        self._attempt.result = value

    def check(self) -> None:
        interruption: type[Interrupted] | None = self._attempt.interruption
        if interruption is not None:
            raise interruption

    def transaction(self) -> JobTransaction:
        return JobTransaction(self._attempt, self._store, self._worker)

    def spend(self, amount: float) -> None:
        self._attempt.spent = check_amount(amount)

    def pause_throttle(self, until: datetime | Duration, /, *, reason: str = "") -> None:
        place = self._claim.place
        if not place or not read_place(place).lane:
            raise LeaseholdError(f"job {self.id} has no throttle that could be paused")
        pause = read_pause(until, reason=reason, by=f"job {self.id}")
        with shielded():
            is_paused = self._store.pause_lane(self._worker, self._attempt.held(), pause)
        if not is_paused:
            raise LeaseLost(self.id)


class JobTransaction:
    """Usable with `with` and with `async with`; yields the driver's connection.

    On a clean exit the job is settled as succeeded in the same commit; set `job.result` before.
    When the lease does not stand any more, everything is rolled back and `LeaseLost` is raised.
    """

    def __init__(self, attempt: Attempt, store: Store, worker: WorkerId) -> None:
        self._attempt = attempt
        self._store = store
        self._worker = worker
        self._blocking: AbstractContextManager[Any] | None = None
        self._awaited: AbstractAsyncContextManager[Any] | None = None

    def __enter__(self) -> Any:
        self._refuse_twice()
        self._blocking = self._store.transaction(
            self._worker, self._settlement, lease_seconds=self._attempt.claim.lease_seconds
        )
        try:
            with shielded():
                return self._blocking.__enter__()
        except Interrupted as error:
            # It came while we waited for the lock or the connection, and we have them now.
            self._blocking.__exit__(type(error), error, error.__traceback__)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._blocking is None:
            raise LeaseholdError("leave a transaction the way you entered it")
        with shielded():
            swallowed = self._blocking.__exit__(kind, error, trace)
            self._attempt.is_settled = error is None
        return swallowed

    async def __aenter__(self) -> Any:
        self._refuse_twice()
        self._awaited = self._store.async_transaction(
            self._worker, self._settlement, lease_seconds=self._attempt.claim.lease_seconds
        )
        return await self._awaited.__aenter__()

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._awaited is None:
            raise LeaseholdError("leave a transaction the way you entered it")
        swallowed = await self._awaited.__aexit__(kind, error, trace)
        self._attempt.is_settled = error is None
        return swallowed

    def _refuse_twice(self) -> None:
        if self._attempt.is_settled:
            raise LeaseholdError("this job has ended in a transaction already; it can do so once")

    def _settlement(self) -> Settlement:
        attempt = self._attempt
        return Settlement(
            job_id=attempt.claim.job_id,
            fence=attempt.claim.fence,
            outcome="succeeded",
            result=attempt.task.encode_result(attempt.result),
            elapsed_seconds=time.monotonic() - attempt.started_at,
            spent=attempt.spent,
        )
