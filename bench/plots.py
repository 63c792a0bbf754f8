"""`make bench-plots`: draws what the benches wrote into bench/results as PNGs in docs/images.

Which bars there are is decided without matplotlib; drawing comes last and decides nothing.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

Report = Mapping[str, Any]

PEERS_FILE = "peers.json"
SUITE_FILE = "latest.json"
STORES = {"postgres": "PostgreSQL", "sqlite": "SQLite"}
# Scenarios of the suite, each with what it is compared with.
ROBUSTNESS = (
    ("drain, 1 process", "{jobs:,} jobs"),
    ("drain, much waiting", "… of {beside:,} waiting"),
    ("drain, much scheduled", "… beside {beside:,} scheduled"),
    ("drain, much finished", "… beside {beside:,} finished"),
    ("drain, long", "{jobs:,} jobs"),
    ("drain, long, snapshot pinned", "… under a pinned snapshot"),
)

WIDTH_INCHES = 8.0
BAR_INCHES = 0.22
DOTS_PER_INCH = 200  # twice the 800 pixels that it is shown at
OURS = ("#0f766e", "#7cc4bc")
THEIRS = ("#64748b", "#bcc5d0")
INK = "#1f2937"
# A handler may start before the enqueue call has returned; a logarithmic axis has no zero.
LEAST_ON_LOG = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One label on the left and a bar for each series; None is no bar."""

    label: str
    is_ours: bool
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    title: str
    rows: tuple[Row, ...]
    series: tuple[str, ...] = ("",)
    is_log: bool = False

    @property
    def bars(self) -> int:
        return len(self.rows) * len(self.series)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One PNG: panels below each other, and a note below them."""

    name: str
    title: str
    panels: tuple[Panel, ...]
    note: str = "On PostgreSQL, unless another database is named."


def main() -> None:
    parser = argparse.ArgumentParser(prog="bench.plots", description=__doc__)
    parser.add_argument("--results", type=Path, default=Path("bench/results"))
    parser.add_argument("--images", type=Path, default=Path("docs/images"))
    options = parser.parse_args()
    options.images.mkdir(parents=True, exist_ok=True)
    peers = read_report(options.results / PEERS_FILE, "make bench-peers")
    suite = read_report(options.results / SUITE_FILE, "make bench")
    for chart in choose_charts(peers, suite):
        path = options.images / f"{chart.name}.png"
        draw(chart, path)
        print(path)


def read_report(path: Path, maker: str) -> Report:
    if not path.exists():
        print(f"{path} is not there: {maker} writes it. Its charts are not drawn.")
        return {}
    report: Report = json.loads(path.read_text())
    return report


def choose_charts(peers: Report, suite: Report) -> list[Chart]:
    """Return the charts for which there are figures, with those panels and rows that have some."""
    speed = "jobs_per_second"
    drains = (("1 process", "W3", speed), ("2 processes", "W4", speed))
    waits = (("p50", "W5", "p50_ms"), ("p99", "W5", "p99_ms"))
    charts = (
        Chart(
            name="drain",
            title="Drain: no-op jobs a second",
            panels=(peer_panel(peers, "", drains),),
            note="On PostgreSQL, unless another database is named."
            " pg-boss by its fetch() and complete(): its worker is slower.",
        ),
        Chart(
            name="enqueue",
            title="Enqueue: jobs a second, one client",
            panels=(
                peer_panel(peers, "in bulk", (("", "W2", speed),)),
                peer_panel(peers, "one by one", (("", "W1", speed),)),
            ),
        ),
        Chart(
            name="pick-up",
            title="Pick-up by an idle worker: milliseconds, less is better",
            panels=(peer_panel(peers, "", waits, is_least_first=True, is_log=True),),
        ),
        Chart(
            name="robustness",
            title="leasehold under strain: jobs a second, one process",
            panels=tuple(robustness_panel(suite, store) for store in STORES),
            note="",
        ),
        Chart(
            name="wal",
            title="Drain: bytes of WAL a job, less is better",
            panels=(
                peer_panel(peers, "", (("", "W3", "wal_bytes_per_job"),), is_least_first=True),
            ),
        ),
    )
    return [chart for chart in map(without_empty_panels, charts) if chart.panels]


def without_empty_panels(chart: Chart) -> Chart:
    return replace(chart, panels=tuple(panel for panel in chart.panels if panel.rows))


def peer_panel(
    report: Report,
    title: str,
    wanted: Sequence[tuple[str, str, str]],
    *,
    is_least_first: bool = False,
    is_log: bool = False,
) -> Panel:
    """Return a row for each peer with one of the wanted (series, work, figure)s, the best first."""
    rows = [row for row in peer_rows(report, wanted) if any(v is not None for v in row.values)]
    rows.sort(key=first_value, reverse=not is_least_first)
    return Panel(
        title=title,
        series=tuple(series for series, _, _ in wanted),
        rows=tuple(rows),
        is_log=is_log,
    )


def peer_rows(report: Report, wanted: Sequence[tuple[str, str, str]]) -> Iterator[Row]:
    for name, facts in report.get("peers", {}).items():
        works = facts["works"]
        yield Row(
            label=facts["title"],
            is_ours=name.startswith("leasehold"),
            values=tuple(
                works.get(work, {}).get("medians", {}).get(figure) for _, work, figure in wanted
            ),
        )


def first_value(row: Row) -> float:
    return next(value for value in row.values if value is not None)


def robustness_panel(suite: Report, store: str) -> Panel:
    found = {
        result["scenario"]: result
        for result in suite.get("results", ())
        if result["store"] == store and result["medians"]
    }
    rows = tuple(
        Row(
            label=label.format(**found[scenario]["size"]),
            is_ours=True,
            values=(found[scenario]["medians"]["jobs_per_second"],),
        )
        for scenario, label in ROBUSTNESS
        if scenario in found
    )
    return Panel(title=STORES[store], rows=rows)


def draw(chart: Chart, path: Path) -> None:
    from matplotlib import pyplot as plt

    plt.rcParams.update({"font.size": 10, "text.color": INK, "ytick.color": INK})
    heights = [panel.bars * BAR_INCHES + 0.7 for panel in chart.panels]
    figure, all_axes = plt.subplots(
        len(chart.panels),
        figsize=(WIDTH_INCHES, sum(heights) + 0.4),
        height_ratios=heights,
        squeeze=False,
        layout="constrained",
    )
    figure.suptitle(chart.title, x=0.01, ha="left", fontsize=12, fontweight="bold")
    figure.supxlabel(chart.note, x=0.01, ha="left", fontsize=8)
    for panel, axes in zip(chart.panels, all_axes[:, 0], strict=True):
        draw_panel(panel, axes)
    figure.savefig(path, dpi=DOTS_PER_INCH, facecolor="white", metadata={"Software": None})
    plt.close(figure)


def draw_panel(panel: Panel, axes: Any) -> None:
    axes.set_title(panel.title, loc="left", fontsize=10)
    thickness = 0.8 / len(panel.series)
    for place, row in enumerate(panel.rows):
        colours = OURS if row.is_ours else THEIRS
        for number, value in enumerate(row.values):
            if value is not None:
                length = max(value, LEAST_ON_LOG) if panel.is_log else value
                middle = place - 0.4 + (number + 0.5) * thickness
                axes.barh(middle, length, thickness * 0.9, color=colours[number])
                axes.annotate(
                    number_text(value),
                    (length, middle),
                    xytext=(4, 0),
                    textcoords="offset points",
                    va="center",
                    fontsize=8,
                )
    axes.set_yticks(range(len(panel.rows)), [row.label for row in panel.rows])
    axes.invert_yaxis()
    axes.margins(x=0.12, y=0.01)
    if panel.is_log:
        axes.set_xscale("log")
        axes.set_xlim(left=LEAST_ON_LOG)
    axes.tick_params(which="both", length=0)
    axes.xaxis.set_major_formatter(lambda value, _: number_text(value))
    axes.grid(axis="x", color="#e5e7eb", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.spines[:].set_visible(False)
    if len(panel.series) > 1:
        handles = [axes.barh(0, 0, color=colour) for colour in THEIRS[: len(panel.series)]]
        above = {"loc": "lower right", "bbox_to_anchor": (1, 1), "ncols": len(handles)}
        axes.legend(handles, panel.series, frameon=False, **above)


def number_text(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == 0 else f"{value:.3g}"


if __name__ == "__main__":
    main()
