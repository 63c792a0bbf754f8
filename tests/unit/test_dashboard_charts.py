"""Charts: a step that has hardly begun says nothing, and gaps stay gaps."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from leasehold.model.statistics import Point, RunTimes, counts_of
from leasehold.web.dashboard.charts import charts_of, path_of

NOW = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)


def points(*succeeded: int) -> list[Point]:
    """Steps of 10 s, the last of which begins now."""
    first = NOW - timedelta(seconds=10 * (len(succeeded) - 1))
    return [
        Point(
            at=first + timedelta(seconds=10 * number),
            seconds=10,
            counts=counts_of({"succeeded": count}),
            ran=RunTimes(),
        )
        for number, count in enumerate(succeeded)
    ]


@pytest.mark.parametrize(("lasted", "shown"), [(1, [2.0, 3.0]), (5, [2.0, 3.0, 8.0])])
def test_the_last_step_counts_as_long_as_it_has_been(lasted: int, shown: list[float]) -> None:
    (throughput, *_) = charts_of(points(20, 30, 40), now=NOW + timedelta(seconds=lasted))
    assert throughput.curves[0].values == shown


def test_a_queue_without_any_history_has_charts_all_the_same() -> None:
    charts = charts_of(points(0), now=NOW)
    assert [chart.key for chart in charts] == ["throughput", "latency", "depth", "failures"]
    assert all(chart.summary for chart in charts)


def test_a_gap_stays_a_gap() -> None:
    assert path_of([1.0, None, 1.0, 0.5], 1.0).count("M") == 2
