"""Opens the library that a command is about."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.kit.cli import Opened, open_tables
from leasehold.kit.people import DEMO_USER

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from leasehold.cli.kit import Session
    from leasehold.kit.data import Migrations

USER = click.option(
    "--user",
    "user_id",
    envvar="LEASEHOLD_LINKS_USER",
    default=DEMO_USER,  # as in the browser where nobody is asked who they are
    show_default=f"LEASEHOLD_LINKS_USER, else {DEMO_USER}",
    help="Whose library it is.",
)


def migrations() -> Migrations:
    from leasehold_links.data.migrating import MIGRATIONS

    return MIGRATIONS


def open_library(session: Session, *, may_create: bool = False) -> AbstractContextManager[Opened]:
    """Open it. Tables of a SQLite file are made for those who write; else they must be there."""
    return open_tables(session, migrations, may_create=may_create)
