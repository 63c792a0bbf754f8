"""What the medians say beside each other, and what is wanted of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import msgspec

from bench.database import POSTGRES, SQLITE

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from bench.database import Figures

SPEED = "jobs_per_second"
BOTH = (POSTGRES, SQLITE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratio:
    """One figure, over another scenario's if there is one, and its wanted bounds."""

    name: str
    scenario: str
    figure: str = SPEED
    over: str | None = None
    over_figure: str | None = None
    least: float | None = None
    most: float | None = None
    stores: Sequence[str] = BOTH


class Line(msgspec.Struct, frozen=True, kw_only=True):
    """A ratio's value. `wanted` is empty where nothing was promised."""

    store: str
    name: str
    value: float
    wanted: str
    is_met: bool | None


PLAIN, LONG = "drain, 1 process", "drain, long"
ONE_IDLE, FOUR_IDLE, BUSY = (
    "pick-up, 1 idle worker",
    "pick-up, 4 idle workers",
    "pick-up, 1,000 jobs/s",
)
IDLE_WORKERS = "idle workers"
DEEP, LATER, FINISHED = "drain, much waiting", "drain, much scheduled", "drain, much finished"
ON_POSTGRES = (POSTGRES,)

RATIOS = (
    Ratio(name="drain / raw SQL", scenario=PLAIN, over="raw SQL", least=0.6, stores=ON_POSTGRES),
    Ratio(name="drain / raw store calls", scenario=PLAIN, over="raw store calls"),
    Ratio(name="2 processes / 1", scenario="drain, 2 processes", over=PLAIN),
    Ratio(name="4 processes / 1", scenario="drain, 4 processes", over=PLAIN),
    Ratio(name="blocking / async", scenario="drain, blocking handlers", over=PLAIN, least=0.5),
    Ratio(name="with results / without", scenario="drain, with results", over=PLAIN),
    Ratio(
        name="5 queues of 10 priorities / 1",
        scenario="drain, 5 queues of 10 priorities",
        over=PLAIN,
    ),
    Ratio(
        name="single enqueue / raw insert",
        scenario="single enqueue",
        over="raw single insert",
        least=0.9,
    ),
    Ratio(name="much waiting / plain", scenario=DEEP, over=PLAIN, least=0.9),
    Ratio(name="much scheduled / plain", scenario=LATER, over=PLAIN, least=0.9),
    Ratio(name="much finished / plain", scenario=FINISHED, over=PLAIN, least=0.9),
    Ratio(
        name="old jobs go / kept",
        scenario="drain, old jobs go",
        over="drain, old jobs kept",
        least=0.9,
    ),
    Ratio(
        name="behind a closed key / plain",
        scenario="drain, behind a closed key",
        over=PLAIN,
        least=0.8,
    ),
    Ratio(
        name="throttled / plain", scenario="drain, throttled, 500 keys of 2", over=PLAIN, least=0.8
    ),
    Ratio(
        name="a share beside a backlog / alone",
        scenario="a share beside a backlog",
        figure="slower",
        most=2,
    ),
    Ratio(name="pinned / unpinned", scenario="drain, long, snapshot pinned", over=LONG, least=0.8),
    Ratio(name="pick-up p50 ms, 1 idle worker", scenario=ONE_IDLE, figure="p50_ms", most=1.1),
    Ratio(name="pick-up p99 ms, 1 idle worker", scenario=ONE_IDLE, figure="p99_ms", most=3),
    Ratio(name="pick-up p50 ms, 4 idle workers", scenario=FOUR_IDLE, figure="p50_ms", most=1.1),
    Ratio(name="pick-up p99 ms, 4 idle workers", scenario=FOUR_IDLE, figure="p99_ms", most=3),
    Ratio(name="pick-up p50 ms, 1,000 jobs/s", scenario=BUSY, figure="p50_ms", most=2.2),
    Ratio(name="pick-up p99 ms, 1,000 jobs/s", scenario=BUSY, figure="p99_ms", most=6),
    Ratio(
        name="WAL bytes a job",
        scenario=PLAIN,
        figure="wal_bytes_per_job",
        most=700,
        stores=ON_POSTGRES,
    ),
    Ratio(
        name="WAL bytes a job, 16-character tenant",
        scenario="drain, 16-character tenant",
        figure="wal_bytes_per_job",
        most=760,
        stores=ON_POSTGRES,
    ),
    Ratio(
        name="200 idle workers, % of a core of the database",
        scenario=IDLE_WORKERS,
        figure="database_cpu_percent",
        most=5,
        stores=ON_POSTGRES,
    ),
    # Not all at once: half of them would be bad enough.
    Ratio(
        name="connections that one job wakes / workers",
        scenario=IDLE_WORKERS,
        figure="connections_active_after_a_job",
        over=IDLE_WORKERS,
        over_figure="workers",
        most=0.5,
        stores=ON_POSTGRES,
    ),
    Ratio(name="slowest page, ms", scenario="pages", figure="slowest_ms", most=300),
    Ratio(
        name="dashboard open / nobody watches",
        scenario="drain, dashboard open",
        over="drain, nobody watches",
        least=0.95,
    ),
    Ratio(name="worker MB after all jobs", scenario="memory", figure="worker_end_mb", most=70),
    Ratio(
        name="worker MB after all jobs / after a tenth",
        scenario="memory",
        figure="worker_end_mb",
        over="memory",
        over_figure="worker_early_mb",
        most=1.1,
    ),
)


def compute(medians: Mapping[tuple[str, str], Figures]) -> list[Line]:
    """Compute those ratios whose scenarios have been measured."""
    return [
        _line(ratio, store, value)
        for store in BOTH
        for ratio in RATIOS
        if store in ratio.stores and (value := _value(ratio, store, medians)) is not None
    ]


def _value(ratio: Ratio, store: str, medians: Mapping[tuple[str, str], Figures]) -> float | None:
    figures = medians.get((store, ratio.scenario))
    if figures is None or ratio.over is None:
        return None if figures is None else figures[ratio.figure]
    over = medians.get((store, ratio.over))
    return None if over is None else figures[ratio.figure] / over[ratio.over_figure or ratio.figure]


def _line(ratio: Ratio, store: str, value: float) -> Line:
    wanted, is_met = "", None
    if ratio.least is not None:
        wanted, is_met = f"at least {ratio.least:g}", value >= ratio.least
    elif ratio.most is not None:
        wanted, is_met = f"at most {ratio.most:g}", value <= ratio.most
    return Line(store=store, name=ratio.name, value=value, wanted=wanted, is_met=is_met)
