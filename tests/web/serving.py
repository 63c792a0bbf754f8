"""The real program, served by a process of its own on a port of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

START_SECONDS = 60.0


class Served:
    """A running `leasehold serve`."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, process.communicate(timeout=START_SECONDS)[1]
        self.told: dict[str, Any] = json.loads(line)
        self.address: str = self.told["address"]
        self.http = httpx.Client(base_url=self.address, timeout=30)

    def end(self, number: int = signal.SIGTERM) -> tuple[int, float, str]:
        """Send the signal; returns the exit code, how long it took, and what it logged."""
        asked_at = time.monotonic()
        self.process.send_signal(number)
        _, log = self.process.communicate(timeout=START_SECONDS)
        return self.process.returncode, time.monotonic() - asked_at, log


@contextmanager
def served(url: str, *words: str, folder: Path | None = None, port: int = 0) -> Iterator[Served]:
    """Serve until the end of the block, or until it is told to end."""
    kept = {key: value for key, value in os.environ.items() if key != "LEASEHOLD_URL"}
    command = [sys.executable, "-m", "leasehold.cli", "serve", *words]
    process = subprocess.Popen(
        [*command, "--url", url, "--port", str(port), "--json", "--no-apps"],
        cwd=folder,
        env=kept | {"PYTHONPATH": os.pathsep.join(sys.path)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    with process:
        try:
            running = Served(process)
            with running.http:
                yield running
        finally:
            if process.poll() is None:
                process.kill()
