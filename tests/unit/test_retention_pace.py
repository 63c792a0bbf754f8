"""Retention gives way: its steps are short, and it rests for much longer than it works."""

from __future__ import annotations

from typing import Any

import pytest

from leasehold.errors import BadOption
from leasehold.model.ids import WorkerId
from leasehold.model.keeping import (
    BUILT_IN,
    DAY_SECONDS,
    EVER_SECONDS,
    Duty,
    Keep,
    Pruned,
    Pruning,
    Retention,
    Scope,
    fold,
    read_keep,
    shortest_seconds,
)
from leasehold.upkeep.retention import (
    BUSY_SHARE,
    DUTY_SECONDS,
    LARGEST_STEP,
    LONGEST_PAUSE_SECONDS,
    PAUSE_SECONDS,
    SMALLEST_STEP,
    Pace,
)
from leasehold.upkeep.retention import Retention as Walker

DAY = DAY_SECONDS
WORKER = WorkerId(1)


def test_while_jobs_run_it_takes_a_twentieth_of_the_time() -> None:
    assert Pace().after(0.01, is_busy=True) == pytest.approx(0.01 / BUSY_SHARE - 0.01)
    assert Pace().after(0.01, is_busy=False) == pytest.approx(0.01)


def test_a_slow_step_is_followed_by_a_longer_rest_and_a_smaller_step() -> None:
    pace = Pace()
    rest = pace.after(0.2, is_busy=True)

    assert rest == pytest.approx(3.8)
    assert pace.limit == LARGEST_STEP // 2
    for _ in range(20):
        pace.after(1.0, is_busy=True)
    assert pace.limit == SMALLEST_STEP
    for _ in range(20):
        pace.after(0.001, is_busy=True)
    assert pace.limit == LARGEST_STEP


def test_a_walk_that_was_much_work_is_not_made_every_few_minutes() -> None:
    pace = Pace()
    assert pace.pause() == PAUSE_SECONDS
    pace.spent_seconds = 30.0
    assert pace.pause() == 30.0 / BUSY_SHARE
    pace.spent_seconds = 3_000.0
    assert pace.pause() == LONGEST_PAUSE_SECONDS


class Tables:
    """A store of two pages of jobs, one of batches and no keys; remembers what it was asked."""

    def __init__(self) -> None:
        self.asked: list[tuple[Pruning, str | None]] = []
        self.renewed: list[tuple[float, str | None]] = []
        self.is_ours = True
        self.on_step: Any = lambda: None

    def prune(self, what: Pruning, cursor: str | None, *, limit: int) -> Pruned:
        self.asked.append((what, cursor))
        self.on_step()
        pages = {(Pruning.JOBS, None): "7", (Pruning.JOBS, "7"): "9"}
        return Pruned(limit, 2, pages.get((what, cursor)))

    def renew_duty(
        self, _name: str, _worker: WorkerId, *, seconds: float, cursor: str | None
    ) -> bool:
        self.renewed.append((seconds, cursor))
        return self.is_ours


def make(tables: Any, clock: Any = lambda: 0.0) -> Walker:
    return Walker(tables, WORKER, clock=clock, is_busy=lambda: False)


def test_a_walk_goes_through_jobs_then_batches_then_keys_and_rests() -> None:
    tables = Tables()
    assert make(tables).walk(Duty("retention")) == 10

    assert [what for what, _ in tables.asked] == [Pruning.JOBS] * 3 + [
        Pruning.BATCHES,
        Pruning.KEYS,
    ]
    assert tables.renewed == [(PAUSE_SECONDS, None)]


def test_a_walk_begins_where_the_last_one_stood() -> None:
    tables = Tables()
    make(tables).walk(Duty("retention", "jobs 7"))
    assert tables.asked[0] == (Pruning.JOBS, "7")

    tables = Tables()
    make(tables).walk(Duty("retention", "keys "))
    assert tables.asked == [(Pruning.KEYS, None)]


def test_who_is_stopped_leaves_the_rest_to_the_next_one() -> None:
    tables = Tables()
    walker = make(tables)
    tables.on_step = lambda: walker.stop(0.0)
    walker.walk(Duty("retention"))

    assert tables.asked == [(Pruning.JOBS, None)]
    assert tables.renewed == [(0.0, "jobs 7")]


def test_who_was_away_for_too_long_stops_when_another_one_took_over() -> None:
    tables = Tables()
    tables.is_ours = False
    moments = iter(range(0, 10_000, 60))
    walker = make(tables, clock=lambda: float(next(moments)))
    errand: Any = walker._errand
    errand.rest = lambda _seconds: False  # rests take time

    walker.walk(Duty("retention"))

    assert tables.asked == [(Pruning.JOBS, None)]
    assert tables.renewed == [(DUTY_SECONDS, "jobs 7")]


def test_a_time_to_keep_is_a_duration_or_ever() -> None:
    assert read_keep("7d") == 7 * DAY
    assert read_keep("ever") == EVER_SECONDS
    assert read_keep(None) is None
    for wrong in ("always", "-1d", "", -5):
        with pytest.raises(BadOption):
            read_keep(wrong)


def test_who_keeps_succeeded_jobs_for_long_keeps_dead_ones_as_long() -> None:
    assert fold() == BUILT_IN
    assert fold(Keep(succeeded=3 * DAY)).dead == 30 * DAY
    assert fold(Keep(succeeded=90 * DAY)).dead == 90 * DAY
    assert fold(Keep(succeeded=90 * DAY, dead=DAY)).dead == DAY
    assert fold(None, Keep(dead=DAY), Keep(cancelled=2 * DAY)) == Keep(
        succeeded=7 * DAY, dead=DAY, cancelled=2 * DAY
    )


def test_nothing_younger_than_the_shortest_time_is_looked_at() -> None:
    assert shortest_seconds([]) == 7 * DAY
    common = Retention(scope=Scope.ALL, name="", keep=Keep(succeeded=EVER_SECONDS, dead=DAY))
    assert shortest_seconds([common]) == DAY
    short = Retention(scope=Scope.QUEUE, name="q", keep=Keep(cancelled=60.0))
    assert shortest_seconds([common, short]) == 60.0
