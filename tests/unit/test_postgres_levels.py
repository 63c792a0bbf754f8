"""Where a claim's scans start, and when they start from the head again; in virtual time."""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import pytest

from leasehold.model.ids import uuid7
from leasehold.model.values import Want
from leasehold.store.postgres.levels import (
    EMPTY_LEAST_SECONDS,
    HEAD_LEAST_SECONDS,
    HEAD_MOST_SECONDS,
    HEAD_SHARE,
    Found,
    Levels,
)

QUEUES = frozenset({"a", "b"})
WANTS = [Want("a", 5), Want("b", 7)]
MOMENT = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.fixture
def levels() -> Levels:
    """Levels found at second 100."""
    found = Levels()
    found.restart([Found("a", 0), Found("b", 3), Found("a", 9)], QUEUES, 100.0)
    return found


def test_a_new_worker_looks_from_the_head() -> None:
    assert not Levels().cover(QUEUES)
    assert Levels().scans(WANTS) == []


def test_scans_come_in_the_order_of_wants_and_of_priority(levels: Levels) -> None:
    scans = levels.scans([Want("b", 7), Want("a", 5)])
    assert [(scan["queue"], scan["priority"], scan["most"]) for scan in scans] == [
        ("b", 3, 7),
        ("a", 9, 5),
        ("a", 0, 5),
    ]


def test_queues_that_are_not_wanted_are_not_scanned(levels: Levels) -> None:
    assert [scan["queue"] for scan in levels.scans([Want("b", 1)])] == ["b"]


def test_a_scan_starts_after_the_last_row_taken_on_its_own_level(levels: Levels) -> None:
    job_id = uuid7(0, os.urandom(10))
    levels.advance("a", 9, MOMENT, job_id)
    scans = {(scan["queue"], scan["priority"]): scan for scan in levels.scans(WANTS)}
    assert (scans["a", 9]["created_at"], scans["a", 9]["job_id"]) == (MOMENT, job_id)
    assert scans["a", 0]["created_at"] < MOMENT - timedelta(days=10_000)


def test_a_restart_forgets_the_hints(levels: Levels) -> None:
    levels.advance("a", 9, MOMENT, uuid7(0, os.urandom(10)))
    levels.restart([Found("a", 9)], QUEUES, 101.0)
    assert levels.scans(WANTS)[0]["created_at"] < MOMENT


def test_a_queue_not_looked_at_before_needs_a_look_from_the_head(levels: Levels) -> None:
    assert levels.cover(frozenset({"a"}))
    assert not levels.cover(frozenset({"a", "new"}))


@pytest.mark.parametrize(
    ("cost", "wait"),
    [
        (0.0, HEAD_LEAST_SECONDS),
        (0.005, 0.005 * HEAD_SHARE),  # two percent of the time
        (10.0, HEAD_MOST_SECONDS),  # but nothing is hidden for longer than this
    ],
)
def test_looks_from_the_head_take_a_fiftieth_of_the_time(
    levels: Levels, cost: float, wait: float
) -> None:
    levels.note_head_cost(cost)
    assert not levels.is_head_due(100.0 + wait * 0.99)
    assert levels.is_head_due(100.0 + wait * 1.01)


def test_an_empty_scan_is_followed_by_one_from_the_head_almost_at_once(levels: Levels) -> None:
    levels.note_head_cost(0.001)
    assert not levels.is_second_look_due(100.0)
    assert levels.is_second_look_due(100.0 + EMPTY_LEAST_SECONDS * 1.01)


def test_a_dear_look_from_the_head_is_not_repeated_at_once(levels: Levels) -> None:
    levels.note_head_cost(0.2)
    assert not levels.is_second_look_due(100.0 + 0.39)
    assert levels.is_second_look_due(100.0 + 0.41)


def test_a_queue_with_several_levels_and_less_room_is_told(levels: Levels) -> None:
    assert levels.has_split_limit([Want("a", 2), Want("b", 9)], 9)
    assert not levels.has_split_limit([Want("a", 9), Want("b", 2)], 9)
    assert not levels.has_split_limit([Want("a", 9), Want("b", 9)], 9)


def test_a_level_that_ran_empty_stays_known_with_its_hint() -> None:
    levels = Levels()
    levels.restart([Found("a", 5)], frozenset({"a"}), 0.0)
    taken = uuid7(7, os.urandom(10))
    levels.advance("a", 5, datetime(2026, 1, 1, tzinfo=UTC), taken)
    levels.restart([], frozenset({"a"}), 1.0)

    (scan,) = levels.scans([Want("a", 1)])
    assert (scan["priority"], scan["job_id"]) == (5, taken)


def test_before_anything_was_seen_the_usual_priority_is_scanned() -> None:
    levels = Levels()
    levels.restart([], frozenset({"a"}), 0.0)

    (scan,) = levels.scans([Want("a", 1)])
    assert (scan["queue"], scan["priority"]) == ("a", 0)


def test_only_what_is_high_enough_is_scanned(levels: Levels) -> None:
    scans = levels.scans([Want("a", 5, least=1), Want("b", 7, least=4)])
    assert [(scan["queue"], scan["priority"]) for scan in scans] == [("a", 9)]


def test_with_aging_who_has_waited_long_enough_goes_first() -> None:
    levels = Levels()
    levels.restart(
        [Found("a", 2, MOMENT, 1.0), Found("a", 0, MOMENT, 25.0)], frozenset({"a"}), 100.0
    )

    def order(aging: float | None, now: float) -> list[int]:
        scans = levels.scans([Want("a", 5, aging_seconds=aging)], now)
        return [scan["priority"] for scan in scans]

    assert order(None, 100.0) == [2, 0]
    assert order(10.0, 100.0) == [2, 0], "25 s are two points: the same, and the higher one stays"
    assert order(10.0, 105.0) == [0, 2]
    # Once its old jobs are taken, it is as young as the last of them.
    levels.advance("a", 0, MOMENT + timedelta(seconds=24), uuid7(0, os.urandom(10)))
    assert order(10.0, 105.0) == [2, 0]
