"""The table, the ratios and the lines of "must show", for people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from bench.peers.catalogue import WORKS, Work

COLUMN = 15


def report_lines(results: Mapping[str, Any]) -> Iterator[str]:
    medians = {
        name: {code: done["medians"] for code, done in facts["works"].items()}
        for name, facts in results["peers"].items()
    }
    works = [work for work in WORKS if any(work.code in done for done in medians.values())]
    titles = {name: facts["title"] for name, facts in results["peers"].items()}
    yield from ("", "Medians: jobs/s; pick-up: p50 / p99 ms", heading(works))
    for name, done in medians.items():
        cells = (shown(work, done.get(work.code, {})) for work in works)
        yield row(titles[name], cells)
    yield from ("", "leasehold / peer (pick-up: less is better)", heading(works))
    for name in medians:
        values = {one["work"]: one["value"] for one in results["ratios"] if one["peer"] == name}
        if values:
            yield row(titles[name], (times(values.get(work.code)) for work in works))
    yield from ("", "Must show")
    for line in results["must_show"]:
        figures = f"{times(line['value']):>10}  wanted {times(line['wanted'])}"
        yield f"{line['name']:40} {figures}  {verdict(line)}"
    for left_out in results["left_out"]:
        yield f"left out: {left_out['peer']}: {left_out['why']}"


def heading(works: list[Work]) -> str:
    return row("", (work.code for work in works)) + "\n" + row("", (work.title for work in works))


def row(title: str, cells: Iterator[str]) -> str:
    return f"{title:24}" + "".join(f"{cell:>{COLUMN + 1}}" for cell in cells)


def shown(work: Work, figures: Mapping[str, float]) -> str:
    if work.figure not in figures:
        return "-"
    if work.figure == "p50_ms":
        return f"{figures['p50_ms']:.2f} / {figures['p99_ms']:.2f}"
    return f"{figures[work.figure]:,.0f}"


def times(value: float | None) -> str:
    return "-" if value is None else f"{value:.2f}x"


def verdict(line: Mapping[str, Any]) -> str:
    if line["value"] is None:
        return "not measured"
    return "met" if line["value"] >= line["wanted"] else "MISSED"
