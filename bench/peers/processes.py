"""Runs a peer's adapter: commands that answer, and workers that wait for the go."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.peers.adapter import ANSWER
from bench.peers.catalogue import Peer
from bench.peers.probe import NOTES_STARTS_VARIABLE, PATH_VARIABLE, ProbeReader

HOME_VARIABLE = "LEASEHOLD_PEERS_HOME"
ROOT = Path(__file__).resolve().parents[2]
COMMAND_SECONDS = 300
READY_SECONDS = 30
STOP_SECONDS = 5
SHOWN_CHARACTERS = 1500


class PeerFailedError(Exception):
    """An adapter did not do what it was told; the message ends with what it said."""


@dataclass(frozen=True, slots=True)
class Workers:
    """Worker processes, each in a process group of its own, with one log."""

    processes: list[subprocess.Popen[bytes]]
    log: Path

    def await_ready(self, probe: ProbeReader) -> None:
        deadline = time.monotonic() + READY_SECONDS
        while probe.ready_workers() < len(self.processes):
            self.check_alive()
            if time.monotonic() > deadline:
                raise PeerFailedError(f"a worker did not get ready: {self.said()}")
            time.sleep(0.005)

    def check_alive(self) -> None:
        if any(process.poll() is not None for process in self.processes):
            raise PeerFailedError(f"a worker ended: {self.said()}")

    def stop(self) -> None:
        """End them and what they started."""
        for process in self.processes:
            signal_group(process, signal.SIGTERM)
        deadline = time.monotonic() + STOP_SECONDS
        for process in self.processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(max(0.0, deadline - time.monotonic()))
            signal_group(process, signal.SIGKILL)
            process.wait()

    def said(self) -> str:
        return self.log.read_text(errors="replace")[-SHOWN_CHARACTERS:]


@dataclass(frozen=True, slots=True, kw_only=True)
class Adapter:
    """One peer's adapter at one database."""

    peer: Peer
    url: str

    def ask(self, command: str, *numbers: int) -> Any:
        """Run a command to its end; returns its answer."""
        try:
            finished = subprocess.run(
                self._command(command, *numbers),
                env=self._environment(),
                cwd=ROOT,
                capture_output=True,
                text=True,
                timeout=COMMAND_SECONDS,
                check=False,
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PeerFailedError(f"{command}: {error}") from error
        answers = [line for line in finished.stdout.splitlines() if line.startswith(ANSWER)]
        if not answers:
            raise PeerFailedError(
                f"{command}: {(finished.stderr or finished.stdout)[-SHOWN_CHARACTERS:]}"
            )
        return json.loads(answers[-1].removeprefix(ANSWER))

    @contextmanager
    def workers(self, count: int, probe: ProbeReader, *, prompt: bool = False) -> Iterator[Workers]:
        """Start workers; yields when all that is left to do is to start working."""
        workers = Workers([], log=probe.path.with_suffix(".log"))
        try:
            for number in range(count):
                process = self._start(number, probe, workers.log, prompt=prompt)
                workers.processes.append(process)
            workers.await_ready(probe)
            yield workers
        finally:
            workers.stop()

    def _start(
        self, number: int, probe: ProbeReader, log: Path, *, prompt: bool
    ) -> subprocess.Popen[bytes]:
        with log.open("ab") as output:
            return subprocess.Popen(
                self._command("work", int(prompt)),
                env={
                    **self._environment(),
                    PATH_VARIABLE: str(probe.path),
                    NOTES_STARTS_VARIABLE: str(int(prompt)),
                    "BENCH_WORKER": str(number),
                },
                cwd=ROOT,
                stdout=output,
                stderr=output,
                start_new_session=True,
            )

    def _command(self, command: str, *numbers: int) -> list[str]:
        arguments = [command, *(str(number) for number in numbers)]
        if self.peer.language == "node":
            script = ROOT / "bench/peers/node" / f"{self.peer.adapter}_peer.js"
            return [self._node(), str(script), *arguments]
        return [self._python(), "-m", "bench.peers.adapter", self.peer.adapter, *arguments]

    def _python(self) -> str:
        folder = peers_home() / self.peer.environment
        return sys.executable if self.peer.is_ours else str(folder / "bin" / "python")

    def _node(self) -> str:
        """Return the Node that was installed with the peer, else the machine's."""
        own = peers_home() / self.peer.environment / "node_modules" / ".bin" / "node"
        return str(own) if own.exists() else "node"

    def _environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "BENCH_URL": self.url,
            "NODE_ENV": "production",
            "NODE_PATH": str(peers_home() / self.peer.environment / "node_modules"),
            "PYTHONDONTWRITEBYTECODE": "1",
        }


def peers_home() -> Path:
    return ROOT / (os.environ.get(HOME_VARIABLE) or "var/peers")


def is_installed(peer: Peer) -> bool:
    return peer.is_ours or (peers_home() / peer.environment).is_dir()


def signal_group(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)
