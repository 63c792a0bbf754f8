"""Worker processes: made ready, released together, watched from outside, ended by SIGTERM."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import msgspec

from bench import probes

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from types import TracebackType
    from typing import Self

    from bench.crew import Crew

STOP_SECONDS = 60.0


class BenchFailed(Exception):
    """A run that does not count: a worker died or complained, or a job is missing."""


class Fleet:
    """The processes of one crew, from `with` until its end. Only its own are touched."""

    def __init__(self, url: str, crew: Crew, environment: Mapping[str, str] | None = None) -> None:
        orders = msgspec.json.encode(crew).decode()
        self._command = [sys.executable, "-m", "bench.work", url, orders]
        self._crew = crew
        self._environment = {**os.environ, **(environment or {})}
        self._processes: list[subprocess.Popen[str]] = []

    def __enter__(self) -> Self:
        self._processes = [self._launch() for _ in range(self._crew.processes)]
        self._expect("ready")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._processes:
            process.kill()
            process.communicate()

    def release(self) -> None:
        """Let all of them start, at once."""
        for process in self._processes:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()

    def await_started(self) -> None:
        """Wait for embedded workers, which say when all of them run."""
        self._expect("started")

    def cpu_seconds(self) -> float:
        return sum(probes.cpu_seconds(process.pid) for process in self._processes)

    def memory(self) -> probes.Memory:
        """Return the peak and the present of whichever process has most."""
        found = [probes.memory(process.pid) for process in self._processes]
        peaks, presents = zip(*found, strict=True)
        return probes.Memory(max(peaks), max(presents))

    def wait_until(
        self, is_reached: Callable[[], bool], *, look_seconds: float, most_seconds: float
    ) -> None:
        """Wait for a condition, as long as every worker lives."""
        give_up = time.monotonic() + most_seconds
        while not is_reached():
            for process in self._processes:
                if process.poll() is not None:
                    raise BenchFailed(f"a worker process ended too soon: {_last_words(process)}")
            if time.monotonic() > give_up:
                raise BenchFailed(f"not done after {most_seconds:.0f} s")
            time.sleep(look_seconds)

    def stop(self) -> None:
        """End them as a supervisor would, and refuse the run if one of them complained."""
        for process in self._processes:
            process.terminate()
        for process in self._processes:
            if process.wait(STOP_SECONDS) != 0:
                raise BenchFailed(f"a worker process ended badly: {_last_words(process)}")

    def _launch(self) -> subprocess.Popen[str]:
        return subprocess.Popen(
            self._command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self._environment,
        )

    def _expect(self, word: str) -> None:
        for process in self._processes:
            assert process.stdout is not None
            said = process.stdout.readline().rstrip()
            if said != word:
                raise BenchFailed(f"a worker process was never {word}: {said or 'it died'}")


def _last_words(process: subprocess.Popen[str]) -> str:
    assert process.stdout is not None
    return process.stdout.read().rstrip() or f"exit code {process.returncode}"
