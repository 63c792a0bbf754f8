"""Retry policies say how long to wait, and never more than they promise."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.errors import BadOption
from leasehold.model.durations import seconds
from leasehold.model.retry import (
    Failure,
    RetryPolicy,
    delays,
    exponential,
    fixed,
    never,
    per_exception,
)

CHANCES = st.floats(0, 1, exclude_max=True)


def wait(
    policy: RetryPolicy, failures: int, chance: float = 0.5, error: Exception | None = None
) -> float:
    answer = policy(Failure(failures=failures, error=error or ValueError(), chance=chance))
    assert answer is not None
    return seconds(answer)


def test_delays_are_taken_in_order_and_the_last_one_repeats() -> None:
    policy = delays("1m", "5m", "30m")
    assert [wait(policy, failures) for failures in range(1, 6)] == [60, 300, 1800, 1800, 1800]


def test_delays_need_at_least_one() -> None:
    with pytest.raises(BadOption, match="at least one"):
        delays()


def test_fixed_always_waits_the_same() -> None:
    assert {wait(fixed("10s"), failures) for failures in range(1, 50)} == {10}


def test_exponential_without_jitter_multiplies_up_to_its_cap() -> None:
    policy = exponential("1s", factor=2, cap="10s", jitter=0)
    assert [wait(policy, failures) for failures in range(1, 7)] == [1, 2, 4, 8, 10, 10]


@given(st.integers(1, 1_000_000), CHANCES, st.floats(0, 1))
def test_exponential_stays_within_its_jitter_and_its_cap(
    failures: int, chance: float, jitter: float
) -> None:
    policy = exponential("2s", factor=3, cap="5m", jitter=jitter)
    full = min(300.0, 2.0 * 3.0 ** min(failures - 1, 64))
    assert full * (1 - jitter) - 1e-9 <= wait(policy, failures, chance) <= full


def test_many_failures_at_once_are_spread() -> None:
    waits = {wait(exponential(jitter=1), 3, chance / 1000) for chance in range(1000)}
    assert len(waits) == 1000


@pytest.mark.parametrize("options", [{"factor": 0.5}, {"jitter": -0.1}, {"jitter": 1.1}])
def test_exponential_refuses_options_that_make_no_sense(options: dict[str, float]) -> None:
    with pytest.raises(BadOption):
        exponential(**options)


def test_an_exception_finds_the_policy_of_its_nearest_class() -> None:
    policy = per_exception(
        {OSError: fixed(1), ConnectionError: fixed(2), KeyError: None}, default=fixed(3)
    )
    assert wait(policy, 1, error=FileNotFoundError()) == 1
    assert wait(policy, 1, error=ConnectionResetError()) == 2
    assert wait(policy, 1, error=ValueError()) == 3
    assert policy(Failure(failures=1, error=KeyError(), chance=0)) is None


def test_per_exception_has_a_default_of_its_own() -> None:
    assert wait(per_exception({}), 1) > 0


def test_never_gives_up_at_once() -> None:
    assert never()(Failure(failures=1, error=ValueError(), chance=0)) is None
