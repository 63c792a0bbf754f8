"""Child processes for isolated tasks: their crash, their memory and their CPU are their own."""

from __future__ import annotations

import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import (
    BadOption,
    ChildDied,
    CpuLimit,
    FileSizeLimit,
    LeaseholdError,
    MemoryLimit,
    NoSandbox,
)
from leasehold.model.outcomes import Outcome
from leasehold.sandbox.limits import Confinement
from leasehold.sandbox.probing import probe
from leasehold.sealing.keyring import VARIABLE as KEYS
from leasehold.tracing import current_trace
from leasehold.worker.frames import (
    Exceeded,
    Reply,
    Request,
    Said,
    Unbounded,
    read_frame,
    write_frame,
)
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


# What an isolated task without a network has no use for, whoever may have taken it over.
_SECRET = re.compile(
    r"^LEASEHOLD_|^PG|PASS|_PWD$|SECRET|TOKEN|KEY|CREDENTIAL|AUTH|COOKIE|CONNECTION|DSN$|(_|^)URL$",
    re.IGNORECASE,
)
_BAD_ENDS = frozenset({"SIGSEGV", "SIGABRT", "SIGBUS"})


class Child:
    """One child, kept for the next job as long as it behaves."""

    def __init__(self, task: Task[..., Any]) -> None:
        self.kind = task.name
        self._limits = task.options.limits
        confinement = confinement_of(task)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        self._out, self._in = os.fdopen(ours_out, "wb"), os.fdopen(ours_in, "rb")
        arguments = (str(theirs_in), str(theirs_out), msgspec.json.encode(confinement).decode())
        self._process = subprocess.Popen(  # noqa: S603 - our own interpreter, our own module  # nosec B603
            [sys.executable, "-m", "leasehold._child", *arguments],
            pass_fds=(theirs_in, theirs_out),
            stdin=subprocess.DEVNULL,
            env=_environment(confinement),
            start_new_session=True,  # Ctrl-C in a terminal is the worker's to handle
        )
        os.close(theirs_in)
        os.close(theirs_out)
        self._folder = OwnFolder()

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
            cpu_seconds=options.limits.cpu_seconds,
            result_limit=options.result_limit,
            folder=self._folder.open(),
        )
        try:
            write_frame(self._out, msgspec.json.encode(request))
            reply = self._listen(attempt, keeper)
        except (OSError, EOFError) as error:
            raise self._death(error) from error
        finally:
            self._folder.tidy()
        attempt.spent = reply.spent
        return reply.outcome()

    def _listen(self, attempt: Attempt, keeper: Keeper) -> Reply:
        """Do what it asks until it says how the attempt ended."""
        limit = attempt.task.options.result_limit + _FRAME_SLACK
        while True:
            said = _decode(read_frame(self._in, limit=limit))
            if isinstance(said, Reply):
                return said
            if isinstance(said, Exceeded | Unbounded):
                raise self._stopped(said)
            told = answer(keeper, attempt.claim, said)
            if told is not None:
                write_frame(self._out, msgspec.json.encode(told))

    def kill(self) -> None:
        """End it, and what it has started."""
        try:
            os.killpg(self._process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self._process.kill()

    def close(self) -> None:
        """End it and its pipes. Safe twice."""
        self.kill()
        self._process.wait()
        self._folder.remove()
        for pipe in (self._out, self._in):
            try:
                pipe.close()
            except OSError:
                continue

    def _stopped(self, said: Exceeded | Unbounded) -> LeaseholdError:
        limits = self._limits
        if isinstance(said, Unbounded):
            return NoSandbox(
                f"{self.kind}: not run, since its child can't be bounded: {said.reason}"
            )
        if said.what == "file_size":
            return FileSizeLimit(f"a file over its limit of {limits.file_bytes or 0:,} bytes")
        return MemoryLimit(f"over its memory limit of {limits.memory_bytes or 0:,} bytes")

    def _death(self, error: Exception) -> LeaseholdError:
        """Say how it ended; it may live, but what it sends is no answer."""
        try:
            code = self._process.wait(_LAST_SECONDS)
        except subprocess.TimeoutExpired:
            self.kill()
            said = str(error) or "it closed its pipe"
            return ChildDied(f"the child process gave no proper answer: {said}")
        if code >= 0:
            return ChildDied(f"the child process exited with code {code}")
        ended_by = signal.Signals(-code)
        if ended_by.name == "SIGXCPU":
            return CpuLimit(f"over its CPU limit of {self._limits.cpu_seconds or 0:g} seconds")
        return ChildDied(f"the child process was ended by {ended_by.name}{self._hint(ended_by)}")

    def _hint(self, ended_by: signal.Signals) -> str:
        if ended_by.name == "SIGKILL":
            return ", perhaps for lack of memory"
        is_near = ended_by.name in _BAD_ENDS and self._limits.memory_bytes is not None
        return ", perhaps at its memory limit" if is_near else ""


class OwnFolder:
    """Where a child's attempts have their temporary files, one after the other.

    Nobody finds what another one has left: then it is made anew. That costs more than a short job.
    """

    def __init__(self) -> None:
        self._path: str | None = None

    def open(self) -> str:
        if self._path is None:
            self._path = tempfile.mkdtemp(prefix="leasehold-job-")
        return self._path

    def tidy(self) -> None:
        """Take it away with all that is in it, if anything is."""
        if self._path is not None and not _is_empty(self._path):
            self.remove()

    def remove(self) -> None:
        """Take it away. Safe twice."""
        path, self._path = self._path, None
        if path is not None:
            shutil.rmtree(path, ignore_errors=True)


def _is_empty(path: str) -> bool:
    try:
        with os.scandir(path) as entries:
            return next(entries, None) is None
    except OSError:
        return False


def _environment(confinement: Confinement) -> dict[str, str]:
    given = dict(os.environ)
    given.pop(KEYS, None)  # its parent encrypts for it
    if not confinement.network:
        given = {name: value for name, value in given.items() if not _SECRET.search(name)}
    if confinement.memory_bytes is not None:
        # Each thread's arena reserves 64 MB of the address space that is limited.
        given.setdefault("MALLOC_ARENA_MAX", "2")
    return {**given, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


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
    to = confinement_of(task)
    if not to.network or to.processes == 0:
        reason = probe().why_not(to)
        if reason is not None:
            raise NoSandbox(f"{task.name}: {reason}; its jobs wait for a worker that can")


def confinement_of(task: Task[..., Any]) -> Confinement:
    """Return what its child has to do to itself."""
    return Confinement.of(task.options.limits, network=task.options.network)
