"""`leasehold move`: take a queue into another database, with all it holds."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.failing import EXIT_REFUSED

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.cli.session import Session
    from leasehold.moving import MoveProgress, MoveReport

_EXAMPLE = """\
leasehold move sqlite:///leasehold.db postgresql:///queue
leasehold move postgresql:///queue sqlite:///leasehold.db --json
leasehold move --undo sqlite:///leasehold.db"""


@click.command(cls=Command, example=_EXAMPLE)
@click.argument("source")
@click.argument("target", required=False)
@click.option("--undo", is_flag=True, help="Open SOURCE again, which a move has closed.")
@click.option(
    "--force",
    is_flag=True,
    help="Move although workers run, taking back their jobs; with --undo: although all has moved.",
)
@with_session
def move(session: Session, *, source: str, target: str | None, undo: bool, force: bool) -> None:
    """Take everything from the database SOURCE into the empty database TARGET.

    Waiting, scheduled and ended jobs, keys, batches, schedules, checkpoints, limits: all but
    workers and leases. Jobs that were running wait again, without charge. Both databases are closed
    meanwhile; SOURCE stays so. When it was interrupted, run it again: it goes on where it was. At
    the end both sides are compared, row by row; exit code 1 says that they differ.
    """
    replace(session, given_url=source).require_file()
    if undo:
        if target is not None:
            raise click.UsageError("--undo takes SOURCE only")
        _undo(session, source, is_forced=force)
        return
    if target is None:
        raise click.UsageError("say where to: leasehold move SOURCE TARGET")
    _move(session, source, target, is_forced=force)


def _move(session: Session, source: str, target: str, *, is_forced: bool) -> None:
    from leasehold.cli.output import print_json
    from leasehold.moving import move as move_queue

    with _hiding(source, target), _showing(session) as progress:
        report = move_queue(source, target, force=is_forced, progress=progress)
    if report.is_same:
        _record(session, target, "queue.move", report.source)
    if session.is_json:
        print_json(_described(report))
    else:
        _print(report)
    if not report.is_same:
        click.get_current_context().exit(EXIT_REFUSED)


def _undo(session: Session, source: str, *, is_forced: bool) -> None:
    from leasehold.cli.controlling import answer
    from leasehold.moving import undo_move

    with _hiding(source):
        mark = undo_move(source, force=is_forced)
    if mark is not None:
        _record(session, source, "queue.open", "")
    told = "it was not closed" if mark is None else "it is open again"
    answer(session, told, is_changed=mark is not None)


def _record(session: Session, url: str, action: str, subject: str) -> None:
    """Write down, where the queue is now, that it came there."""
    from leasehold.acting import record

    with replace(session, given_url=url).client() as client:
        record(client.store, action, subject)


@contextmanager
def _hiding(*urls: str) -> Iterator[None]:
    """Let no error repeat a password of these URLs, which `--url` knows nothing of."""
    from leasehold.cli.secrets import hide_secrets
    from leasehold.errors import LeaseholdError

    try:
        yield
    except LeaseholdError as error:
        for url in urls:
            error.args = tuple(
                hide_secrets(part, url) if isinstance(part, str) else part for part in error.args
            )
        raise


@contextmanager
def _showing(session: Session) -> Iterator[Callable[[MoveProgress], None] | None]:
    """Show a bar for each table on a terminal; on stderr, so that a pipe gets the answer only."""
    if session.is_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

    columns = (TextColumn("{task.description:<20}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        bars: dict[tuple[str, str], Any] = {}

        def show(progress: MoveProgress) -> None:
            name = (progress.step, progress.table)
            if name not in bars:
                bars[name] = shown.add_task(" ".join(name), total=progress.total)
            shown.update(bars[name], completed=progress.done)
            if progress.done >= progress.total:
                shown.update(bars[name], visible=False)

        yield show


def _described(report: MoveReport) -> dict[str, Any]:
    return {
        "source": report.source,
        "target": report.target,
        "is_same": report.is_same,
        "taken_back": report.taken_back,
        "tables": [
            {
                "table": each.table,
                "source": each.source.count,
                "target": each.target.count,
                "checksum": f"{each.source.checksum:016x}",
                "is_same": each.is_same,
            }
            for each in report.tables
        ],
    }


def _print(report: MoveReport) -> None:
    from leasehold.cli.output import cell, make_table, show
    from leasehold.model.wording import count

    table = make_table("table", "source", "target", "checksum", "same")
    for each in report.tables:
        if each.source.count or each.target.count:
            table.add_row(
                cell(each.table),
                cell(f"{each.source.count:,}"),
                cell(f"{each.target.count:,}"),
                cell(f"{each.source.checksum:016x}"),
                cell("yes", "green") if each.is_same else cell("NO", "bold red"),
            )
    show(table)
    if report.taken_back:
        many = count(report.taken_back, "running job was", "running jobs were")
        click.echo(f"{many} taken back, without charge: the source's leases are void.")
    if report.is_same:
        click.echo(f"All of {report.source} is at {report.target}. The source stays closed.")
    else:
        click.echo(
            "The two differ. Both stay closed: look why, then use --undo on the source, and delete "
            "the target."
        )
