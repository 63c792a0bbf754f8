"""`--where`: changes all jobs that filters name, instead of those whose ids are given."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.bulk import Bulk
    from leasehold.cli.session import Session
    from leasehold.client import Client

EVERYTHING = "all"
_DONE = {"cancel": "cancelled", "retry": "made ready", "delete": "deleted"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Selection:
    """What the options about many jobs say; empty when ids were given instead."""

    where: tuple[str, ...]
    limit: int | None
    dry_run: bool
    yes: bool

    @property
    def is_empty(self) -> bool:
        return not self.where

    def filters(self) -> dict[str, Any]:
        if EVERYTHING in self.where:
            if len(self.where) > 1:
                raise click.UsageError(f"--where {EVERYTHING} stands alone")
            return {}
        found: dict[str, str] = {}
        for word in self.where:
            name, separator, value = word.partition("=")
            if not separator or not name:
                raise click.UsageError(f"--where {word!r} is not NAME=VALUE, nor {EVERYTHING}")
            if name in found:
                raise click.UsageError(f"--where {name} is given twice")
            found[name] = value
        return found


def with_selection(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes ids the options to name jobs by filters, as `selection`."""

    @click.argument("ids", nargs=-1, metavar="[ID...]")
    @click.option(
        "--where",
        multiple=True,
        metavar="NAME=VALUE",
        help="Instead of ids: all jobs of this state, queue, kind, tenant, batch …; may be given "
        f"several times. {EVERYTHING!r}: no restriction.",
    )
    @click.option("--limit", type=click.IntRange(1), help="With --where: at most so many.")
    @click.option("--dry-run", is_flag=True, help="With --where: count them, change nothing.")
    @click.option("--yes", is_flag=True, help="Do not ask on a terminal before changing several.")
    @wraps(command)
    def run(
        *args: Any,
        ids: tuple[str, ...],
        where: tuple[str, ...],
        limit: int | None,
        dry_run: bool,
        yes: bool,
        **options: Any,
    ) -> None:
        if bool(ids) == bool(where):
            raise click.UsageError("give either ids or --where")
        if ids and (limit is not None or dry_run):
            raise click.UsageError("--limit and --dry-run go with --where")
        selection = Selection(where=where, limit=limit, dry_run=dry_run, yes=yes)
        command(*args, ids=ids, selection=selection, **options)

    return run


def change_selected(
    session: Session, verb: str, selection: Selection, *, asks: bool, **options: Any
) -> None:
    """Count, ask, change and tell; `options` go to the client's verb."""
    filters = selection.filters()
    with session.client() as client:
        change: Callable[..., Bulk] = _verb(client, verb)
        if selection.dry_run or asks:
            counted = change(limit=selection.limit, dry_run=True, **filters)
            if selection.dry_run or not _is_wanted(verb, counted):
                _print(session, verb, counted, dry_run=True)
                return
        progress = _show_progress if sys.stderr.isatty() else None
        done = change(limit=selection.limit, progress=progress, **filters, **options)
    _print(session, verb, done, dry_run=False)


def _verb(client: Client, verb: str) -> Callable[..., Bulk]:
    verbs = {
        "cancel": client.cancel_many,
        "retry": client.retry_many,
        "delete": client.delete_many,
    }
    return verbs[verb]


def _is_wanted(verb: str, counted: Bulk) -> bool:
    if counted.matched:
        click.confirm(f"{verb.capitalize()} {_jobs(counted.matched)}?", abort=True, err=True)
    return counted.matched > 0


def _show_progress(done: Bulk) -> None:
    click.echo(f"\r{done.changed:,} …", nl=False, err=True)


def _print(session: Session, verb: str, done: Bulk, *, dry_run: bool) -> None:
    if session.is_json:
        from leasehold.cli.output import print_json

        print_json({"matched": done.matched, "changed": done.changed, "dry_run": dry_run})
    elif dry_run:
        click.echo(f"{_jobs(done.matched)} would be {_DONE[verb]}.")
    else:
        of_all = "" if done.changed == done.matched else f" of {done.matched:,}"
        click.echo(f"{_jobs(done.changed)}{of_all} {_DONE[verb]}.")


def _jobs(amount: int) -> str:
    return f"{amount:,} job{'' if amount == 1 else 's'}"
