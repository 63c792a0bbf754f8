"""Watches one drain, from the go to the moment at which so many jobs are complete."""

from __future__ import annotations

import time
from dataclasses import dataclass

from bench.peers.machine import cpu_seconds
from bench.peers.places import Ledger
from bench.peers.probe import ProbeReader
from bench.peers.processes import PeerFailedError, Workers

DRAIN_SECONDS = 150
LOOK_SECONDS = 0.003
# Node writes its count by a timer.
LAST_COUNT_SECONDS = 0.3


@dataclass(frozen=True, slots=True, kw_only=True)
class Drain:
    """`jobs` are to be completed, out of those `waiting`."""

    jobs: int
    waiting: int
    probe: ProbeReader
    ledger: Ledger
    workers: Workers

    def run(self) -> dict[str, float]:
        wal, cpu = self.ledger.wal_bytes(), self._worker_cpu()
        self.probe.go()
        started = time.monotonic()
        self._await_handlers(started + DRAIN_SECONDS)
        ended, complete = self._await_ledger(started + DRAIN_SECONDS)
        figures = {
            "jobs_per_second": complete / (ended - started),
            "worker_cpu_us_per_job": (self._worker_cpu() - cpu) / complete * 1e6,
        }
        return figures | (self._exact_figures(wal) if self.waiting == self.jobs else {})

    def _await_handlers(self, deadline: float) -> None:
        while self.probe.handler_runs() < self.jobs:
            self.workers.check_alive()
            self._give_up_after(deadline)
            time.sleep(LOOK_SECONDS)

    def _await_ledger(self, deadline: float) -> tuple[float, int]:
        """Return the moment, and how many jobs were complete then.

        The moment is taken before the question: a count shows the table as it was when it began.
        """
        while True:
            asked = time.monotonic()
            complete = self.waiting - self.ledger.unfinished()
            if complete >= self.jobs:
                return asked, complete
            self._give_up_after(deadline)
            time.sleep(LOOK_SECONDS)

    def _exact_figures(self, wal: int | None) -> dict[str, float]:
        """Return what can be told only of a drain that left nothing behind."""
        time.sleep(LAST_COUNT_SECONDS)
        runs = {"handler_runs_per_job": self.probe.handler_runs() / self.jobs}
        now = self.ledger.wal_bytes()
        if wal is None or now is None:
            return runs
        return runs | {"wal_bytes_per_job": (now - wal) / self.jobs}

    def _worker_cpu(self) -> float:
        return sum(cpu_seconds(process.pid) for process in self.workers.processes)

    def _give_up_after(self, deadline: float) -> None:
        if time.monotonic() > deadline:
            raise PeerFailedError(
                f"not complete after {DRAIN_SECONDS} s: {self.waiting} waited,"
                f" {self.probe.handler_runs()} runs, {self.ledger.unfinished()} not finished"
                f" {self.workers.said()}"
            )
