"""Samples say how deep the queues were, and how long the oldest ready job had waited."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.statistics import Depth
from leasehold.model.values import QueueCounts, WorkerInfo
from leasehold.statistics import Stats
from tests.conformance.kit import (
    HOST,
    WORKER,
    Place,
    bring,
    claim,
    enqueue_one,
    fail,
    new_jobs,
    pass_time,
    promote,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store

HOUR = 3_600.0


@pytest.fixture
def stats(store: Store) -> Stats:
    return Stats(lambda: store)


def oldest(store: Store, queue: str = "default") -> float | None:
    return next(each.oldest_seconds for each in store.count_depths() if each.queue == queue)


def test_depths_count_as_counts_does(store: Store) -> None:
    for place in Place:
        bring(store, place, queue=place.value)
    enqueue_one(store, queue="shared", lane="", share="a")
    counts = {each.queue: each for each in store.counts()}
    found = store.count_depths()
    assert {each.queue for each in found} == counts.keys()
    for each in found:
        values = {
            name: getattr(each, name) for name in QueueCounts.__struct_fields__ if name != "queue"
        }
        assert QueueCounts(queue=each.queue, **values) == counts[each.queue]


def test_the_oldest_ready_job_is_the_one_that_has_waited_longest(store: Store) -> None:
    store.enqueue(new_jobs(60, priority=5))
    pass_time(store, 40)
    enqueue_one(store, priority=-1)
    enqueue_one(store, queue="other", lane="", share="a")
    pass_time(store, 10)
    assert oldest(store) == pytest.approx(50, abs=5)
    assert oldest(store, "other") == pytest.approx(10, abs=5)


def test_a_job_has_waited_since_it_was_due_or_last_ran(store: Store) -> None:
    enqueue_one(store, queue="later", delay_seconds=HOUR)
    failed = start_one(store)
    pass_time(store, HOUR)
    fail(store, failed)
    pass_time(store, 20)
    assert promote(store) == 2
    assert oldest(store, "later") == pytest.approx(20, abs=5)
    assert oldest(store) == pytest.approx(20, abs=5)


def test_a_job_that_is_not_ready_is_not_the_oldest(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    enqueue_one(store, delay_seconds=HOUR)
    pass_time(store, 60)
    assert oldest(store) is None


def test_a_sample_is_what_is_read_until_the_next_one(store: Store) -> None:
    assert store.last_depths() == []
    store.enqueue(new_jobs(3))
    assert [each.ready for each in store.sample_depths()] == [3]
    enqueue_one(store)
    assert [each.ready for each in store.last_depths()] == [3]
    store.sample_depths()
    assert [each.ready for each in store.last_depths()] == [4]


def test_that_there_is_nothing_is_written_down_now_and_then(store: Store) -> None:
    moments = []
    for _ in range(31):
        assert store.sample_depths() == []
        moments += [each.at for each in store.last_depths()]
        pass_time(store, 10)
    assert len(set(moments)) == 2, "at first, and after five minutes"


def test_a_sample_of_too_many_queues_adds_the_shallow_ones_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.model.statistics.MOST_QUEUES", 2)
    for number in range(1, 5):
        store.enqueue(new_jobs(number, queue=f"q{number}"))
    assert len(store.sample_depths()) == 4
    sampled = {each.queue: each.ready for each in store.last_depths()}
    assert sampled == {"q4": 4, "q3": 3, "(other)": 3}


def test_a_queue_that_is_empty_now_is_written_down_once(store: Store) -> None:
    taken = start_one(store)
    store.sample_depths()
    settle(store, taken, "succeeded")
    pass_time(store, 10)
    assert store.sample_depths() == []
    (empty,) = store.last_depths()
    assert empty == Depth(at=empty.at, queue="default")
    pass_time(store, 10)
    store.sample_depths()
    assert store.last_depths() == [empty], "an idle queue costs nothing"


def test_the_overview_counts_while_there_are_few_jobs(store: Store, stats: Stats) -> None:
    store.enqueue(new_jobs(3))
    store.sample_depths()
    store.enqueue(new_jobs(2, queue="other"))
    assert stats.overview().in_queue == 5


def test_the_overview_counts_when_the_last_sample_is_old(
    store: Store, stats: Stats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.statistics.CHEAP_JOBS", 2)
    store.enqueue(new_jobs(3))
    store.sample_depths()
    store.enqueue(new_jobs(2, queue="other"))
    assert stats.overview().in_queue == 3
    pass_time(store, 45)
    found = stats.overview()
    assert found.in_queue == 5
    assert found.at - found.sampled_at < timedelta(seconds=30)
    assert found.depth.oldest_seconds == pytest.approx(45, abs=10)


def test_a_count_that_took_long_stands_for_a_while(
    store: Store, stats: Stats, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.statistics.DEAR_SECONDS", 0.0)
    monkeypatch.setattr("leasehold.statistics.DEAR_REST", 1e9)
    store.enqueue(new_jobs(3))
    assert stats.overview().in_queue == 3
    store.enqueue(new_jobs(2))
    assert stats.overview().in_queue == 3
    store.sample_depths()
    assert stats.overview().in_queue == 5, "what a worker counted is newer"


def test_what_waits_for_its_next_try_is_not_in_the_queue(store: Store, stats: Stats) -> None:
    for place in (Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED):
        bring(store, place, queue=place.value)
    for place in (Place.RUNNING, Place.FAILED, Place.DEAD):
        bring(store, place, queue=place.value)
    found = stats.overview()
    assert (found.in_queue, found.running, found.depth.failed) == (4, 1, 1)
    assert found.depth.waiting == 3


def test_the_overview_counts_workers_that_were_seen_lately(store: Store, stats: Stats) -> None:
    info = WorkerInfo(id=WORKER, name="w", queues=("a",), kinds=(), slots=8, version="1")
    store.register(info, [])
    found = stats.overview()
    assert (found.workers, found.slots) == (1, 8)
    pass_time(store, 600)
    found = stats.overview()
    assert (found.workers, found.slots) == (0, 0)


def test_a_series_shows_the_greatest_numbers_of_each_step(store: Store, stats: Stats) -> None:
    store.enqueue(new_jobs(3))
    store.enqueue(new_jobs(2, queue="other"))
    store.sample_depths()
    claim(store, limit=3)
    pass_time(store, 10)
    store.sample_depths()
    assert [(each.ready, each.running) for each in shown(stats)] == [(5, 0), (2, 3)]
    assert [each.ready for each in shown(stats, queue="other")] == [2, 2]
    assert [each.ready for each in shown(stats, queue="third")] == [0, 0]
    assert all(point.depth is None for point in stats.series("1m", kind="greet"))


def test_a_sample_stands_for_a_while_and_emptiness_for_longer(store: Store, stats: Stats) -> None:
    taken = start_one(store)
    store.sample_depths()
    pass_time(store, 120)
    store.sample_depths()
    settle(store, taken, "succeeded")
    pass_time(store, 10)
    store.sample_depths()
    pass_time(store, 240)
    assert [each.running for each in shown(stats)] == [1] * 7 + [1] + [0] * 25
    assert stats.series("10m")[-1].depth is not None


def shown(stats: Stats, queue: str | None = None) -> list[Depth]:
    points = stats.series("10m", queue=queue)
    return [point.depth for point in points if point.depth is not None]
