"""How the queue stands and what happened lately: `client.stats`."""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from leasehold.errors import BadOption
from leasehold.model.durations import Duration, seconds
from leasehold.model.facts import LIVING_SECONDS
from leasehold.model.failures import dead_of, group_failures
from leasehold.model.statistics import (
    DAY_SECONDS,
    FINE_SPAN,
    LONGEST_WINDOW_SECONDS,
    Activity,
    Counted,
    Depth,
    Fact,
    Histogram,
    Overview,
    Point,
    Slot,
    activity_of,
    counts_of,
    fill,
    ranges_for_sum,
    ranges_of,
    step_of,
    sum_depths,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from leasehold.model.failures import FailureGroup
    from leasehold.model.ids import JobId
    from leasehold.model.statistics import Range, Total
    from leasehold.model.values import WorkerInfo
    from leasehold.store.base import Store

CHEAP_JOBS = 5_000  # so many are counted at each look, to be seen at once
DEAR_SECONDS = 0.05  # a count that takes longer stands for a while …
DEAR_REST = 20  # … so many times as long
STALE_SECONDS = 30.0  # a sample that is older is not shown as the present
MOST_FAILURES = 10_000  # attempts looked at


class Stats:
    """What workers have counted, in all queues and for all tenants. Windows are a week at most."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store
        self._depths = Depths()

    def overview(self, window: Duration = "1h") -> Overview:
        """Say how it stands now, and what happened in the window before."""
        span, store = _window(window), self._store()
        now = store.moment()
        counted = store.statistics(_last(span, now))
        died = store.statistics(_last(DAY_SECONDS, now), facts=[Fact.DEAD.value])
        queues = self._depths.read(store, now)
        whole = activity_of(counted, span)
        depth = sum_depths(queues, now)
        alive = [each for each in store.workers() if _is_alive(each, now)]
        return Overview(
            at=now,
            sampled_at=max((each.at for each in queues), default=now),
            window_seconds=span,
            queues=queues,
            depth=depth,
            workers=len(alive),
            slots=sum(each.slots for each in alive),
            activity=whole,
            by_queue=_by_queue(counted, span),
            by_kind=_by_kind(counted, span),
            in_queue=depth.in_queue,
            failed_24h=sum(each.count for each in died),
            average_seconds=whole.ran.average_seconds,
        )

    def series(
        self, window: Duration = "1h", *, queue: str | None = None, kind: str | None = None
    ) -> list[Point]:
        """List what happened in even steps, the oldest first; the last one is not over yet.

        Up to 15 minutes in steps of 10 s, up to an hour of one minute, up to a day of 5, up to a
        week of an hour.
        """
        span, store = _window(window), self._store()
        step = step_of(span)
        last = int(store.moment().timestamp()) // step * step
        first = last - (max(1, round(span / step)) - 1) * step
        since = datetime.fromtimestamp(first, UTC)
        ranges = ranges_of(since, step)
        slots = store.statistic_series(ranges, step_seconds=step, queue=queue, kind=kind)
        depths: list[Depth] = []
        if kind is None:
            depths = store.depth_series(ranges, step_seconds=step, queue=queue)
        return _points(range(first, last + 1, step), step, slots, depths)

    def failures(self, since: Duration = "24h", *, limit: int = 50) -> list[FailureGroup]:
        """Group the newest 10,000 attempts that did not end well by what went wrong.

        The group that failed most often comes first.
        """
        if limit < 1:
            raise BadOption(f"limit: {limit!r} is not a positive number")
        store = self._store()
        begin = store.moment() - timedelta(seconds=seconds(since, name="since"))
        return group_failures(store.unhappy(since=begin, limit=MOST_FAILURES))[:limit]

    def dead_of(
        self, kind: str, error: str, message: str, *, since: Duration = "24h"
    ) -> list[JobId]:
        """Name the jobs of one group of `failures` that are dead now."""
        store = self._store()
        begin = store.moment() - timedelta(seconds=seconds(since, name="since"))
        return dead_of(store.unhappy(since=begin, limit=MOST_FAILURES), kind, error, message)

    def totals(self) -> list[Total]:
        """Say how often each fact was counted ever, by queue and kind; no number gets less."""
        return self._store().totals()


def _last(span: float, now: datetime) -> list[Range]:
    return ranges_for_sum(now - timedelta(seconds=span), span)


def _window(window: Duration) -> float:
    span = seconds(window, name="window")
    if not FINE_SPAN <= span <= LONGEST_WINDOW_SECONDS:
        raise BadOption(f"window: {window!r} is not between 10 seconds and 7 days")
    return span


class Depths:
    """How deep the queues are: counted while that is cheap, else as a worker has sampled it."""

    def __init__(self) -> None:
        self._counting = threading.Lock()
        self._counted: list[Depth] = []
        self._counts_until = float("-inf")  # on this process's clock

    def read(self, store: Store, now: datetime) -> list[Depth]:
        """Count, unless there are many jobs, or were, and a sample is not too old."""
        sampled = store.last_depths()
        is_fresh = bool(sampled) and (now - sampled[0].at).total_seconds() <= STALE_SECONDS
        if is_fresh and (_live(sampled) > CHEAP_JOBS or time.monotonic() < self._counts_until):
            return [each for each in sampled if each.queue]
        with self._counting:
            began = time.monotonic()
            if began >= self._counts_until:
                self._counted = store.count_depths()
                took = time.monotonic() - began
                rest = DEAR_REST * took if took >= DEAR_SECONDS else 0.0
                self._counts_until = time.monotonic() + rest
            return self._counted


def _live(depths: list[Depth]) -> int:
    return sum(each.in_queue + each.failed + each.running for each in depths)


def _is_alive(worker: WorkerInfo, now: datetime) -> bool:
    return worker.seen_at is not None and (now - worker.seen_at).total_seconds() <= LIVING_SECONDS


def _by_queue(counted: Iterable[Counted], span: float) -> list[Activity]:
    found: dict[str, list[Counted]] = defaultdict(list)
    for each in counted:
        found[each.queue].append(each)
    return [activity_of(found[queue], span, queue=queue) for queue in sorted(found)]


def _by_kind(counted: Iterable[Counted], span: float) -> list[Activity]:
    """Bring together what was counted of each kind of a queue, those with most attempts first."""
    found: dict[tuple[str, str], list[Counted]] = defaultdict(list)
    for each in counted:
        found[each.queue, each.kind].append(each)
    kinds = [
        activity_of(parts, span, queue=queue, kind=kind)
        for (queue, kind), parts in sorted(found.items())
    ]
    return sorted(kinds, key=lambda each: -sum(each.counts.values()))


def _points(
    moments: Sequence[int], step: int, slots: Iterable[Slot], depths: Sequence[Depth]
) -> list[Point]:
    facts: dict[int, dict[str, int]] = defaultdict(lambda: defaultdict(int))
    ran: dict[int, Histogram] = defaultdict(Histogram)
    for slot in slots:
        at = int(slot.at.timestamp())
        if slot.fact == Fact.RAN.value:
            ran[at].add(slot.bucket, slot.count, slot.seconds)
        else:
            facts[at][slot.fact] += slot.count
    at_each = [datetime.fromtimestamp(at, UTC) for at in moments]
    return [
        Point(
            at=moment,
            seconds=step,
            counts=counts_of(facts[at]),
            ran=ran[at].times(),
            depth=depth,
        )
        for at, moment, depth in zip(moments, at_each, fill(at_each, depths), strict=True)
    ]
