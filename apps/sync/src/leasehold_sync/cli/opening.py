"""Opens the queue and the tables that a command is about, and finds the job that it names."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

import click

from leasehold.cli.kit import NotFound
from leasehold.kit.cli import Opened, open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.cli.kit import Session
    from leasehold.kit.data import Database, Migrations

RESOURCES = click.option(
    "--resources",
    metavar="NAME,…",
    help="Only these, with commas in between.  [default: all that the app has]",
)
JOB = click.argument("job", metavar="JOB|APP")


def migrations() -> Migrations:
    from leasehold_sync.data.migrating import MIGRATIONS

    return MIGRATIONS


@contextmanager
def open_sync(session: Session, *, may_create: bool = False) -> Iterator[Opened]:
    """Open it. Tables of a SQLite file are made for those who write; else they must be there."""
    from leasehold_sync.errors import AppNotFound, SyncNotFound

    try:
        with open_tables(session, migrations, may_create=may_create) as opened:
            yield opened
    except (AppNotFound, SyncNotFound) as error:
        raise NotFound(str(error)) from error


def read_names(text: str | None) -> list[str] | None:
    """Read names with commas in between; None: nobody has named any."""
    return None if text is None else [name for part in text.split(",") if (name := part.strip())]


def job_named(database: Database, name: str) -> UUID:
    """Return the job of this id, or the newest one of the app of this name."""
    from leasehold_sync import apps
    from leasehold_sync.data import browsing

    try:
        return UUID(name)
    except ValueError:
        pass
    app_key = apps.get(database, name).app_key
    with database.browse() as connection:
        newest = browsing.jobs_of(connection, app_key, before=None, limit=1).rows
    if not newest:
        raise NotFound(f"{app_key} has not been synced yet: leasehold-sync run {app_key}")
    found: UUID = newest[0]["id"]
    return found
