"""A job's life as one bar: where it waited, and how each attempt ended."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from leasehold.model.states import State
from leasehold.model.wording import span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from leasehold.model.values import Attempt, Job

LEAST_WIDTH = 1.0  # of 100: a moment among hours is still seen
MOST_PIECES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """A stretch of time: of 100 units, with what it was."""

    x: float
    width: float
    what: str
    title: str


@dataclass(frozen=True, slots=True)
class _Stretch:
    start: datetime
    end: datetime
    what: str

    @property
    def seconds(self) -> float:
        return max(0.0, (self.end - self.start).total_seconds())


def draw_timeline(job: Job, attempts: Sequence[Attempt], *, now: datetime) -> list[Piece]:
    """Lay the last stretches side by side, each at least so wide that it is seen."""
    stretches = list(_stretches(job, attempts, now))[-MOST_PIECES:]
    total = sum(each.seconds for each in stretches)
    if total <= 0:
        return []
    widths = [max(LEAST_WIDTH, 100 * each.seconds / total) for each in stretches]
    scale = 100 / sum(widths)
    pieces, x = list[Piece](), 0.0
    for each, width in zip(stretches, widths, strict=True):
        title = f"{each.what} for {span(each.seconds)}"
        pieces.append(
            Piece(x=round(x, 2), width=round(width * scale, 2), what=each.what, title=title)
        )
        x += width * scale
    return pieces


def _stretches(job: Job, attempts: Sequence[Attempt], now: datetime) -> Iterator[_Stretch]:
    at = job.created_at
    for each in attempts:
        if each.started_at is not None and each.started_at > at:
            yield _Stretch(at, each.started_at, "waiting")
        start = max(at, each.started_at or each.finished_at)
        if each.finished_at > start:
            yield _Stretch(start, each.finished_at, each.outcome)
        at = max(at, each.finished_at)
    if job.state.is_final:
        return
    started = job.started_at if job.state is State.RUNNING else None
    if started is not None and started > at:
        yield _Stretch(at, started, "waiting")
    if now > (started or at):
        yield _Stretch(started or at, now, "running" if started else "waiting")
