"""Processes that are forked from one that has imported what workers need: that is most of a start.

They are as real as any other: each has a session, an environment and a database connection of its
own, and may be killed at any time.
"""

from __future__ import annotations

import os
import runpy
import subprocess
import sys
from multiprocessing import get_context
from multiprocessing.reduction import DupFd
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from signal import Signals
    from typing import IO

EXIT_SECONDS = 30.0
_CONTEXT = get_context("forkserver")
_CONTEXT.set_forkserver_preload(
    [
        *("leasehold.worker", "leasehold.store.postgres.store", "leasehold.store.sqlite.store"),
        *("tests.faults.tasks", "leasehold_documents.tasks"),
    ]
)


class Forked:
    """`python -m MODULE WORDS…`, whose output may go to a file; what is needed of Popen."""

    def __init__(self, module: str, *words: str, output: IO[bytes] | None = None) -> None:
        file = None if output is None else output.fileno()
        program = _Program(module, words, dict(os.environ), file)
        self._process = _CONTEXT.Process(target=program)
        self._process.start()

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    def poll(self) -> int | None:
        """Return its exit code, negative when a signal ended it; None while it lives."""
        return self._process.exitcode

    def wait(self, seconds: float = EXIT_SECONDS) -> int:
        self._process.join(seconds)
        code = self.poll()
        if code is None:
            raise subprocess.TimeoutExpired(str(self._process), seconds)
        return code

    def send_signal(self, number: Signals) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    def terminate(self) -> None:
        self._process.terminate()


class _Program:
    """What the new process does first; an open file is sent along with it."""

    def __init__(
        self, module: str, words: tuple[str, ...], environment: dict[str, str], file: int | None
    ) -> None:
        self._told = (module, words, environment)
        self._file = file

    def __reduce__(self) -> tuple[Any, ...]:
        return _receive, (*self._told, None if self._file is None else DupFd(self._file))

    def __call__(self) -> None:
        module, words, environment = self._told
        os.setsid()  # a Ctrl-C is for the campaign, which then ends them
        if self._file is not None:
            os.dup2(self._file, sys.stdout.fileno())
            os.dup2(self._file, sys.stderr.fileno())
        os.environ.clear()
        os.environ.update(environment)
        sys.argv[1:] = words
        runpy.run_module(module, run_name="__main__", alter_sys=True)


def _receive(
    module: str, words: tuple[str, ...], environment: dict[str, str], file: Any
) -> _Program:
    return _Program(module, words, environment, None if file is None else file.detach())
