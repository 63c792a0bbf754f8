"""Shows the demo: a live table in a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Protocol

from leasehold.cli.job_tables import remark
from leasehold.cli.output import STATE_STYLES, cell, make_table, state_cell
from leasehold.demo.look import duration_seconds
from leasehold.model.wording import since, span

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

    from leasehold.demo.look import Look


class Screen(Protocol):
    """Something that can show a look."""

    pause_seconds: float

    def show(self, look: Look) -> None: ...

    def close(self) -> None: ...


def make_screen() -> Screen:
    return LiveScreen() if sys.stdout.isatty() else PlainScreen()


class PlainScreen:
    """One line a second."""

    pause_seconds = 1.0

    def show(self, look: Look) -> None:
        counts = "  ".join(f"{state} {amount}" for state, amount in look.counts.items())
        print(f"{look.now:%H:%M:%S}  {counts}", flush=True)

    def close(self) -> None:
        """Nothing stays open."""


class LiveScreen:
    """A table that is drawn anew four times a second."""

    pause_seconds = 0.25

    def __init__(self) -> None:
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(highlight=False), auto_refresh=False)
        self._live.start()

    def show(self, look: Look) -> None:
        self._live.update(draw(look), refresh=True)

    def close(self) -> None:
        self._live.stop()


def draw(look: Look) -> RenderableType:
    """Lay the three parts out."""
    from rich.console import Group

    return Group(_counts(look), cell(""), _recent(look), cell(""), _workers(look))


def _counts(look: Look) -> Text:
    from rich.text import Text

    parts = [
        cell(f"{state} {amount}", STATE_STYLES[state]) for state, amount in look.counts.items()
    ]
    return Text("   ").join(parts)


def _recent(look: Look) -> Table:
    table = make_table("job", "kind", "queue", "state", "attempt", "took", "")
    for job in look.recent:
        took = duration_seconds(job, look.now)
        table.add_row(
            cell(f"…{str(job.id)[-12:]}", "dim"),
            cell(job.kind),
            cell(job.queue),
            state_cell(job.state),
            cell(job.attempt),
            cell("" if took is None else span(took)),
            cell("" if took else remark(job, look.now), "dim"),
        )
    return table


def _workers(look: Look) -> Table:
    table = make_table("worker", "slots", "seen")
    for each in look.workers:
        seen = since(each.seen_at, look.now)
        table.add_row(cell(each.name), cell(each.slots), cell(seen))
    return table
