"""The child process of isolated tasks: runs attempts, one after the other, until the pipe closes.

It speaks JSON over two pipes, never pickle.
"""

from __future__ import annotations

import asyncio
import importlib
import os
import sys
import threading
import time
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import LeaseholdError
from leasehold.model.outcomes import Outcome, Succeeded, decide
from leasehold.model.throttles import check_amount
from leasehold.registry import Registry
from leasehold.tracing import continuing
from leasehold.worker.current import RunningJob, set_current_job
from leasehold.worker.frames import Reply, Request, reply_of
from leasehold.worker.pipe import Pipe, PipeKeeper
from leasehold.worker.savings import Savings

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.batches import Batch
    from leasehold.model.durations import Duration
    from leasehold.model.needs import Predecessor
    from leasehold.model.values import Claim
    from leasehold.task import Task
    from leasehold.worker.transactions import JobTransaction

_LOOK_SECONDS = 0.5


class ChildJob(RunningJob):
    """What an isolated handler knows of its job. Stopping it is a kill, so it never is stopping."""

    def __init__(self, claim: Claim, keeper: PipeKeeper, *, result_limit: int) -> None:
        super().__init__(claim)
        self.args = claim.args
        self.trace = claim.trace
        self._keeper = keeper
        self._result_limit = result_limit
        self.spent: float | None = None
        self._deadline = time.monotonic() + claim.timeout_seconds

    @property
    def seconds_left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def predecessors(self) -> tuple[Predecessor, ...]:
        raise LeaseholdError(
            "an isolated task has no store to read those before it: let a task that is not "
            "isolated read them and pass on what it needs"
        )

    def transaction(self) -> JobTransaction:
        raise LeaseholdError("an isolated task has no transaction: return a result instead")

    def saving(self) -> JobTransaction:
        raise LeaseholdError("an isolated task has no transaction: use checkpoint() and step()")

    def spend(self, amount: float) -> None:
        self.spent = check_amount(amount)

    @property
    def batch(self) -> Batch:
        raise LeaseholdError("an isolated task can't add to its batch: return a result instead")

    def pause_throttle(self, _until: datetime | Duration, /, *, reason: str = "") -> None:  # noqa: ARG002
        raise LeaseholdError("an isolated task can't pause its throttle: raise Snooze instead")

    def _open_savings(self) -> Savings:
        return Savings(self._claim, self._keeper, result_limit=self._result_limit)


def main() -> None:
    threading.Thread(target=_die_with, args=(os.getppid(),), daemon=True).start()
    source, sink = int(sys.argv[1]), int(sys.argv[2])
    with os.fdopen(source, "rb") as incoming, os.fdopen(sink, "wb") as outgoing:
        pipe = Pipe(incoming, outgoing)
        while True:
            try:
                frame = pipe.receive()
            except EOFError:
                return
            pipe.send(_answer(msgspec.json.decode(frame, type=Request), pipe))


def _die_with(parent: int) -> None:
    """End when the worker is gone: nobody would take what this attempt comes to."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    os._exit(1)


def _answer(request: Request, pipe: Pipe) -> Reply:
    claim = request.claim
    keeper = PipeKeeper(pipe, claim)
    job = ChildJob(claim, keeper, result_limit=request.result_limit)
    policy = None
    try:
        task = Registry(importlib.import_module(request.module))[claim.kind]
        policy = task.options.retry
        _limit(request)
        return _with_spent(reply_of(_run(task, job)), job)
    except BaseException as error:
        if policy is None:
            raise
        return _with_spent(reply_of(_decide(error, request, policy)), job)
    finally:
        keeper.close()


def _with_spent(reply: Reply, job: ChildJob) -> Reply:
    return reply if job.spent is None else msgspec.structs.replace(reply, spent=job.spent)


def _run(task: Task[..., Any], job: ChildJob) -> Outcome:
    set_current_job(job)
    with continuing(job.trace):
        value: Any = task.handler(**task.decode(job.args))
        if task.is_async:
            value = asyncio.run(value)
    return Succeeded(result=task.encode_result(value))


def _decide(error: BaseException, request: Request, policy: Any) -> Outcome:
    claim = request.claim
    return decide(
        error,
        failures=claim.failures,
        max_attempts=claim.max_attempts,
        policy=policy,
        chance=request.chance,
    )


def _limit(request: Request) -> None:
    import resource

    if request.memory_limit_bytes is not None:
        limit = request.memory_limit_bytes
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
    if request.cpu_limit_seconds is not None:
        used = resource.getrusage(resource.RUSAGE_SELF)
        # The limit counts from the process's start, and this child may have run jobs before.
        allowed = int(used.ru_utime + used.ru_stime + request.cpu_limit_seconds) + 1
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (allowed, most))


if __name__ == "__main__":
    main()
