"""The child process of isolated tasks: runs attempts, one after the other, until the pipe closes.

It speaks JSON over two pipes, never pickle.
"""

from __future__ import annotations

import asyncio
import errno
import importlib
import os
import shutil
import signal
import sys
import tempfile
import threading
import time
from functools import cache
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import LeaseholdError
from leasehold.model.outcomes import Outcome, Succeeded, decide
from leasehold.model.throttles import check_amount
from leasehold.registry import Registry
from leasehold.sandbox.confining import NotConfined, confine, limit_cpu, spare_memory
from leasehold.sandbox.limits import Confinement
from leasehold.tracing import continuing
from leasehold.worker.frames import Exceeded, Reply, Request, Unbounded, reply_of
from leasehold.worker.pipe import Pipe, PipeKeeper
from leasehold.worker.running_job import RunningJob, set_current_job
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


class Folder:
    """Where this attempt's temporary files are; the parent takes it away, if it lives."""

    def __init__(self) -> None:
        self._path: str | None = None

    def enter(self, path: str) -> None:
        self._path = path
        os.environ["TMPDIR"] = path
        tempfile.tempdir = path

    def remove(self) -> None:
        if self._path is not None:
            shutil.rmtree(self._path, ignore_errors=True)


def main() -> None:
    source, sink = int(sys.argv[1]), int(sys.argv[2])
    confinement = msgspec.json.decode(sys.argv[3], type=Confinement)
    with os.fdopen(source, "rb") as incoming, os.fdopen(sink, "wb") as outgoing:
        pipe = Pipe(incoming, outgoing)
        try:
            confine(confinement)  # before there is a second thread, or anything of a task
        except (NotConfined, OSError, ValueError) as error:
            pipe.receive()
            pipe.send(Unbounded(str(error)))
            return
        _serve(pipe, confinement)


def _serve(pipe: Pipe, confinement: Confinement) -> None:
    folder = Folder()
    threading.Thread(target=_die_with, args=(os.getppid(), folder), daemon=True).start()
    while True:
        try:
            frame = pipe.receive()
        except EOFError:
            return
        request = msgspec.json.decode(frame, type=Request)
        folder.enter(request.folder)
        pipe.send(_answer(request, pipe, confinement))


def _die_with(parent: int, folder: Folder) -> None:
    """End when the worker is gone, with all that was started here: nobody would take it."""
    while os.getppid() == parent:
        time.sleep(_LOOK_SECONDS)
    folder.remove()
    os.killpg(0, signal.SIGKILL)


def _answer(request: Request, pipe: Pipe, confinement: Confinement) -> Reply | Exceeded:
    claim = request.claim
    keeper = PipeKeeper(pipe, claim)
    job = ChildJob(claim, keeper, result_limit=request.result_limit)
    policy = None
    try:
        limit_cpu(request.cpu_seconds)
        task = _tasks_of(request.module)[claim.kind]
        limit_cpu(request.cpu_seconds)  # anew: what the import took is not the attempt's
        policy = task.options.retry
        return _with_spent(reply_of(_run(task, job)), job)
    except BaseException as error:
        exceeded = _exceeded(error, confinement)
        if exceeded is not None:
            return exceeded
        if policy is None:
            raise
        return _with_spent(reply_of(_decide(error, request, policy)), job)
    finally:
        keeper.close()


@cache
def _tasks_of(module: str) -> Registry:
    return Registry(importlib.import_module(module))


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


def _exceeded(error: BaseException, confinement: Confinement) -> Exceeded | None:
    """Say whether it is a limit that it met; the parent's policy decides about that."""
    number = error.errno if isinstance(error, OSError) else None
    is_memory = isinstance(error, MemoryError) or number == errno.ENOMEM
    if is_memory and confinement.memory_bytes is not None:
        spare_memory()
        return Exceeded("memory")
    if number == errno.EFBIG and confinement.file_bytes is not None:
        return Exceeded("file_size")
    return None


if __name__ == "__main__":
    main()
