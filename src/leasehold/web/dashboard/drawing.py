"""Draws how a batch's members wait for each other: from left to right, as SVG."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice, pairwise
from typing import TYPE_CHECKING

from leasehold.model.drawing import Box, boxes_of
from leasehold.model.wording import count
from leasehold.web.dashboard.texts import plain
from leasehold.workflow import nodes_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from leasehold.client import Client
    from leasehold.model.ids import JobId

FIRST_MEMBERS, MOST_MEMBERS = 200, 2_000
MOST_BOXES = 200
WIDTH, HEIGHT = 190, 46
ACROSS, DOWN, MARGIN = 70, 18, 8
_PASSING = 14  # the height that a line takes which passes between boxes
_LETTERS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """A box where it is drawn."""

    x: float
    y: float
    state: str
    label: str
    told: str
    title: str
    amount: int
    job: JobId | None  # the one it stands for
    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """An arrow where it is drawn."""

    path: str
    condition: str
    x: float
    y: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawing:
    """All of it; empty when nobody waits for anybody, or there is too much to draw."""

    width: float = 0
    height: float = 0
    shapes: Sequence[Shape] = ()
    lines: Sequence[Line] = ()
    left_out: str = ""


def draw_batch(client: Client, batch: JobId) -> Drawing:
    """Draw the newest members of a batch, many alike as one."""
    members = client.each(batch=batch, page=FIRST_MEMBERS)
    jobs = list(islice(members, FIRST_MEMBERS))
    if all(job.needs is None for job in jobs):  # the newest ones: those that wait for others
        return Drawing()
    jobs += islice(members, MOST_MEMBERS + 1 - FIRST_MEMBERS)
    if len(jobs) > MOST_MEMBERS:
        return Drawing(left_out=f"It has over {MOST_MEMBERS:,} members, too many to draw.")
    boxes = boxes_of(nodes_of(jobs, {}))
    if len(boxes) > MOST_BOXES:
        return Drawing(left_out=f"It has {count(len(boxes), 'box', 'boxes')}, too many to draw.")
    return lay_out(boxes)


def lay_out(boxes: Sequence[Box]) -> Drawing:
    """Give each box a place in the column of its level, lines passing between boxes."""
    columns = _columns(boxes)
    places = _places(columns)
    by_name = {box.name: box for box in boxes}
    shapes = [_shape(box, *places[box.level, box.name]) for box in boxes]
    lines = [_line(by_name[source], box, places) for box in boxes for source in box.sources]
    depth = max((y + _height(by_name, name) for (_, name), (_, y) in places.items()), default=0)
    across = len(columns) * (WIDTH + ACROSS) - ACROSS
    return Drawing(width=across + 2 * MARGIN, height=depth + MARGIN, shapes=shapes, lines=lines)


def _columns(boxes: Sequence[Box]) -> list[list[str]]:
    """Put boxes and passing lines into columns, each near what it comes from."""
    columns: list[list[str]] = [[] for _ in range(max(box.level for box in boxes) + 1)]
    froms: dict[tuple[int, str], list[str]] = {}
    by_name = {box.name: box for box in boxes}
    for box in boxes:
        columns[box.level].append(box.name)
        for source in box.sources:
            way = _way(by_name[source], box)
            for (_, before), (level, name) in pairwise(way):
                froms.setdefault((level, name), []).append(before)
                if name not in columns[level]:
                    columns[level].append(name)
    for level, column in enumerate(columns[1:], start=1):
        rank = {name: place for place, name in enumerate(columns[level - 1])}
        column.sort(key=lambda name: _middle([rank[each] for each in froms.get((level, name), ())]))
    return columns


def _middle(ranks: Sequence[int]) -> float:
    return sum(ranks) / len(ranks) if ranks else 0.0


def _way(source: Box, target: Box) -> list[tuple[int, str]]:
    """Name the places that a line goes through."""
    passing = f"{source.name}>{target.name}"
    between = [(level, passing) for level in range(source.level + 1, target.level)]
    return [(source.level, source.name), *between, (target.level, target.name)]


def _places(columns: Sequence[Sequence[str]]) -> dict[tuple[int, str], tuple[float, float]]:
    heights = [sum(_tall(name) + DOWN for name in column) - DOWN for column in columns]
    tallest = max(heights)
    places: dict[tuple[int, str], tuple[float, float]] = {}
    for level, column in enumerate(columns):
        x = MARGIN + level * (WIDTH + ACROSS)
        y = MARGIN + (tallest - heights[level]) / 2
        for name in column:
            places[level, name] = (x, y)
            y += _tall(name) + DOWN
    return places


def _tall(name: str) -> float:
    return _PASSING if ">" in name else HEIGHT


def _height(by_name: Mapping[str, Box], name: str) -> float:
    return HEIGHT if name in by_name else _PASSING


def _shape(box: Box, x: float, y: float) -> Shape:
    amount = len(box.nodes)
    told = ", ".join(f"{number:,} {state}" for state, number in box.states.items())
    job: JobId | None = box.nodes[0].key if amount == 1 else None  # type: ignore[assignment] # keys of jobs
    return Shape(
        x=x,
        y=y,
        state=str(box.state or "queued"),
        label=plain(box.label, _LETTERS),
        told=plain(told if amount > 1 else str(box.state or ""), _LETTERS + 8),
        title=plain(f"{box.label}: {told}"),
        amount=amount,
        job=job,
        kind=box.nodes[0].kind,
    )


def _line(source: Box, target: Box, places: Mapping[tuple[int, str], tuple[float, float]]) -> Line:
    points = []
    for level, name in _way(source, target):
        x, y = places[level, name]
        middle = y + _tall(name) / 2
        points += [(x, middle), (x + WIDTH, middle)]
    path = [f"M{points[1][0]:.1f},{points[1][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points[1:-1]):
        bend = (to_x - x) / 2
        path.append(f"C{x + bend:.1f},{y:.1f} {to_x - bend:.1f},{to_y:.1f} {to_x:.1f},{to_y:.1f}")
    end_x, end_y = points[-2]
    return Line(path=" ".join(path), condition=target.condition, x=end_x - 8, y=end_y - 6)
