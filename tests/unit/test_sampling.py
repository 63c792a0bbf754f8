"""Sampling gives way: the longer counting takes, the more seldom it is done."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from leasehold.errors import StoreUnavailable
from leasehold.model.ids import WorkerId
from leasehold.upkeep.statistics import (
    DUTY_SECONDS,
    FOLD_SECONDS,
    LONGEST_REST_SECONDS,
    RENEW_SECONDS,
    SAMPLE_SECONDS,
    Sampler,
)

WORKER = WorkerId(1)


class Tables:
    """A store on which time passes; remembers when it was asked for what."""

    def __init__(self, *, count_seconds: float = 0.01, due_rows: int = 0) -> None:
        self.now = 0.0
        self.count_seconds = count_seconds
        self.due_rows = due_rows
        self.samples: list[float] = []
        self.folds: list[float] = []
        self.renewals: list[float] = []
        self.is_ours = True

    def sample_depths(self) -> None:
        self.samples.append(self.now)
        self.now += self.count_seconds

    def fold_statistics(self, *, limit: int) -> int:
        self.folds.append(self.now)
        taken = min(limit, self.due_rows)
        self.due_rows -= taken
        return taken

    def renew_duty(self, *_whose: Any, seconds: float, cursor: None) -> bool:
        assert cursor is None
        self.renewals.append(seconds)
        return self.is_ours


def go_on(tables: Tables, until: float) -> None:
    """Let a sampler with the duty go on until then, without waiting."""
    sampler = Sampler(tables, WORKER, clock=lambda: tables.now)  # type: ignore[arg-type]

    def wait(seconds: float) -> bool:
        tables.now += seconds
        return tables.now > until

    errand: Any = sampler._errand
    errand.rest = wait
    sampler.go_on()


def test_it_samples_every_ten_seconds_without_drifting() -> None:
    tables = Tables(count_seconds=0.1)
    go_on(tables, until=95)
    assert tables.samples == pytest.approx([number * SAMPLE_SECONDS for number in range(10)])


def test_a_count_that_takes_long_is_made_seldom() -> None:
    tables = Tables(count_seconds=2.0)
    go_on(tables, until=400)
    gaps = [later - sample for sample, later in pairwise(tables.samples)]
    assert min(gaps) >= 100.0
    tables = Tables(count_seconds=60.0)
    go_on(tables, until=3 * LONGEST_REST_SECONDS)
    assert len(tables.samples) >= 3, "but it is made"


def test_old_statistics_are_folded_part_by_part_and_then_left_alone() -> None:
    tables = Tables(due_rows=2_500)
    go_on(tables, until=FOLD_SECONDS - 1)
    assert tables.due_rows == 0
    assert len(tables.folds) == 4
    assert tables.folds[-1] < 1.0


def test_the_duty_is_renewed_in_time_and_left_to_others_at_the_end() -> None:
    tables = Tables(count_seconds=3.0)
    go_on(tables, until=3.5 * RENEW_SECONDS)
    assert tables.renewals == [DUTY_SECONDS] * 3 + [0.0]


def test_who_was_away_for_too_long_stops_when_another_one_took_over() -> None:
    tables = Tables()
    tables.is_ours = False
    go_on(tables, until=1_000)
    assert tables.renewals == [DUTY_SECONDS]
    assert tables.now < 2 * RENEW_SECONDS


def test_a_store_that_is_gone_ends_it_and_whoever_asks_next_goes_on() -> None:
    tables = Tables()

    def refuse() -> None:
        raise StoreUnavailable("gone")

    tables.sample_depths = refuse  # type: ignore[method-assign]
    sampler = Sampler(tables, WORKER, clock=lambda: tables.now)  # type: ignore[arg-type]
    sampler._errand._serve(sampler.go_on)
    assert tables.renewals == []
