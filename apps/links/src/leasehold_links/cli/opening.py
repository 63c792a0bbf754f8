"""Opens the library that a command is about."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

import click

from leasehold.cli.kit import NotFound
from leasehold_links.model.people import DEMO_USER

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.cli.kit import Session
    from leasehold.kit.data import Database

USER = click.option(
    "--user",
    "user_id",
    envvar="LEASEHOLD_LINKS_USER",
    default=DEMO_USER,  # as in the browser where nobody is asked who they are
    show_default=f"LEASEHOLD_LINKS_USER, else {DEMO_USER}",
    help="Whose library it is.",
)


class Library(NamedTuple):
    """A queue and the tables of the library in its database."""

    client: lh.Client
    database: Database


@contextmanager
def open_library(session: Session, *, may_create: bool = False) -> Iterator[Library]:
    """Open it. Tables of a SQLite file are made for those who write; else they must be there."""
    from leasehold.kit.data import database_of
    from leasehold_links.data.migrating import MIGRATIONS

    with session.client(may_create=may_create) as client:
        database = database_of(client.url)
        try:
            if may_create and database.is_sqlite:
                client.store.migrate()
                MIGRATIONS.migrate(client)
            elif MIGRATIONS.pending(client):
                raise NotFound("the library's tables are not there: run `leasehold-links migrate`")
            yield Library(client, database)
        finally:
            database.close()
