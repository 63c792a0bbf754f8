"""An application's own tables, in the same database as the queue: SQLite or PostgreSQL.

    from leasehold.kit.data import Database, Id, Migrations, Moment

A job and what it is about can then be written in one transaction.
"""

from leasehold.kit.data.bulk import Bulk, Upsert, id_texts, moment_text
from leasehold.kit.data.columns import Id, Moment
from leasehold.kit.data.database import (
    Database,
    close_databases,
    database_of,
    discreet,
    driver_connection,
    plan_widely,
)
from leasehold.kit.data.migrating import Migrations
from leasehold.kit.data.paging import Page, page_of
from leasehold.kit.data.refusing import refusals
from leasehold.kit.data.views import make_views, queue_views
from leasehold.kit.data.writing import insert_new, upsert

__all__ = [
    "Bulk",
    "Database",
    "Id",
    "Migrations",
    "Moment",
    "Page",
    "Upsert",
    "close_databases",
    "database_of",
    "discreet",
    "driver_connection",
    "id_texts",
    "insert_new",
    "make_views",
    "moment_text",
    "page_of",
    "plan_widely",
    "queue_views",
    "refusals",
    "upsert",
]
