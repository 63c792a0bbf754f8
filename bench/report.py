"""The results: as JSON for programs, as tables for people."""

from __future__ import annotations

import statistics
from typing import TYPE_CHECKING, Any

import msgspec
from rich.console import Console
from rich.table import Table

from bench import ratios
from bench.database import Size

if TYPE_CHECKING:
    from bench.database import Figures

# Figures with a column of their own; others stand in the last one, by name.
_COLUMNS = {
    "jobs_per_second": "jobs/s",
    "worker_cpu_us_per_job": "worker us/job",
    "database_cpu_us_per_job": "database us/job",
    "wal_bytes_per_job": "WAL B/job",
    "worker_peak_mb": "peak MB",
    "p50_ms": "p50 ms",
    "p99_ms": "p99 ms",
}
_WIDTH = 140


class Result(msgspec.Struct, kw_only=True):
    """The runs of one scenario on one store; those that failed only say why."""

    store: str
    scenario: str
    size: Size
    runs: list[dict[str, float]] = []
    errors: list[str] = []

    @property
    def medians(self) -> Figures:
        names = self.runs[0] if self.runs else ()
        return {name: statistics.median(run[name] for run in self.runs) for name in names}


def lines(results: list[Result]) -> list[ratios.Line]:
    measured = [each for each in results if each.runs]
    return ratios.compute({(each.store, each.scenario): each.medians for each in measured})


def as_document(machine: dict[str, Any], results: list[Result]) -> dict[str, Any]:
    return {
        "machine": machine,
        "results": [{**msgspec.to_builtins(each), "medians": each.medians} for each in results],
        "ratios": msgspec.to_builtins(lines(results)),
    }


def show(results: list[Result]) -> None:
    console = Console(width=_WIDTH)
    for store in dict.fromkeys(each.store for each in results):
        console.print(_results_table(store, [each for each in results if each.store == store]))
    console.print(_ratios_table(lines(results)))


def describe(figures: Figures) -> str:
    return "  ".join(f"{name} {_number(value)}" for name, value in figures.items())


def _results_table(store: str, results: list[Result]) -> Table:
    table = Table("scenario", title=f"{store}, medians")
    for title in _COLUMNS.values():
        table.add_column(title, justify="right")
    table.add_column("also")
    for each in results:
        medians = each.medians
        cells = [_number(medians[name]) if name in medians else "" for name in _COLUMNS]
        also = {name: value for name, value in medians.items() if name not in _COLUMNS}
        table.add_row(each.scenario, *cells, "\n".join([describe(also), *each.errors]))
    return table


def _ratios_table(found: list[ratios.Line]) -> Table:
    table = Table("store", "ratio", title="ratios of the medians")
    table.add_column("value", justify="right")
    table.add_column("wanted")
    table.add_column("met")
    for line in found:
        met = {None: "", True: "yes", False: "NO"}[line.is_met]
        table.add_row(line.store, line.name, f"{line.value:.2f}", line.wanted, met)
    return table


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 else f"{value:.2f}"
