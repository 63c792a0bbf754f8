"""The whole queue as Prometheus metrics, read from the store at each scrape, for all workers.

Any number of services over one store say the same, so scrape one of them, or take the maximum.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, NamedTuple

from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
)

from leasehold.errors import LeaseholdError
from leasehold.model.statistics import Fact

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from prometheus_client import Metric

    from leasehold.client import Client
    from leasehold.model.statistics import Overview, Total

PREFIX = "leasehold_"
STATES = ("ready", "blocked", "scheduled", "failed", "running", "parked")
OTHER = "(other)"
MOST_QUEUES = 200
MOST_KINDS = 500  # in their queues
FRESH_SECONDS = 2.0  # scrapes that come together are one look
_BOUNDS = range(-8, 13, 2)  # powers of two: 4 ms to 68 minutes


class Names:
    """Keeps label sets bounded: the first so many have their own, later ones are `(other)`.

    One that has its own keeps it, so that no counter ever goes back.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: set[tuple[str, ...]] = set()

    def of(self, *names: str) -> tuple[str, ...]:
        if names in self._known:
            return names
        if len(self._known) >= self._most:
            return (OTHER,) * len(names)
        self._known.add(names)
        return names


class Seen(NamedTuple):
    """One look at the store; None where it did not answer."""

    overview: Overview | None
    totals: Sequence[Total]
    firing: Sequence[tuple[str, str]]


class FleetCollector:
    """Safe to be asked by several scrapes at once."""

    def __init__(self, client: Client, clock: Callable[[], float] = time.monotonic) -> None:
        self._client = client
        self._clock = clock
        self._lock = threading.Lock()
        self._seen: Seen | None = None
        self._seen_at = 0.0
        self._queues = Names(MOST_QUEUES)
        self._kinds = Names(MOST_KINDS)

    def collect(self) -> Iterable[Metric]:
        with self._lock:
            seen = self._look()
            is_up = float(seen.overview is not None)
            families: list[Metric] = [_gauge("up", "Whether the store answered.", is_up)]
            if seen.overview is not None:
                families += self._of_queues(seen.overview)
                families += _of_fleet(seen.overview)
                families += self._of_kinds(seen.totals)
                families.append(_of_alerts(seen.firing))
        return families

    def _look(self) -> Seen:
        now = self._clock()
        if self._seen is None or now - self._seen_at > FRESH_SECONDS:
            self._seen, self._seen_at = look(self._client), now
        return self._seen

    def _of_queues(self, overview: Overview) -> list[Metric]:
        jobs = _gauge("jobs", "Live jobs, by where they stand.", labels=["queue", "state"])
        ages = _gauge(
            "oldest_ready_seconds", "How long the oldest ready job waits.", labels=["queue"]
        )
        counts: Counter[tuple[str, str]] = Counter()
        oldest: dict[str, float] = defaultdict(float)
        for each in overview.queues:
            (queue,) = self._queues.of(each.queue)
            for state in STATES:
                counts[queue, state] += getattr(each, state)
            oldest[queue] = max(oldest[queue], each.oldest_seconds or 0.0)
        for labels, count in counts.items():
            jobs.add_metric(list(labels), count)
        for queue, seconds in oldest.items():
            ages.add_metric([queue], seconds)
        return [jobs, ages]

    def _of_kinds(self, totals: Iterable[Total]) -> list[Metric]:
        facts: Counter[tuple[str, ...]] = Counter()
        ran: dict[tuple[str, ...], list[Total]] = defaultdict(list)
        for each in totals:
            names = self._kinds.of(each.queue, each.kind)
            if each.fact == Fact.RAN.value:
                ran[names].append(each)
            else:
                facts[(*names, each.fact)] += each.count
        outcomes = CounterMetricFamily(
            PREFIX + "outcomes",
            "What attempts came to, of all workers.",
            labels=["queue", "kind", "outcome"],
        )
        for labels, count in facts.items():
            outcomes.add_metric(list(labels), count)
        return [outcomes, _run_times(ran)]


def look(client: Client) -> Seen:
    try:
        firing = [(each.name, each.subject) for each in client.alerts.list(firing=True)]
        return Seen(client.stats.overview("1m"), client.stats.totals(), firing)
    except LeaseholdError:
        return Seen(None, (), ())


def _gauge(
    name: str, text: str, value: float | None = None, labels: Sequence[str] | None = None
) -> GaugeMetricFamily:
    return GaugeMetricFamily(PREFIX + name, text, value=value, labels=labels)


def _of_fleet(overview: Overview) -> list[Metric]:
    return [
        _gauge("workers", "Workers that were seen lately.", overview.workers),
        _gauge("slots", "Jobs that these can run at once.", overview.slots),
        _gauge("running", "Jobs that run now.", overview.running),
    ]


def _of_alerts(firing: Iterable[tuple[str, str]]) -> Metric:
    family = _gauge("alert_firing", "1 for each alert that fires.", labels=["name", "subject"])
    for name, subject in firing:
        family.add_metric([name, subject], 1)
    return family


def _run_times(ran: dict[tuple[str, ...], list[Total]]) -> Metric:
    family = HistogramMetricFamily(
        PREFIX + "run_seconds", "How long handlers ran, of all workers.", labels=["queue", "kind"]
    )
    for names, totals in ran.items():
        buckets: Counter[int] = Counter()
        for each in totals:
            buckets.update(each.buckets)
        family.add_metric(
            list(names), _cumulated(buckets), sum_value=sum(each.seconds for each in totals)
        )
    return family


def _cumulated(buckets: Counter[int]) -> list[tuple[str, float]]:
    """Add up powers of two to what is shown: so many ran no longer than so many seconds."""
    shown = [
        (str(2.0**bound), float(sum(n for bucket, n in buckets.items() if bucket <= bound)))
        for bound in _BOUNDS
    ]
    return [*shown, ("+Inf", float(buckets.total()))]
