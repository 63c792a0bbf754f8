"""The steps that make the application's tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import inspect
from sqlalchemy.schema import CreateColumn

from leasehold.kit.data import Migrations
from leasehold_sync.data.tables import entities_live, entity, metadata
from leasehold_sync.data.views import make_sync_views

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    make_sync_views(connection)


def _index_live(connection: Connection) -> None:
    entities_live.create(connection, checkfirst=True)


def _keep_text_hashes(connection: Connection) -> None:
    added = entity.c.text_hash
    if added.name not in {each["name"] for each in inspect(connection).get_columns(entity.name)}:
        column = CreateColumn(added).compile(dialect=connection.dialect)
        connection.exec_driver_sql(f"ALTER TABLE {entity.name} ADD COLUMN {column}")


_VIEWS = ("sync_jobs", "sync_job_tasks")
MIGRATIONS = Migrations(
    "sync",
    {1: _make_tables, 2: _index_live, 3: _keep_text_hashes},
    relations=[*metadata.tables, *_VIEWS],
)
