"""A small application's tables: parcels, and the jobs that deliver them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlalchemy import JSON, Column, Integer, LargeBinary, MetaData, Table, Text, UniqueConstraint

import leasehold as lh
from leasehold.kit.data import Id, Migrations, Moment, make_views

if TYPE_CHECKING:
    from sqlalchemy import Connection

metadata = MetaData()
parcel = Table(
    "parcels_parcel",
    metadata,
    Column("id", Id, primary_key=True),  # its job has the same
    Column("name", Text, nullable=False),
    Column("weight", Integer, nullable=False, server_default="0"),
    Column("seal", LargeBinary, nullable=False, server_default=""),
    Column("tags", JSON, nullable=False, server_default="[]"),
    Column("sent_at", Moment),
    UniqueConstraint("name"),
)
DELIVERIES = """
CREATE VIEW parcels_deliveries AS
SELECT p.id, p.name, j.status FROM parcels_parcel AS p JOIN {jobs} AS j ON j.id = p.id
"""


def make_tables(connection: Connection) -> None:
    metadata.create_all(connection)
    make_views(connection, DELIVERIES)


@lh.task(name="parcels.deliver", queue="parcels")
def deliver(name: str) -> str:
    return f"{name} is there"


def migrations() -> Migrations:
    """Make them anew, so that a test may change its steps."""
    return Migrations("parcels", {1: make_tables})
