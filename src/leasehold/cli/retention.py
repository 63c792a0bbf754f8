"""`leasehold retention` and `leasehold prune`: how long ended jobs are kept."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Command, Listing, with_session
from leasehold.cli.controlling import BY, answer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.cli.session import Session
    from leasehold.keeping import PruneReport
    from leasehold.model.keeping import Retention

_EXAMPLE = """\
leasehold retention
leasehold retention set --keep 3d --dead 90d
leasehold retention set --queue mail --keep 12h
leasehold retention set --task shop.book_order --keep ever"""

_QUEUE = click.option("--queue", help="Only for jobs of this queue.")
_TASK = click.option("--task", help="Only for jobs of this task; goes before its queue.")


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def retention(session: Session) -> None:
    """Show how long ended jobs are kept, or say it anew.

    Succeeded jobs are kept for 7 days after their end, dead and cancelled ones for 30, unless
    something else is said: for a task, else for its queue, else for all.
    """
    with session.client() as client:
        said, common = client.retention.list(), client.retention.of(queue="")
    _print(session, said, common)


@retention.command("set", example="leasehold retention set --queue mail --keep 3d")
@_QUEUE
@_TASK
@click.option("--keep", metavar="TIME|ever", help="Succeeded jobs.")
@click.option("--dead", metavar="TIME|ever", help="Dead jobs; at least as long as --keep.")
@click.option("--cancelled", metavar="TIME|ever", help="Cancelled jobs.")
@BY
@with_session
def set_retention(session: Session, /, *, by: str | None, **said: Any) -> None:
    """Say how long ended jobs are kept: those of a queue, of a task, or all.

    It takes the place of what was said there before.
    """
    with session.client() as client:
        client.retention.set(**said, by=by)
    answer(session, f"{_whose(said)}: set", **said, is_changed=True)


@retention.command("reset", example="leasehold retention reset --queue mail")
@_QUEUE
@_TASK
@with_session
def reset(session: Session, /, **said: Any) -> None:
    """Forget what was set; a task's code says its own again when a worker starts."""
    with session.client() as client:
        is_changed = client.retention.reset(**said)
    told = "forgotten" if is_changed else "nothing was set"
    answer(session, f"{_whose(said)}: {told}", **said, is_changed=is_changed)


@click.command(cls=Command, example="leasehold prune --dry-run\nleasehold prune")
@click.option("--dry-run", is_flag=True, help="Count what would go, take nothing away.")
@with_session
def prune(session: Session, *, dry_run: bool) -> None:
    """Take away now what is past its time.

    Workers do so by and by, and give way to jobs; this goes on without a rest, in short steps.
    """
    from leasehold.cli.output import print_json
    from leasehold.model.wording import count

    with session.client() as client, _showing(session) as progress:
        report = client.prune(dry_run=dry_run, progress=progress)
    if session.is_json:
        print_json({"dry_run": dry_run, "jobs": report.jobs, "keys": report.keys})
        return
    verb = "would go" if dry_run else "went"
    click.echo(f"{count(report.jobs, 'job')} and {count(report.keys, 'key')} {verb}")


@contextmanager
def _showing(session: Session) -> Iterator[Callable[[PruneReport], None] | None]:
    """Show on a terminal how far it is; on stderr, so that a pipe gets the answer only."""
    if session.is_json or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as shown:
        line = shown.add_task("looking")

        def show(report: PruneReport) -> None:
            told = f"{report.jobs:,} jobs and {report.keys:,} keys of {report.seen:,} looked at"
            shown.update(line, description=told)

        yield show


def _print(session: Session, said: list[Retention], common: Any) -> None:
    from leasehold.cli.output import cell, make_table, plain, print_json, show

    if session.is_json:
        print_json({"all": plain(common), "said": [plain(each) for each in said]})
        return
    table = make_table("for", "succeeded", "dead", "cancelled", "set by")
    table.add_row(cell("all jobs"), *map(cell, _times(common)), cell(""))
    for each in said:
        if each.scope != "all":
            set_by = cell(each.set_by or "its code")
            name = cell(f"{each.scope} {each.name}")
            table.add_row(name, *map(cell, _times(each.keep)), set_by)
    show(table)


def _times(keep: Any) -> list[str]:
    return [_time(each) for each in (keep.succeeded, keep.dead, keep.cancelled)]


def _time(seconds: float | None) -> str:
    from leasehold.model.keeping import EVER, EVER_SECONDS
    from leasehold.model.wording import span

    if seconds is None:
        return ""
    return EVER if seconds >= EVER_SECONDS else span(seconds)


def _whose(said: dict[str, Any]) -> str:
    if said.get("queue"):
        return f"queue {said['queue']}"
    return f"task {said['task']}" if said.get("task") else "all jobs"
