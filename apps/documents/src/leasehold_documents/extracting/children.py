"""The engine's end of the nursery: hands it files and reads what their children say."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import BinaryIO

import msgspec

from leasehold_documents.errors import ParserCrashed, ParserLost
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.messages import Request, pack

# Its environment is what it needs to start; what else is in ours may be secret.
_KEPT = ("PATH", "LANG", "LC_ALL", "LD_LIBRARY_PATH", "TMPDIR", "TESSDATA_PREFIX", "HOME")
_MODULE = "leasehold_documents.extracting.nursery"


class Children:
    """A nursery that is started when first needed, and again if it is gone. Any thread may ask."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self.bounds = bounds or Bounds()
        self._lock = threading.Lock()
        self._nursery: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None

    @contextmanager
    def ask(self, request: Request, path: Path) -> Iterator[BinaryIO]:
        """Let a child read one file, and yield where it answers.

        Leaving the block early ends the child. `ParserCrashed` when it did not end by itself.
        """
        with path.open("rb") as file:
            answer, status = self._send(request, file.fileno())
        with closing(status):
            with answer:
                yield answer
            _check(status.read())

    def close(self) -> None:
        """End the nursery and its children. Safe twice."""
        with self._lock:
            self._stop()

    def _send(self, request: Request, file: int) -> tuple[BinaryIO, BinaryIO]:
        ours_answer, theirs_answer = os.pipe()
        ours_status, theirs_status = os.pipe()
        try:
            with self._lock:
                self._deliver(pack(request), [file, theirs_answer, theirs_status])
        except BaseException:
            os.close(ours_answer)
            os.close(ours_status)
            raise
        finally:
            os.close(theirs_answer)
            os.close(theirs_status)
        return os.fdopen(ours_answer, "rb"), os.fdopen(ours_status, "rb")

    def _deliver(self, data: bytes, descriptors: list[int]) -> None:
        """Hand it over, to a new nursery if the old one is gone: what was not sent is not begun."""
        control = self._control or self._start()
        try:
            socket.send_fds(control, [data], descriptors)
        except OSError:
            socket.send_fds(self._start(), [data], descriptors)

    def _start(self) -> socket.socket:
        self._stop()
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._nursery = subprocess.Popen(  # noqa: S603 - our own interpreter  # nosec B603
                [
                    *(sys.executable, "-P", "-m", _MODULE, str(theirs.fileno())),
                    msgspec.json.encode(self.bounds).decode(),
                ],
                pass_fds=(theirs.fileno(),),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,  # a parser may say there what is in a file
                env=_environment(),
                start_new_session=True,  # Ctrl-C in a terminal is the worker's to handle
            )
        self._control = ours
        return ours

    def _stop(self) -> None:
        if self._control is not None:
            self._control.close()
            self._control = None
        if self._nursery is not None:
            try:
                os.killpg(self._nursery.pid, signal.SIGKILL)
            except (ProcessLookupError, PermissionError):
                self._nursery.kill()
            self._nursery.wait()
            self._nursery = None


def _environment() -> dict[str, str]:
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    # Each thread's arena reserves 64 MB of the address space that is limited.
    threads = {"MALLOC_ARENA_MAX": "2", "OMP_THREAD_LIMIT": "1"}
    return {**kept, **threads, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


def _check(told: bytes) -> None:
    """Read how the child ended: nothing when the nursery itself is gone."""
    if not told:
        raise ParserLost("the process that reads files has ended")
    word, _, number = told.decode().partition(" ")
    code = os.waitstatus_to_exitcode(int(number))
    if word == "late":
        raise ParserCrashed("it took too long")
    if code == -signal.SIGXCPU:
        raise ParserCrashed("it used too much processor time", is_limit=True)
    if code != 0:
        how = f"by {signal.Signals(-code).name}" if code < 0 else f"with code {code}"
        raise ParserCrashed(f"its process ended {how}")
