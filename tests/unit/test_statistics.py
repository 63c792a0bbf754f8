"""Percentiles read off buckets are within a factor of two, and alike failures fall together."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as some

from leasehold.model.failures import alike, form_of
from leasehold.model.statistics import (
    GREATEST_BUCKET,
    LEAST_BUCKET,
    Histogram,
    bucket_of,
    step_of,
)

TIMES = some.lists(some.floats(min_value=0.001, max_value=100_000.0), min_size=1, max_size=200)
SHARES = some.sampled_from([0.5, 0.95, 0.99])


def histogram(times: list[float]) -> Histogram:
    found = Histogram()
    for seconds in times:
        found.add(bucket_of(seconds), 1, seconds)
    return found


def exact(times: list[float], share: float) -> float:
    """Return the time that the share of all attempts did not exceed."""
    rank = max(1, -int(-(share * len(times) - 1e-9) // 1))
    return sorted(times)[rank - 1]


@given(TIMES, SHARES)
def test_a_percentile_is_within_a_factor_of_two(times: list[float], share: float) -> None:
    found = histogram(times).percentile(share)
    assert found is not None
    truth = exact(times, share)
    assert truth / 2 <= found <= truth * 2


@given(TIMES)
def test_the_average_is_exact(times: list[float]) -> None:
    assert histogram(times).times().average_seconds == pytest.approx(sum(times) / len(times))


@given(TIMES)
def test_percentiles_are_in_order(times: list[float]) -> None:
    found = histogram(times).times()
    assert found.p50_seconds is not None
    assert found.p95_seconds is not None
    assert found.p99_seconds is not None
    assert found.p50_seconds <= found.p95_seconds <= found.p99_seconds


def test_attempts_that_all_take_as_long_as_a_bucket_begins_are_not_spread_over_it() -> None:
    found = histogram([1.0] * 100).times()
    assert (found.p50_seconds, found.p99_seconds) == (1.0, 1.0)


def test_half_of_a_bucket_lies_below_its_middle_when_its_mean_does() -> None:
    assert histogram([1.2] * 100).percentile(0.5) == pytest.approx(1.0, abs=0.2)
    assert histogram([1.5] * 100).percentile(0.5) == pytest.approx(1.5)
    assert histogram([1.9] * 100).percentile(0.5) == pytest.approx(1.9, abs=0.1)


def test_times_beyond_all_buckets_are_in_the_last_one() -> None:
    assert bucket_of(0.0) == LEAST_BUCKET
    assert bucket_of(-1.0) == LEAST_BUCKET
    assert bucket_of(1e-9) == LEAST_BUCKET
    assert bucket_of(1e12) == GREATEST_BUCKET
    assert histogram([1e9]).percentile(0.5) == 1e9
    assert Histogram().times().p50_seconds is None


@pytest.mark.parametrize(
    ("window", "step"),
    [(10, 10), (900, 10), (901, 60), (3_600, 60), (3_601, 300), (86_400, 300), (604_800, 3_600)],
)
def test_the_step_of_a_series_is_as_fine_as_what_is_kept(window: float, step: int) -> None:
    assert step_of(window) == step


@pytest.mark.parametrize(
    ("error", "name", "message"),
    [
        ("ValueError: row 17", "ValueError", "row <n>"),
        ("ValueError", "ValueError", ""),
        ("HTTP404: page 7", "HTTP404", "page <n>"),
        ("shop.errors.NoStock: 3.5 of 1,000", "shop.errors.NoStock", "<n> of <n>"),
        ("E: job 01890a5d-ac96-774b-bcce-b302099a8057 gone", "E", "job <id> gone"),
        ("E: <Conn object at 0x7fe1a2b3>", "E", "<Conn object at <id>>"),
        ("E: etag 9f86d081884c7d65 differs", "E", "etag <id> differs"),
        ("E: timeout at 10:15:00.25", "E", "timeout at <n>"),
        ("E: first line\nsecond 17", "E", "first line"),
        ("E:   many\tspaces ", "E", "many spaces"),
        ("connection refused by host 10.0.0.7", "", "connection refused by host <n>"),
        ("cancelled by 'ann'", "", "cancelled by 'ann'"),
        ("E: defaced facade", "E", "defaced facade"),
        ("Ошибка: строка 5", "", "Ошибка: строка <n>"),
        ("", "", ""),
    ],
)
def test_what_differs_between_alike_failures_is_replaced(
    error: str, name: str, message: str
) -> None:
    assert alike(error) == (name, message)


@given(some.text(max_size=3_000))
def test_any_text_has_a_form_of_bounded_length(error: str) -> None:
    name, message = alike(error)
    assert len(name) <= 80
    assert len(message) <= 200


@given(some.text(alphabet="0123456789abcdefxE:- '", max_size=80))
def test_which_digits_they_are_makes_no_difference(error: str) -> None:
    assert form_of(error) == form_of(error.translate({ord(digit): "1" for digit in "23456789"}))
