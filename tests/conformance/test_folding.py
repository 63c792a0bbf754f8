"""Old statistics are kept in coarser spans, then not at all; totals never change by it."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from leasehold.model.statistics import Counted, Fact, bucket_of
from leasehold.statistics import Stats
from leasehold.store import open_store
from tests.conformance.kit import enqueue_one, new_jobs, pass_time

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

MINUTE, HOUR, DAY = 60.0, 3_600.0, 86_400.0
DONE = Fact.SUCCEEDED.value


@pytest.fixture
def stats(store: Store) -> Stats:
    return Stats(lambda: store)


def seen(count: int = 1, kind: str = "greet") -> Counted:
    return Counted(queue="default", kind=kind, fact=DONE, count=count)


def ran(seconds: float) -> Counted:
    return Counted(
        queue="default", kind="greet", fact="ran", bucket=bucket_of(seconds), seconds=seconds
    )


def fold(store: Store, limit: int = 1_000) -> int:
    """Fold all that is due; returns how many rows were taken."""
    whole = 0
    while taken := store.fold_statistics(limit=limit):
        whole += taken
    return whole


def spans(tables: Tables, name: str = "statistic") -> list[int]:
    return sorted({int(row["span"]) for row in tables.rows(name)})


def total(stats: Stats) -> int:
    return sum(each.count for each in stats.totals() if each.fact == DONE)


def test_what_is_young_stays_as_it_is(store: Store, tables: Tables) -> None:
    store.add_statistics([seen()])
    pass_time(store, 15 * MINUTE - 10)
    assert fold(store) == 0
    assert spans(tables) == [10]


def test_counts_go_from_span_to_span_and_totals_stay(
    store: Store, tables: Tables, stats: Stats
) -> None:
    for _ in range(5):
        store.add_statistics([seen(2), seen(1, "other"), ran(1.5)])
        pass_time(store, 30)
    before = stats.totals()
    for age, expected in (
        (20 * MINUTE, [0, 60, 300, 3600]),
        (2 * HOUR, [0, 300, 3600]),
        (26 * HOUR, [0, 3600]),
        (8 * DAY, [0]),
    ):
        pass_time(store, age)
        assert fold(store) > 0
        assert spans(tables) == expected
        assert stats.totals() == before
    assert fold(store) == 0


def test_a_folded_count_is_in_each_window_once(store: Store, stats: Stats) -> None:
    store.add_statistics([seen(3), ran(1.5)])
    pass_time(store, 2 * HOUR)
    store.add_statistics([seen(4)])
    for _ in range(2):
        for window in ("24h", "3h", "7d"):
            assert stats.overview(window).activity.counts[DONE] == 7
            assert sum(point.counts[DONE] for point in stats.series(window)) == 7
        for window in ("1h", "10m"):
            assert stats.overview(window).activity.counts[DONE] == 4
            assert sum(point.counts[DONE] for point in stats.series(window)) == 4
        fold(store)


def test_a_window_of_an_hour_is_never_folded_in_part(store: Store, stats: Stats) -> None:
    for _ in range(80):
        store.add_statistics([seen()])
        pass_time(store, 60)
        fold(store)
    counts = [point.counts[DONE] for point in stats.series("1h")]
    assert max(counts) == 1
    assert sum(counts) in {59, 60, 61}
    assert total(stats) == 80


def test_what_is_added_to_an_old_span_after_its_fold_is_not_lost(
    store: Store, tables: Tables, stats: Stats
) -> None:
    store.add_statistics([seen(1)])
    pass_time(store, 2 * HOUR)
    fold(store)
    pass_time(store, -2 * HOUR)
    store.add_statistics([seen(10)])  # as by a worker that waited for long
    pass_time(store, 2 * HOUR)
    assert total(stats) == 11
    assert fold(store) > 0
    assert total(stats) == 11
    (coarse,) = (row for row in tables.rows("statistic") if row["span"] == 300)
    assert coarse["count"] == 11


def test_a_step_takes_no_more_than_it_may(store: Store, tables: Tables, stats: Stats) -> None:
    store.add_statistics([seen(1, f"kind {number}") for number in range(7)])
    pass_time(store, 2 * HOUR)
    assert store.fold_statistics(limit=3) == 3
    assert total(stats) == 7
    assert sum(point.counts[DONE] for point in stats.series("24h")) == 7
    fold(store, limit=3)
    assert total(stats) == 7
    assert spans(tables) == [0, 300, 3600]


def test_samples_become_the_greatest_numbers_of_their_span(store: Store, tables: Tables) -> None:
    pass_time(store, -(store.moment().timestamp() % 300))  # at the beginning of a span
    store.enqueue(new_jobs(3))
    for number in range(4):
        store.sample_depths()
        enqueue_one(store, queue=f"q{number}")
        pass_time(store, 20)
    pass_time(store, 2 * HOUR)
    fold(store)
    assert spans(tables, "depth") == [300, 3600]
    depths = {row["queue"]: row for row in tables.rows("depth") if row["span"] == 300}
    assert depths["default"]["ready"] == 3
    assert depths["default"]["oldest_seconds"] == pytest.approx(60, abs=10)
    pass_time(store, 26 * HOUR)
    fold(store)
    assert spans(tables, "depth") == [3600]
    pass_time(store, 8 * DAY)
    fold(store)
    assert tables.rows("depth") == []


def test_a_sum_begins_where_its_window_does(store: Store, stats: Stats) -> None:
    for _ in range(30):
        store.add_statistics([seen()])
        pass_time(store, 10 * MINUTE)
    fold(store)
    for hours in range(2, 6):
        found = stats.overview(f"{hours}h").activity.counts[DONE]
        assert found in {6 * hours - 1, 6 * hours}, "to five minutes"


def test_nobody_sees_a_count_twice_or_not_at_all_while_it_is_folded(
    store: Store, store_url: str
) -> None:
    for number in range(40):
        store.add_statistics([seen(1, f"kind {each}") for each in range(20)])
        pass_time(store, 10 + number % 3)
    pass_time(store, HOUR)
    seen_totals: set[int] = set()
    is_over = threading.Event()

    def look() -> None:
        with contextlib.closing(open_store(store_url)) as other:
            other.skew_seconds = store.skew_seconds
            stats = Stats(lambda: other)
            while not is_over.is_set():
                seen_totals.add(total(stats))
                counts = (point.counts[DONE] for point in stats.series("24h"))
                seen_totals.add(sum(counts))

    looker = threading.Thread(target=look)
    looker.start()
    try:
        assert fold(store, limit=7) > 0
    finally:
        is_over.set()
        looker.join()
    assert seen_totals <= {800}


def test_two_who_fold_at_once_do_not_get_in_each_others_way(store: Store, store_url: str) -> None:
    for _ in range(20):
        store.add_statistics([seen(1, f"kind {each}") for each in range(20)])
        pass_time(store, 10)
    pass_time(store, 2 * HOUR)

    def fold_too(_number: int) -> int:
        with contextlib.closing(open_store(store_url)) as other:
            other.skew_seconds = store.skew_seconds
            return fold(other, limit=5)

    with ThreadPoolExecutor(3) as threads:
        assert sum(threads.map(fold_too, range(3))) >= 400
    fold(store)
    assert total(Stats(lambda: store)) == 400
