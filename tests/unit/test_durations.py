"""Durations read the same however they are written."""

from __future__ import annotations

import math
from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.errors import BadOption
from leasehold.model.durations import seconds


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("250ms", 0.25),
        ("90s", 90),
        ("1h30m", 5400),
        ("1h 30m", 5400),
        ("2D", 172_800),
        ("1w", 604_800),
        ("1.5h", 5400),
        (timedelta(minutes=2), 120),
        (3, 3),
        (0.5, 0.5),
        (0, 0),
    ],
)
def test_a_duration_is_read_as_people_write_it(written: str, expected: float) -> None:
    assert seconds(written) == pytest.approx(expected)


@pytest.mark.parametrize("written", ["", "5", "5x", "m5", "1h-5m", "five", "1h30", "-5s", "5 s m"])
def test_text_that_is_not_a_duration_is_refused(written: str) -> None:
    with pytest.raises(BadOption, match="write it like"):
        seconds(written)


@pytest.mark.parametrize("value", [-1, math.nan, math.inf, timedelta(days=-1), "1000000w", 1e30])
def test_negative_and_endless_durations_are_refused(value: object) -> None:
    with pytest.raises(BadOption, match="between 0 and 100 years"):
        seconds(value)  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize("value", [None, True, [1], b"5s"])
def test_values_that_are_no_durations_are_refused(value: object) -> None:
    with pytest.raises(BadOption, match="is not a duration"):
        seconds(value)  # type: ignore[arg-type] # wrong on purpose


def test_the_error_names_the_option() -> None:
    with pytest.raises(BadOption, match=r"^timeout: "):
        seconds("soon", name="timeout")


@given(st.timedeltas(min_value=timedelta(0), max_value=timedelta(days=36_000)))
def test_a_timedelta_keeps_its_length(span: timedelta) -> None:
    assert seconds(span) == span.total_seconds()


@given(st.integers(0, 99), st.integers(0, 59), st.integers(0, 59))
def test_units_add_up(hours: int, minutes: int, rest: int) -> None:
    assert seconds(f"{hours}h{minutes}m{rest}s") == hours * 3600 + minutes * 60 + rest
