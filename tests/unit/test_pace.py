"""How far ahead a worker claims: a tenth of a second's work, never more than starts soon."""

from __future__ import annotations

import pytest

from leasehold.worker.pace import AHEAD_SECONDS, BATCH, MOST_AHEAD, Pace


def pace(slots: int = 10, lease: float = 60.0, *, can_prefetch: bool = True) -> Pace:
    return Pace(slots, lease, can_prefetch=can_prefetch)


def run_at(measured: Pace, rate: float, seconds: float = 5.0) -> None:
    """Let so many jobs a second end for a while."""
    for tick in range(int(seconds * 10) + 1):
        measured.measure(int(rate * tick / 10), tick / 10, 1000.0 + tick / 10)


def test_a_new_worker_claims_what_its_slots_hold() -> None:
    assert pace().room(0) == 10
    assert pace().room(7) == 3


def test_there_is_no_room_when_the_slots_are_full() -> None:
    assert pace().room(10) == 0
    assert pace().room(11) == 0


def test_a_fast_worker_claims_a_tenth_of_a_second_ahead() -> None:
    fast = pace()
    run_at(fast, 2_000)
    assert fast.room(0) == pytest.approx(10 + 2_000 * AHEAD_SECONDS, rel=0.05)


def test_no_new_claim_until_half_of_what_is_ahead_has_started() -> None:
    fast = pace()
    run_at(fast, 2_000)  # 200 ahead
    assert fast.room(10 + 150) == 0
    assert fast.room(10 + 90) > 0


def test_a_worker_that_became_slow_claims_less_again() -> None:
    slowing = pace()
    run_at(slowing, 2_000)
    for tick in range(1, 20):
        slowing.measure(10_000, 5.0 + tick, 1005.0 + tick)
    assert slowing.room(0) == 10


def test_jobs_that_began_together_and_end_together_are_not_taken_for_speed() -> None:
    bursts, finished = pace(), 0
    bursts.measure(0, 0.0, 1000.0)
    for burst in range(1, 50):  # ten slots, jobs of 200 ms: 50 a second
        for ended in (3, 7):  # the second look is 1 ms after the first
            finished += ended
            at = burst * 0.2 + (ended == 7) * 0.001
            bursts.measure(finished, at, 1000.0 + at)
            assert bursts.room(0) <= 10 + 2 * 50 * AHEAD_SECONDS


def test_what_one_short_job_of_the_first_says_is_not_much() -> None:
    mixed = pace()
    mixed.measure(0, 0.0, 1000.0)
    mixed.measure(1, 0.0005, 1000.0005)
    assert mixed.room(9) <= 11


def test_the_time_that_a_claim_waits_for_the_store_is_not_taken_for_slowness() -> None:
    fast = pace()
    for cycle in range(1, 20):  # 500 jobs that take 10 ms, then 90 ms for the next claim
        fast.measure(500 * cycle, 0.01 * cycle, 1000.0 + 0.1 * cycle)
    assert fast.room(0) == BATCH  # and not what 5,000 a second would need


def test_after_a_pause_it_begins_anew() -> None:
    fast = pace()
    run_at(fast, 2_000)
    fast.measure(10_000, 5.0, 1005.0 + 60)
    assert fast.room(0) == 10


def test_one_claim_is_never_larger_than_a_batch() -> None:
    assert pace(slots=10_000).room(0) == BATCH


def test_however_fast_what_is_ahead_is_bounded() -> None:
    fast = pace(slots=1)
    run_at(fast, 10_000_000)
    assert fast.room(MOST_AHEAD + 1) == 0
    assert 0 < fast.room(MOST_AHEAD // 2) <= BATCH


def test_handlers_of_two_sorts_are_not_claimed_ahead() -> None:
    mixed = pace(can_prefetch=False)
    run_at(mixed, 5_000)
    assert mixed.room(0) == 10
    assert mixed.room(10) == 0


def test_with_a_short_lease_less_is_held_ahead() -> None:
    short = pace(lease=0.5)
    run_at(short, 2_000)
    assert short.room(0) == pytest.approx(10 + 2_000 * 0.05, rel=0.05)


def test_two_measurements_at_one_moment_do_no_harm() -> None:
    still = pace()
    still.measure(0, 0.0, 1.0)
    still.measure(10, 0.0, 1.0)
    assert still.room(0) == pytest.approx(110)
