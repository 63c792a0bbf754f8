"""What the front page's charts show: numbers for the script, and a line for those without one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TypeAlias

import msgspec

from leasehold.model.statistics import Point
from leasehold.model.wording import span

WIDTH, HEIGHT = 300, 80
LEAST_SHARE = 0.4  # of a step, to be drawn
Read: TypeAlias = Callable[[Point], float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """One line of a chart, with the colour that the style has for its name."""

    name: str
    colour: str
    values: Sequence[float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """One chart; `summary` says in words what it shows."""

    key: str
    title: str
    unit: str
    summary: str
    moments: Sequence[int]
    curves: Sequence[Curve]

    @property
    def data(self) -> str:
        """The numbers as JSON, for the script."""
        curves = [{"name": each.name, "colour": each.colour} for each in self.curves]
        rows = [list(self.moments), *(list(each.values) for each in self.curves)]
        document = {"unit": self.unit, "curves": curves, "rows": rows}
        return msgspec.json.encode(document).decode()

    @property
    def greatest(self) -> float:
        known = [value for each in self.curves for value in each.values if value is not None]
        return max(known, default=0.0) or 1.0

    def path(self, curve: Curve) -> str:
        """The curve as an SVG path."""
        return path_of(curve.values, self.greatest)


def path_of(values: Sequence[float | None], greatest: float) -> str:
    """Draw values from left to right; a gap stays one."""
    step = WIDTH / max(1, len(values) - 1)
    parts, is_down = list[str](), False
    for index, value in enumerate(values):
        if value is None:
            is_down = False
            continue
        verb = "L" if is_down else "M"
        parts.append(f"{verb}{index * step:.1f},{HEIGHT - value / greatest * (HEIGHT - 4) - 2:.1f}")
        is_down = True
    return " ".join(parts)


def charts_of(points: Sequence[Point], *, now: datetime) -> list[Chart]:
    """Make the four charts of the front page."""
    points = _as_far_as(points, now)
    moments = [int(each.at.timestamp()) for each in points]

    def curve(name: str, colour: str, read: Read) -> Curve:
        return Curve(name=name, colour=colour, values=[_tidy(read(each)) for each in points])

    done = curve("succeeded", "succeeded", lambda each: each.counts["succeeded"] / each.seconds)
    half = curve("half of them", "running", lambda each: each.ran.p50_seconds)
    most = curve("95 of 100", "blocked", lambda each: each.ran.p95_seconds)
    waiting = curve("waiting", "queued", lambda each: each.depth.waiting if each.depth else None)
    running = curve("running", "running", lambda each: each.depth.running if each.depth else None)
    failed = curve("failed", "failed", lambda each: each.counts["failed"] + each.counts["lapsed"])
    dead = curve("dead", "dead", lambda each: each.counts["dead"])
    return [
        Chart(
            key="throughput",
            title="Throughput",
            unit="/s",
            summary=f"at most {max(_known(done)):.3g} jobs a second",
            moments=moments,
            curves=[done],
        ),
        Chart(
            key="latency",
            title="Run time",
            unit="s",
            summary=f"half of the attempts took at most {span(max(_known(half)))} at any time",
            moments=moments,
            curves=[half, most],
        ),
        Chart(
            key="depth",
            title="Depth",
            unit="",
            summary=f"at most {max(_known(waiting)):,.0f} jobs waiting",
            moments=moments,
            curves=[waiting, running],
        ),
        Chart(
            key="failures",
            title="Failures",
            unit="",
            summary=f"{sum(_known(failed)):,.0f} attempts failed, "
            f"{sum(_known(dead)):,.0f} jobs died",
            moments=moments,
            curves=[failed, dead],
        ),
    ]


def _as_far_as(points: Sequence[Point], now: datetime) -> list[Point]:
    """Let the last step be as long as it has been; one that has hardly begun says nothing."""
    *over, last = points
    lasted = (now - last.at).total_seconds()
    if lasted < last.seconds * LEAST_SHARE:
        return over
    return [*over, msgspec.structs.replace(last, seconds=min(last.seconds, lasted))]


def _tidy(value: float | None) -> float | None:
    return None if value is None else round(value, 4)


def _known(curve: Curve) -> list[float]:
    return [value for value in curve.values if value is not None] or [0.0]
