"""Failures that are alike are one group, with what became of their jobs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import BadOption
from leasehold.statistics import Stats
from tests.conformance.kit import (
    LATER_SECONDS,
    claim_one,
    lapse,
    pass_time,
    settle,
    start_many,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store


@pytest.fixture
def stats(store: Store) -> Stats:
    return Stats(lambda: store)


def end(store: Store, outcome: str, error: str) -> JobId:
    taken = start_one(store)
    delay = LATER_SECONDS if outcome == "failed" else None
    settle(store, taken, outcome, error=error, is_counted=True, delay_seconds=delay)
    return taken.job_id


def test_failures_that_differ_in_numbers_only_are_one_group(store: Store, stats: Stats) -> None:
    end(store, "dead", "ValueError: no row 17 in 0x7fe1")
    pass_time(store, 60)
    newest = end(store, "failed", "ValueError: no row 4,018 in 0x99")
    end(store, "dead", "KeyError: 'name'")
    first, other = stats.failures()
    assert (first.kind, first.error, first.message) == ("greet", "ValueError", "no row <n> in <id>")
    assert (first.count, first.dead, first.waiting) == (2, 1, 1)
    assert first.sample == newest
    assert first.sample_error == "ValueError: no row 4,018 in 0x99"
    assert (first.last_at - first.first_at).total_seconds() == pytest.approx(60, abs=5)
    assert (other.error, other.message, other.count) == ("KeyError", "'name'", 1)


def test_a_job_that_failed_several_times_waits_once(store: Store, stats: Stats) -> None:
    job_id = end(store, "failed", "Boom: 1")
    store.retry(job_id)
    taken = claim_one(store)
    settle(store, taken, "failed", error="Boom: 2", is_counted=True, delay_seconds=LATER_SECONDS)
    (group,) = stats.failures()
    assert (group.count, group.waiting, group.dead) == (2, 1, 0)


def test_a_dead_job_that_somebody_retried_is_not_dead_any_more(store: Store, stats: Stats) -> None:
    job_id = end(store, "dead", "Boom")
    assert stats.failures()[0].dead == 1
    store.retry(job_id)
    (group,) = stats.failures()
    assert (group.count, group.dead, group.waiting) == (1, 0, 1)
    taken = claim_one(store)
    (group,) = stats.failures()
    assert (group.dead, group.waiting) == (0, 0)
    settle(store, taken, "succeeded")
    (group,) = stats.failures()
    assert (group.count, group.dead, group.waiting) == (1, 0, 0)


def test_what_went_well_or_was_meant_so_is_no_failure(store: Store, stats: Stats) -> None:
    for outcome in ("succeeded", "cancelled", "snoozed", "released"):
        settle(store, start_one(store, queue=outcome), outcome)
    assert stats.failures() == []


def test_a_lapse_is_a_failure_too(store: Store, stats: Stats) -> None:
    start_one(store)
    lapse(store)
    (group,) = stats.failures()
    assert (group.error, group.count, group.waiting) == ("lapsed", 1, 1)


def test_only_what_failed_since_then_is_shown_however_old_its_job(
    store: Store, stats: Stats
) -> None:
    old = start_one(store, queue="old")
    end(store, "dead", "Early: 1")
    pass_time(store, 7_200)
    settle(store, old, "dead", error="Late: 1", is_counted=True)
    assert [group.error for group in stats.failures("1h")] == ["Late"]
    assert {group.error for group in stats.failures("3h")} == {"Early", "Late"}


def test_the_most_frequent_group_comes_first_and_the_list_is_bounded(
    store: Store, stats: Stats
) -> None:
    for taken in start_many(store, 3):
        settle(store, taken, "dead", error="Often", is_counted=True)
    end(store, "dead", "Seldom")
    assert [group.error for group in stats.failures()] == ["Often", "Seldom"]
    assert [group.error for group in stats.failures(limit=1)] == ["Often"]
    with pytest.raises(BadOption, match="limit"):
        stats.failures(limit=0)


def test_an_attempt_without_an_error_is_shown_all_the_same(store: Store, stats: Stats) -> None:
    settle(store, start_one(store), "dead", is_counted=True)
    (group,) = stats.failures()
    assert (group.error, group.count) == ("", 1)
