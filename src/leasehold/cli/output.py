"""Prints answers: JSON for programs, tables and lines for people."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

# A pipe has no width: lines are as long as they need to be.
_PIPE_WIDTH = 4_000
_FLEXIBLE = ("", "queues", "error")  # these give way on a narrow terminal
_WORKER_IDS = ("worker",)

STATE_STYLES = {
    "queued": "cyan",
    "blocked": "blue",
    "running": "yellow",
    "failed": "magenta",
    "succeeded": "green",
    "dead": "bold red",
    "cancelled": "dim",
}


def print_json(document: Mapping[str, Any]) -> None:
    """Print one document: dates in ISO 8601, ids as text, keys in a fixed order."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(document), indent=2))


def plain(value: Any) -> dict[str, Any]:
    """Turn a struct of the model into JSON's own types.

    A worker's id is text too: it has 63 bits, and many readers of JSON keep only 53.
    """
    import msgspec

    found: dict[str, Any] = msgspec.to_builtins(value)
    for name in _WORKER_IDS:
        if isinstance(found.get(name), int):
            found[name] = str(found[name])
    return found


def show(*parts: RenderableType) -> None:
    """Print tables and texts; colours as NO_COLOR and the terminal have it."""
    from rich.console import Console

    is_terminal = sys.stdout.isatty()
    width = None if is_terminal else _PIPE_WIDTH
    console = Console(width=width, highlight=False, markup=False, emoji=False)
    if is_terminal:
        console.print(*parts, sep="\n")
        return
    with console.capture() as captured:
        console.print(*parts, sep="\n")
    for line in captured.get().splitlines():
        click.echo(line.rstrip())  # tables are padded, and programs that read this dislike that


def make_table(*columns: str) -> Table:
    """Make a table of single lines; what does not fit the terminal is cut."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, no_wrap=name not in _FLEXIBLE, overflow="ellipsis")
    return table


def make_list(columns: int) -> Table:
    """Make a table without a header, whose last column takes as many lines as it needs."""
    from rich.table import Table

    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(columns - 1):
        table.add_column(no_wrap=True)
    table.add_column(overflow="fold")
    return table


def cell(value: object, style: str = "", *, wraps: bool = False) -> Text:
    """Make a text for a table, free of markup and of what would command the terminal."""
    from rich.text import Text

    text = "" if value is None else printable(str(value))
    return Text(text, style, no_wrap=not wraps, overflow="fold" if wraps else "ellipsis")


def state_cell(state: str) -> Text:
    return cell(state, STATE_STYLES.get(state, ""))


def printable(text: str) -> str:
    """Replace control characters: what a job carries may not move the cursor or ring the bell."""
    return "".join(char if char.isprintable() or char == "\n" else "\ufffd" for char in text)


def first_line(text: str | None, most: int = 80) -> str:
    """Cut a text to one line."""
    line = (text or "").strip().partition("\n")[0]
    return line if len(line) <= most else line[: most - 1] + "…"


def print_rows(table: Table, *, empty: str, rows: Sequence[object]) -> None:
    """Print the table, or say that there is nothing."""
    if rows:
        show(table)
    else:
        click.echo(empty)
