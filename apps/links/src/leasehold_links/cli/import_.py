"""`leasehold-links import`: a browser's bookmark file into the library."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import Command, cell, make_table, print_json, show, with_session
from leasehold_links.cli.opening import USER, open_library

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import BinaryIO
    from uuid import UUID

    from leasehold.cli.kit import Session
    from leasehold.kit.cli import Opened
    from leasehold_links.bookmarks.previewing import Preview

_EXAMPLE = """\
leasehold-links import bookmarks.html
leasehold-links import --wait bookmarks.html
leasehold-links import --dry-run --json bookmarks.html
curl -s https://example.com/bookmarks.html | leasehold-links import -"""
_READ_BYTES = 262_144
_SHOWN_LINES = 20


@click.command("import", cls=Command, example=_EXAMPLE)
@click.argument("file", type=click.File("rb"))
@click.option("--wait", "is_waiting", is_flag=True, help="Show how far it is; return at its end.")
@click.option("--dry-run", is_flag=True, help="Say what would be imported, and write nothing.")
@USER
@with_session
def import_(
    session: Session, file: BinaryIO, *, is_waiting: bool, dry_run: bool, user_id: str
) -> None:
    """Import a bookmark file as browsers export it (HTML); - reads it from stdin.

    A worker does it (`leasehold-links work`). With --wait this command waits for the end, and does
    the work itself when no worker is there. An import that is broken off goes on where it was.
    """
    if dry_run:
        from leasehold_links.bookmarks.previewing import preview

        _print_preview(session, preview(_pieces(file)))
        return
    from leasehold_links.uploading import start_import

    path = getattr(file, "name", None)
    name = PurePath(path).name if isinstance(path, str) and file is not sys.stdin.buffer else ""
    with open_library(session, may_create=True) as library:
        import_id = start_import(*library, user_id, name, _pieces(file))
        if is_waiting:
            _wait(session, library, import_id)
        else:
            _print_started(session, library, import_id)


def _pieces(file: BinaryIO) -> Iterator[bytes]:
    while piece := file.read(_READ_BYTES):
        yield piece


def _print_started(session: Session, library: Opened, import_id: UUID) -> None:
    from leasehold_links.cli.waiting import is_worked_on

    has_worker = is_worked_on(library.client)
    if session.is_json:
        print_json({"import": import_id, "status": "queued", "has_worker": has_worker})
        return
    click.echo(f"import {import_id} waits for a worker")
    if not has_worker:
        click.echo(
            "No worker is there: run `leasehold-links work`, or import with --wait.", err=True
        )


def _wait(session: Session, library: Opened, import_id: UUID) -> None:
    from leasehold_links.cli.waiting import follow

    with _showing(session) as progress:
        summary = follow(library, import_id, progress, lambda text: click.echo(text, err=True))
    if session.is_json:
        print_json(summary.document())
    else:
        click.echo(summary.told())
    summary.raise_if_failed()


@contextmanager
def _showing(session: Session) -> Iterator[Any]:
    """Show a bar on a terminal; on stderr, so that a pipe gets the answer only."""
    if session.is_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("importing"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task("importing", total=None)
        yield lambda done, total: shown.update(bar, completed=done, total=total)


def _print_preview(session: Session, seen: Preview) -> None:
    lines = [
        {"line": line.number, "reason": line.reason, "title": line.bookmark.title}
        | {"url": line.bookmark.url[:200]}
        for line in seen.lines
    ]
    if session.is_json:
        counts = {"dry_run": True, **seen.counts._asdict(), "folders": seen.folders}
        print_json({**counts, "reasons": dict(seen.reasons), "lines": lines})
        return
    counts_ = seen.counts
    click.echo(
        f"{counts_.imported:,} links in {seen.folders:,} folders would be imported,"
        f" {counts_.duplicate:,} are there twice, {counts_.skipped:,} would be skipped"
    )
    table = make_table("line", "reason", "")
    for line in lines[:_SHOWN_LINES]:
        table.add_row(cell(line["line"]), cell(line["reason"]), cell(line["url"] or line["title"]))
    if lines:
        show(table)
    more = seen.reasons.total() - len(lines[:_SHOWN_LINES])
    if more:
        click.echo(f"… and {more:,} more (--json shows 100)")
