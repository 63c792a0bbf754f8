"""What was counted is added up by time, queue, kind and fact, and is never lost by a later fold."""

from __future__ import annotations

import contextlib
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from leasehold.errors import BadOption
from leasehold.model.statistics import FACTS, Counted, Fact, bucket_of
from leasehold.statistics import Stats
from leasehold.store import open_store
from tests.conformance.kit import pass_time

if TYPE_CHECKING:
    from leasehold.store.base import Store

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
DONE, DEAD = Fact.SUCCEEDED.value, Fact.DEAD.value


@pytest.fixture
def stats(store: Store) -> Stats:
    return Stats(lambda: store)


def seen(fact: str, count: int = 1, *, queue: str = "default", kind: str = "greet") -> Counted:
    return Counted(queue=queue, kind=kind, fact=fact, count=count)


def ran(seconds: float, count: int = 1, *, kind: str = "greet") -> Counted:
    return Counted(
        queue="default",
        kind=kind,
        fact=Fact.RAN.value,
        bucket=bucket_of(seconds),
        count=count,
        seconds=seconds * count,
    )


def test_a_new_store_has_counted_nothing(stats: Stats) -> None:
    found = stats.overview()
    assert found.activity.counts == dict.fromkeys(FACTS, 0)
    assert found.activity.failure_rate is None
    assert found.average_seconds is None
    assert (found.in_queue, found.running, found.workers, found.failed_24h) == (0, 0, 0, 0)
    assert stats.totals() == []
    assert stats.failures() == []


def test_what_several_workers_count_in_one_span_is_added_up(store: Store, stats: Stats) -> None:
    store.add_statistics([seen(DONE, 2), seen(DONE, 3), seen(DEAD), ran(1.5, 5)])
    store.add_statistics([seen(DONE, 5), ran(1.75)])
    store.add_statistics([])
    found = stats.overview().activity
    assert (found.counts[DONE], found.counts[DEAD]) == (10, 1)
    assert found.per_second == pytest.approx(10 / HOUR)
    assert found.failure_rate == pytest.approx(1 / 11)
    assert found.ran.count == 6
    assert found.ran.average_seconds == pytest.approx((5 * 1.5 + 1.75) / 6)


def test_queues_and_kinds_are_told_apart_the_busiest_kind_first(store: Store, stats: Stats) -> None:
    store.add_statistics(
        [
            seen(DONE, queue="mail", kind="send"),
            seen(DONE, 5, queue="mail", kind="bounce"),
            seen(DEAD, 2, queue="slow", kind="send"),
        ]
    )
    found = stats.overview()
    assert [(each.queue, each.counts[DONE], each.counts[DEAD]) for each in found.by_queue] == [
        ("mail", 6, 0),
        ("slow", 0, 2),
    ]
    kinds = [(each.queue, each.kind, each.per_second) for each in found.by_kind]
    assert kinds == [
        ("mail", "bounce", 5 / HOUR),
        ("slow", "send", 0.0),
        ("mail", "send", 1 / HOUR),
    ]
    assert found.failed_24h == 2


def test_a_window_shows_what_was_counted_in_it_only(store: Store, stats: Stats) -> None:
    store.add_statistics([seen(DEAD)])
    pass_time(store, 10 * MINUTE)
    store.add_statistics([seen(DEAD, 2)])
    assert stats.overview("5m").activity.counts[DEAD] == 2
    assert stats.overview("15m").activity.counts[DEAD] == 3
    assert stats.overview("5m").failed_24h == 3
    pass_time(store, DAY)
    assert stats.overview("7d").failed_24h == 0
    assert stats.overview("7d").activity.counts[DEAD] == 3


def test_a_series_has_a_point_for_each_step_up_to_now(store: Store, stats: Stats) -> None:
    store.add_statistics([seen(DONE, 4), ran(0.75, 4)])
    pass_time(store, MINUTE)
    store.add_statistics([seen(DONE, 1), seen(DEAD)])
    points = stats.series("5m")
    assert len(points) == 30
    assert {(later.at - point.at) for point, later in pairwise(points)} == {timedelta(seconds=10)}
    assert [point.counts[DONE] for point in points if any(point.counts.values())] == [4, 1]
    assert points[-1].counts[DEAD] == 1
    (busy,) = (point for point in points if point.counts[DONE] == 4)
    assert busy.ran.average_seconds == pytest.approx(0.75)
    assert points[-1].at <= store.moment() < points[-1].at + timedelta(seconds=10)


def test_a_series_can_be_of_one_queue_or_kind(store: Store, stats: Stats) -> None:
    store.add_statistics(
        [seen(DONE, 1, queue="a", kind="x"), seen(DONE, 2, queue="a"), seen(DONE, 4, kind="x")]
    )
    assert sum(point.counts[DONE] for point in stats.series()) == 7
    assert sum(point.counts[DONE] for point in stats.series(queue="a")) == 3
    assert sum(point.counts[DONE] for point in stats.series(kind="x")) == 5
    assert sum(point.counts[DONE] for point in stats.series(queue="a", kind="x")) == 1


@pytest.mark.parametrize(
    ("window", "points"), [("15m", 90), ("1h", 60), ("2h", 24), ("24h", 288), ("7d", 168)]
)
def test_a_series_is_never_longer_than_a_screen_is_wide(
    stats: Stats, window: str, points: int
) -> None:
    assert len(stats.series(window)) == points


@pytest.mark.parametrize("window", ["5s", "8d", "soon", 0])
def test_a_window_that_nothing_is_kept_for_is_refused(stats: Stats, window: str | float) -> None:
    with pytest.raises(BadOption, match="window"):
        stats.overview(window)
    with pytest.raises(BadOption, match="window"):
        stats.series(window)


def test_totals_bring_the_buckets_of_run_times_together(store: Store, stats: Stats) -> None:
    store.add_statistics([seen(DONE, 3), ran(1.5, 2), ran(3.0), seen(DONE, kind="other")])
    pass_time(store, MINUTE)
    store.add_statistics([seen(DONE, 2), ran(3.0)])
    totals = {(each.kind, each.fact): each for each in stats.totals()}
    assert totals["greet", DONE].count == 5
    assert totals["other", DONE].count == 1
    times = totals["greet", "ran"]
    assert times.seconds == pytest.approx(9.0)
    assert (times.count, times.buckets) == (4, {1: 2, 2: 2})


def test_many_who_write_the_same_kinds_down_at_once_lose_nothing(
    store: Store, store_url: str, stats: Stats
) -> None:
    kinds = [f"kind {number}" for number in range(40)]

    def write(number: int) -> None:
        chance = random.Random(number)
        with contextlib.closing(open_store(store_url)) as own:
            for _ in range(25):
                chosen = chance.sample(kinds, 20)  # each in an order of its own
                own.add_statistics([seen(DONE, kind=kind) for kind in chosen])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(write, range(4)))
    assert sum(each.count for each in stats.totals()) == 4 * 25 * 20
