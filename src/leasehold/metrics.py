"""Prometheus metrics of the workers in this process. Needs the extra `metrics`.

    metrics = leasehold.metrics.Metrics()
    worker = lh.Worker(client, tasks, observers=[metrics])
    with leasehold.metrics.served(metrics, port=9187):
        worker.run()

Labels are queues and kinds that the workers know: there are as many series as the code has tasks.
"""

from __future__ import annotations

import threading
from collections import Counter as CountOf
from contextlib import contextmanager
from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.worker.observing import Observer, Run, Watched

try:
    from prometheus_client import CollectorRegistry, Counter, Histogram, start_http_server
    from prometheus_client.core import GaugeMetricFamily
except ImportError as error:
    raise ImportError("metrics need the extra: pip install 'leasehold[metrics]'") from error

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from prometheus_client import Metric

    from leasehold.worker.report import Report

LOOPBACK = "127.0.0.1"
PREFIX = "leasehold_worker_"
_JOBS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000)
_LAGS = (0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
_CLAIMS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0)
_RUNS = (0.005, 0.025, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0, 3600.0)


class Metrics(Observer):
    """Counts what its workers do. In a registry of its own, unless one is given."""

    def __init__(self, registry: CollectorRegistry | None = None) -> None:
        self.registry = CollectorRegistry() if registry is None else registry
        self._gauges = WorkerGauges()
        self.registry.register(self._gauges)
        self._claim_jobs = self._histogram("claim_jobs", "Jobs that a claim brought.", _JOBS)
        self._claim_seconds = self._histogram(
            "claim_seconds", "How long a claim took that brought jobs.", _CLAIMS
        )
        self._attempts = self._counter(
            "attempts", "Attempts that ended, by what they came to.", "queue", "kind", "outcome"
        )
        self._seconds = self._histogram(
            "attempt_seconds", "How long handlers ran.", _RUNS, "queue", "kind"
        )
        self._losses = self._counter("lease_losses", "Leases that were lost.")
        self._reclaimed = self._counter(
            "leases_reclaimed", "Lapsed leases, of any worker, that were taken back here."
        )
        self._reclaimed_dead = self._counter("reclaimed_dead", "Jobs that died of a lapsed lease.")
        self._abandoned = self._counter("handlers_abandoned", "Handlers that did not stop.")
        self._lag = self._histogram(
            "loop_lag_seconds", "How much too late the event loop came to a timer.", _LAGS
        )

    def _counter(self, name: str, text: str, *labels: str) -> Counter:
        return Counter(PREFIX + name, text, labels, registry=self.registry)

    def _histogram(self, name: str, text: str, buckets: Sequence[float], *labels: str) -> Histogram:
        return Histogram(PREFIX + name, text, labels, buckets=buckets, registry=self.registry)

    def opened(self, worker: Watched) -> None:
        self._gauges.add(worker)

    def closed(self, worker: Watched, report: Report) -> None:  # noqa: ARG002 - an observer's
        self._gauges.remove(worker)

    def claimed(self, count: int, seconds: float) -> None:
        self._claim_jobs.observe(count)
        self._claim_seconds.observe(seconds)

    def ended_together(self, runs: Sequence[Run]) -> None:
        counts = CountOf([(run.queue, run.kind, run.outcome or "") for run in runs])
        for labels, count in counts.items():
            self._attempts.labels(*labels).inc(count)
        alike = {labels[:2] for labels in counts}
        observe = {labels: self._seconds.labels(*labels).observe for labels in alike}
        for run in runs:
            if run.seconds is not None:
                observe[run.queue, run.kind](run.seconds)

    def lease_lost(self, run: Run) -> None:  # noqa: ARG002 - an observer's
        self._losses.inc()

    def reclaimed(self, count: int, dead: int) -> None:
        self._reclaimed.inc(count)
        self._reclaimed_dead.inc(dead)

    def abandoned(self, run: Run) -> None:  # noqa: ARG002 - an observer's
        self._abandoned.inc()

    def loop_lagged(self, seconds: float) -> None:
        self._lag.observe(seconds)


class WorkerGauges:
    """What is read off the workers at each scrape."""

    def __init__(self) -> None:
        self._workers: list[Watched] = []
        self._lock = threading.Lock()

    def add(self, worker: Watched) -> None:
        with self._lock:
            self._workers.append(worker)

    def remove(self, worker: Watched) -> None:
        with self._lock:
            self._workers.remove(worker)

    def collect(self) -> Iterable[Metric]:
        with self._lock:
            workers = list(self._workers)
        slots = sum(each.slots for each in workers)
        running = sum(each.running() for each in workers)
        yield GaugeMetricFamily(PREFIX + "slots", "Handlers at once, at most.", slots)
        yield GaugeMetricFamily(PREFIX + "running", "Handlers that run now.", running)
        yield _pool(workers)

    def describe(self) -> Iterable[Metric]:
        """Name nothing beforehand: so registering asks no worker."""
        return []


def _pool(workers: Sequence[Watched]) -> Metric:
    """Count the shared connections; workers of one client share them."""
    family = GaugeMetricFamily(
        PREFIX + "pool_connections", "Shared database connections.", labels=["state"]
    )
    counts = [count() for count in {each.connections for each in workers}]
    family.add_metric(["in_use"], sum(each.in_use for each in counts))
    family.add_metric(["idle"], sum(each.idle for each in counts))
    return family


@contextmanager
def served(metrics: Metrics, *, port: int, host: str = LOOPBACK) -> Iterator[int]:
    """Answer scrapes over HTTP meanwhile; yields the port, which is a free one for port 0."""
    try:
        server, thread = start_http_server(port, addr=host, registry=metrics.registry)
    except OSError as error:
        raise BadOption(f"can't serve metrics at {host}:{port}: {error}") from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
