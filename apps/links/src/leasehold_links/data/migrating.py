"""Makes the tables and views, step by step; what was done is written down and never done twice."""

from __future__ import annotations

from collections.abc import Callable

from sqlalchemy import (
    Column,
    Connection,
    Integer,
    MetaData,
    Table,
    func,
    insert,
    inspect,
    select,
    text,
)

from leasehold_links.data.database import Database
from leasehold_links.data.tables import metadata
from leasehold_links.data.views import VIEWS

_version = Table("links_version", MetaData(), Column("number", Integer, primary_key=True))
_LOCK = 7_236_195_113_077_021_001  # of PostgreSQL: two that migrate at once take turns


def migrate(database: Database) -> list[int]:
    """Bring the tables up to date; returns the numbers of the steps that were taken."""
    with database.write() as connection:
        if not database.is_sqlite:
            connection.execute(select(func.pg_advisory_xact_lock(_LOCK)))
        _version.create(connection, checkfirst=True)
        done = set(connection.scalars(select(_version.c.number)))
        steps = [number for number in sorted(_STEPS) if number not in done]
        for number in steps:
            _STEPS[number](connection)
            connection.execute(insert(_version), {"number": number})
        return steps


def pending(database: Database) -> list[int]:
    """Return the steps that were not taken yet, and take none."""
    with database.read() as connection:
        if not inspect(connection).has_table(_version.name):
            return sorted(_STEPS)
        done = set(connection.scalars(select(_version.c.number)))
    return [number for number in sorted(_STEPS) if number not in done]


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    for statement in VIEWS[connection.dialect.name]:
        connection.execute(text(statement))


_STEPS: dict[int, Callable[[Connection], None]] = {1: _make_tables}
