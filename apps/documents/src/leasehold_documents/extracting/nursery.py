r"""The process whose children read files: each file has a child of its own, which then ends.

It has loaded all parsers and never touches a file itself, so that a child starts within
milliseconds, and what a hostile file does to its child ends with it: another tenant's file is
never read by a process that has read this one.

    engine --request, file, answer, status--> nursery --fork--> child: confined, reads, answers
                                                    \---------> how the child ended, when it has
"""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NoReturn

import msgspec

from leasehold.sandbox.confining import NotConfined, confine, limit_cpu, spare_memory
from leasehold.sandbox.limits import Confinement
from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.messages import (
    Exceeded,
    Refused,
    Unbounded,
    unpack,
    write,
)
from leasehold_documents.extracting.work import carry_out, load_parsers

LARGEST_REQUEST = 65_536
_NEARLY = 0.8
_FDS = 3  # the file, the answer and the status


@dataclass(frozen=True, slots=True)
class Born:
    """A child that runs."""

    process: int
    status: int  # where its end is told; the engine's end of it is closed when it gives up
    deadline: float


class Nursery:
    """Forks, waits, and ends what takes too long or is no longer wanted."""

    def __init__(self, control: socket.socket, bounds: Bounds) -> None:
        self._control = control
        self._bounds = bounds
        self._born: dict[int, Born] = {}
        self._woken, self._waker = os.pipe()
        os.set_blocking(self._waker, False)

    def run(self) -> None:
        """Serve until the engine is gone, and end all children with it."""
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(self._waker, warn_on_full_buffer=False)
        try:
            while self._turn():
                self._reap()
        finally:
            for born in self._born.values():
                os.kill(born.process, signal.SIGKILL)

    def _turn(self) -> bool:
        watched = select.poll()
        watched.register(self._control, select.POLLIN)
        watched.register(self._woken, select.POLLIN)
        for born in self._born.values():
            watched.register(born.status, 0)  # an error: nobody reads it any more
        ready = dict(watched.poll(self._patience()))
        if self._woken in ready:
            os.read(self._woken, 4_096)
        self._end({born.process for born in self._born.values() if born.status in ready})
        return self._control.fileno() not in ready or self._take()

    def _patience(self) -> int | None:
        """Return the milliseconds until the next deadline, after ending what is over its own."""
        now = time.monotonic()
        self._end({b.process for b in self._born.values() if b.deadline <= now})
        left = [b.deadline - now for b in self._born.values() if b.deadline > now]
        return int(min(left) * 1_000) + 1 if left else None

    def _end(self, processes: set[int]) -> None:
        for process in processes:
            os.kill(process, signal.SIGKILL)

    def _take(self) -> bool:
        data, fds, _, _ = socket.recv_fds(self._control, LARGEST_REQUEST, _FDS)
        if not data:
            return False
        file, answer, status = fds
        process = os.fork()
        if process == 0:
            self._close_all(status)
            _live(data, file, answer, self._bounds)
        os.close(file)
        os.close(answer)
        deadline = time.monotonic() + self._bounds.seconds
        self._born[process] = Born(process=process, status=status, deadline=deadline)
        return True

    def _close_all(self, status: int) -> None:
        """In the child: what belongs to the nursery or to other children."""
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        self._control.close()
        others = (born.status for born in self._born.values())
        for descriptor in (self._woken, self._waker, status, *others):
            os.close(descriptor)

    def _reap(self) -> None:
        for process in list(self._born):
            ended, how = os.waitpid(process, os.WNOHANG)
            if ended == 0:
                continue
            born = self._born.pop(process)
            is_late = born.deadline <= time.monotonic()
            told = f"late {how}" if is_late else f"ended {how}"
            with suppress(BrokenPipeError):  # nobody wants to know
                os.write(born.status, told.encode())
            os.close(born.status)


def _live(data: bytes, file: int, answer: int, bounds: Bounds) -> NoReturn:
    """A child's whole life: it never returns into the nursery's loop."""
    code = 70
    try:
        with os.fdopen(answer, "wb") as sink:
            code = _answer(data, file, sink, bounds)
    finally:
        os._exit(code)


def _answer(data: bytes, file: int, sink: BinaryIO, bounds: Bounds) -> int:
    try:
        confine(bounds.confinement)
        limit_cpu(bounds.cpu_seconds)
    except (NotConfined, OSError, ValueError) as error:
        write(sink, Unbounded(str(error)))
        return 0
    try:
        with os.fdopen(file, "rb") as source:
            for said in carry_out(unpack(data), source, sink):
                write(sink, said)
    except Rejected as error:
        write(sink, Refused(error.code, error.reason))
    except Exception as error:  # noqa: BLE001 - whatever a parser says of a file that it can't read
        spare_memory()
        write(sink, _judged(error, bounds))
    return 0


def _judged(error: Exception, bounds: Bounds) -> Refused | Exceeded:
    """Parsers in C say in their own ways that there is no memory left."""
    if isinstance(error, MemoryError) or _peak_bytes() > _NEARLY * bounds.memory_bytes:
        return Exceeded()
    return Refused("UNREADABLE", f"it can't be read ({type(error).__name__})")


def _peak_bytes() -> int:
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmPeak:"):
            return int(line.split()[1]) * 1_024
    return 0


def main() -> None:
    control = socket.socket(fileno=int(sys.argv[1]))
    bounds = msgspec.json.decode(sys.argv[2], type=Bounds)
    # Once for all: to make a network of its own for each child would cost more than parsing.
    with suppress(NotConfined, OSError):  # each child tries it again, or does nothing
        confine(Confinement(network=False))
    load_parsers()
    gc.collect()
    gc.freeze()  # what is shared with the children is not written to
    Nursery(control, bounds).run()


if __name__ == "__main__":
    main()
