"""Batches as people read them."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click
import msgspec

from leasehold.cli.controlling import number
from leasehold.cli.output import STATE_STYLES, cell, make_list, make_table, print_rows, show
from leasehold.model.batches import BatchCounts
from leasehold.model.wording import since

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.text import Text

    from leasehold.model.batches import BatchInfo

BAR_CELLS = 30
_SMALL_BAR_CELLS = 10
_STATES = BatchCounts.__struct_fields__[1:]


def print_batches(found: Sequence[BatchInfo], following: str | None) -> None:
    """Print one line for each, and how to read on."""
    now = datetime.now(UTC)
    table = make_table("batch", "name", "status", "progress", "members", "age", "")
    for each in found:
        table.add_row(
            cell(str(each.id)),
            cell(each.name or ""),
            cell(each.status),
            bar(each, _SMALL_BAR_CELLS),
            cell(f"{each.counts.total:,}"),
            cell(since(each.created_at, now)),
            cell(_by_state(each)),
        )
    print_rows(table, empty="No batches.", rows=found)
    if following is not None:
        click.echo(f"more: leasehold batches list --before {following}")


def print_batch(found: BatchInfo) -> None:
    """Print all that is known of one."""
    table = make_list(2)
    table.add_row("progress", bar(found, BAR_CELLS))
    for name, text in _lines(found):
        if text:
            table.add_row(name, cell(text, wraps=True))
    show(table)


def bar(found: BatchInfo, cells: int) -> Text:
    """Draw how many members have ended: those that went well, then the others."""
    from rich.text import Text

    counts, drawn = found.counts, Text()
    happy = _part(counts.succeeded, counts.total, cells)
    ended = _part(counts.ended, counts.total, cells)
    drawn.append("█" * happy, style=STATE_STYLES["succeeded"])
    drawn.append("▓" * (ended - happy), style=STATE_STYLES["dead"])
    drawn.append("░" * (cells - ended), style="dim")
    drawn.append(f" {int(found.progress * 100):>3} %")
    return drawn


def _part(some: int, total: int, cells: int) -> int:
    """Say how many cells are full; only what is whole counts as whole."""
    return cells if total == 0 else some * cells // total


def _by_state(found: BatchInfo) -> str:
    named = [(getattr(found.counts, state), state) for state in _STATES]
    return ", ".join(f"{count:,} {state}" for count, state in named if count)


def _lines(found: BatchInfo) -> Iterator[tuple[str, str]]:
    units = "" if found.processed is None else number(found.processed)
    total = f" of {number(found.total_units)}" if found.total_units is not None else ""
    yield "batch", str(found.id)
    yield "name", found.name or ""
    yield "tenant", found.tenant
    yield "status", found.status
    yield "members", f"{found.counts.total:,}: {_by_state(found) or 'none'}"
    yield "units of work", units and f"{units}{total}"
    yield "round", f"{found.round}" if found.round > 1 else ""
    yield "nested in", "" if found.parent is None else str(found.parent)
    yield "meta", msgspec.json.encode(found.meta).decode() if found.meta else ""
    yield "created", _moment(found.created_at, found.created_by)
    yield "sealed", _moment(found.sealed_at)
    yield "first failure", _moment(found.failed_at)
    yield "cancelled", _moment(found.cancelled_at, found.cancelled_by)
    yield "ended", _moment(found.ended_at)


def _moment(moment: datetime | None, who: str | None = None) -> str:
    if moment is None:
        return ""
    text = f"{moment:%Y-%m-%d %H:%M:%SZ}, {since(moment, datetime.now(UTC))}"
    return f"{text} by {who}" if who else text
