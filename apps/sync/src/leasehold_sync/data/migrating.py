"""The steps that make the application's tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import Migrations
from leasehold_sync.data.tables import entities_live, metadata
from leasehold_sync.data.views import make_sync_views

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    make_sync_views(connection)


def _index_live(connection: Connection) -> None:
    entities_live.create(connection, checkfirst=True)


_VIEWS = ("sync_jobs", "sync_job_tasks")
MIGRATIONS = Migrations(
    "sync", {1: _make_tables, 2: _index_live}, relations=[*metadata.tables, *_VIEWS]
)
