"""The real program, served by a process of its own on a port of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_SECONDS = 60.0


class Served:
    """A running `leasehold serve`."""

    def __init__(self, process: subprocess.Popen[str], log: IO[str]) -> None:
        self.process = process
        self._log = log
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, self.read_log()
        self.told: dict[str, Any] = json.loads(line)
        self.address: str = self.told["address"]
        self.http = httpx.Client(base_url=self.address, timeout=30)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float, str]:
        """Send the signal; returns the exit code, how long it took, and what it logged."""
        asked_at = time.monotonic()
        self.process.send_signal(number)
        self.process.wait(timeout=START_SECONDS)
        return self.process.returncode, time.monotonic() - asked_at, self.read_log()

    def read_log(self) -> str:
        """Return what it has logged so far."""
        self._log.seek(0)
        return self._log.read()


@contextmanager
def served(
    url: str,
    *words: str,
    folder: Path | None = None,
    port: int = 0,
    program: tuple[str, ...] = ("leasehold.cli", "serve", "--no-apps"),
) -> Iterator[Served]:
    """Serve until the end of the block, or until it is told to end."""
    kept = {key: value for key, value in os.environ.items() if key != "LEASEHOLD_URL"}
    command = [sys.executable, "-m", *program, *words]
    # A file, not a pipe: nobody reads it meanwhile, and a full pipe would stop the service.
    log = tempfile.TemporaryFile("w+")  # noqa: SIM115 - closed below
    process = subprocess.Popen(
        [*command, "--url", url, "--port", str(port), "--json"],
        cwd=folder,
        env=kept | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=log,
        text=True,
    )
    with log, process:
        try:
            running = Served(process, log)
            with running.http:
                yield running
        finally:
            if process.poll() is None:
                process.kill()
