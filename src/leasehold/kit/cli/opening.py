"""Opens the queue and the tables that a command is about."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from leasehold.cli.kit import NotFound

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.cli.kit import Session
    from leasehold.client import Client
    from leasehold.kit.data import Database, Migrations


class Opened(NamedTuple):
    """A queue and the application's tables in its database."""

    client: Client
    database: Database


@contextmanager
def open_tables(
    session: Session, migrations: Callable[[], Migrations], *, may_create: bool = False
) -> Iterator[Opened]:
    """Open them. Tables of a SQLite file are made for those who write; else they must be there.

    `migrations` is asked for late: a command that is only asked for help imports no SQLAlchemy.
    """
    from leasehold.kit.data import database_of

    with session.client(may_create=may_create) as client:
        database = database_of(client.url)
        try:
            if may_create and database.is_sqlite:
                client.store.migrate()
                migrations().migrate(client)
            elif migrations().pending(client):
                program = click.get_current_context().find_root().info_name
                raise NotFound(f"the tables are not up to date: run `{program} migrate`")
            yield Opened(client, database)
        finally:
            database.close()
