"""The steps that make the application's tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import Migrations
from leasehold_documents.data.jobs_view import make_jobs_view
from leasehold_documents.data.roles import secure, share
from leasehold_documents.data.search_index import make_search_index
from leasehold_documents.data.seed_defaults import set_defaults
from leasehold_documents.data.tables import metadata

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    set_defaults(connection)
    secure(connection)  # for all tables that there are
    make_jobs_view(connection)
    make_search_index(connection)


MIGRATIONS = Migrations(
    "documents", {1: _make_tables}, relations=[*metadata.tables, "jobs"], share=share
)
