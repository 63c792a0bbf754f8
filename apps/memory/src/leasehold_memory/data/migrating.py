"""The steps that make the tables of one preset's file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import Migrations
from leasehold_memory.data.jobs_view import make_jobs_view
from leasehold_memory.data.matrix import make_notes
from leasehold_memory.data.tables import metadata
from leasehold_memory.data.text_index import RELATIONS, make_text_index

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    make_text_index(connection)
    make_notes(connection)
    make_jobs_view(connection)


MIGRATIONS = Migrations("memory", {1: _make_tables}, relations=[*metadata.tables, *RELATIONS])
