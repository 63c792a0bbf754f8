"""Child processes for isolated tasks: their crash, their memory and their CPU are their own."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import BadOption, LeaseholdError
from leasehold.model.outcomes import Outcome
from leasehold.tracing import current_trace
from leasehold.worker.frames import Reply, Request, Said, read_frame, write_frame
from leasehold.worker.pipe import answer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.values import Claim
    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.savings import Keeper

_decode = msgspec.json.Decoder(Said).decode
_FRAME_SLACK = 1_048_576
_LAST_SECONDS = 1.0  # from the end of its pipe to its own end


class ChildDied(LeaseholdError):
    """The child process ended before it had answered."""


class Child:
    """One child, kept for the next job as long as it behaves."""

    def __init__(self, task: Task[..., Any]) -> None:
        self.kind = task.name
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module
            [sys.executable, "-m", "leasehold._child", str(theirs_in), str(theirs_out)],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            start_new_session=True,  # Ctrl-C in a terminal is the worker's to handle
        )
        os.close(theirs_in)
        os.close(theirs_out)

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def run(self, attempt: Attempt, keeper: Keeper) -> Outcome:
        """Run one attempt there. `ChildDied` when it crashed, was killed or went over a limit.

        What it saves meanwhile is kept by the keeper.
        """
        options = attempt.task.options
        request = Request(
            module=attempt.task.handler.__module__,
            claim=_in_this_trace(attempt.claim),
            chance=random.random(),
            memory_limit_bytes=options.memory_limit_bytes,
            cpu_limit_seconds=options.cpu_limit_seconds,
            result_limit=options.result_limit,
        )
        try:
            write_frame(self._out, msgspec.json.encode(request))
            reply = self._listen(attempt, keeper)
        except (OSError, EOFError) as error:
            raise ChildDied(self._obituary(error)) from error
        attempt.spent = reply.spent
        return reply.outcome()

    def _listen(self, attempt: Attempt, keeper: Keeper) -> Reply:
        """Do what it asks until it says how the attempt ended."""
        limit = attempt.task.options.result_limit + _FRAME_SLACK
        while True:
            said = _decode(read_frame(self._in, limit=limit))
            if isinstance(said, Reply):
                return said
            told = answer(keeper, attempt.claim, said)
            if told is not None:
                write_frame(self._out, msgspec.json.encode(told))

    def kill(self) -> None:
        self._process.kill()

    def close(self) -> None:
        """End it and its pipes. Safe twice."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._out, self._in):
            try:
                pipe.close()
            except OSError:
                continue

    def _obituary(self, error: Exception) -> str:
        try:
            code = self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            # It lives, but what it sends is no answer, or it has closed its pipe.
            self._process.kill()
            return f"the child process gave no proper answer: {str(error) or 'it closed its pipe'}"
        if code < 0:
            name = signal.Signals(-code).name
            hint = {"SIGXCPU": ", its CPU limit", "SIGKILL": ", perhaps for lack of memory"}
            return f"the child process was ended by {name}{hint.get(name, '')}"
        return f"the child process exited with code {code}"


def _in_this_trace(claim: Claim) -> Claim:
    """Let what the child traces be part of the span that is current here."""
    trace = current_trace()
    return claim if trace is None else msgspec.structs.replace(claim, trace=trace)


class Children:
    """Keeps idle children, by kind, for the next job."""

    def __init__(self) -> None:
        self._idle: list[Child] = []
        self._lock = threading.Lock()
        self._is_closed = False

    @contextmanager
    def lend(self, task: Task[..., Any]) -> Iterator[Child]:
        """Lend a child for one job; one that failed is not kept."""
        child = self._take(task)
        try:
            yield child
        except BaseException:
            child.close()
            raise
        with self._lock:
            is_kept = child.is_alive and not self._is_closed
            if is_kept:
                self._idle.append(child)
        if not is_kept:
            child.close()

    def close(self) -> None:
        with self._lock:
            self._is_closed = True
            idle, self._idle = self._idle, []
        for child in idle:
            child.close()

    def _take(self, task: Task[..., Any]) -> Child:
        with self._lock:
            for child in self._idle:
                if child.kind == task.name and child.is_alive:
                    self._idle.remove(child)
                    return child
        return Child(task)


def check_isolation(task: Task[..., Any]) -> None:
    """Refuse at start what could not be given when the job runs."""
    if task.options.isolation != "process":
        return
    if sys.platform == "win32":
        raise BadOption(f"{task.name}: isolation='process' is not available on Windows")
    if task.handler.__module__ == "__main__":
        raise BadOption(
            f"{task.name}: isolation='process' needs the task in a module that a child can import; "
            "move it out of the script that is run"
        )
