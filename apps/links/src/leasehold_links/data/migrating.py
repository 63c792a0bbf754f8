"""The steps that make the library's tables and views."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit.data import Migrations, make_views
from leasehold_links.data.tables import metadata
from leasehold_links.data.views import VIEWS

if TYPE_CHECKING:
    from sqlalchemy import Connection


def _make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    make_views(connection, *VIEWS)


_VIEWS = ("import_jobs", "enrichment_jobs", "links_standing", "links_states")
MIGRATIONS = Migrations("links", {1: _make_tables}, relations=[*metadata.tables, *_VIEWS])
