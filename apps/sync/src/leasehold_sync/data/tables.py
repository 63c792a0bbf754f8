"""Apps, what came from them, how far each resource is, and what running scans have counted.

Whether a job or a task waits, runs or has ended is the queue's alone: `views.py` shows it under the
seed's names.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)
from sqlalchemy.dialects.postgresql import JSONB

from leasehold.kit.data import Id, Moment

metadata = MetaData()
Document = JSON().with_variant(JSONB(), "postgresql")
Number = BigInteger().with_variant(Integer(), "sqlite")  # SQLite numbers rows of that name only


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Moment, nullable=nullable)


def _count(name: str) -> Column[Any]:
    return Column(name, BigInteger, nullable=False, server_default="0")


app = Table(
    "apps",
    metadata,
    Column("app_key", Text, primary_key=True),
    Column("connector", Text, nullable=False),
    Column("credential", Text, nullable=False, server_default=""),  # where it is, never itself
    Column("base_url", Text, nullable=False, server_default=""),
    _moment("sync_from", nullable=True),
    Column("resources", JSON(none_as_null=True)),  # NULL: all
    Column("options", JSON, nullable=False, server_default="{}"),
    Column("schedule", Text),
    Column("current_run", Id),  # the newest sync job: a second one is not begun beside it
    _moment("created_at"),
    _moment("updated_at"),
)

# Every object of every source. A row that is unchanged is never written again, so the run that saw
# it last stands in `sync_seen` until its scan has ended.
entity = Table(
    "entities",
    metadata,
    # An identity, no serial: who may insert rows need not be given a sequence, too.
    Column("number", Number, Identity(), primary_key=True),
    Column("app_key", Text, nullable=False),
    Column("collection_key", Text, nullable=False),
    Column("external_id", Text, nullable=False),
    Column("parent_id", Text),
    Column("payload", Document, nullable=False),
    Column("payload_hash", LargeBinary(16), nullable=False),
    # Of the object as the source wrote it, if that is known: the same text need not be read.
    Column("text_hash", LargeBinary(16)),
    Column("version", Text, nullable=False),  # of the API that the payload is written in
    _moment("as_of"),  # when it was so, by the source
    _moment("source_created_at", nullable=True),
    Column("last_seen_run", Id, nullable=False),  # that has written it last
    _moment("created_at"),
    _moment("updated_at"),
    _moment("deleted_at", nullable=True),
    UniqueConstraint("app_key", "collection_key", "external_id"),
)
# All that is there, without its payloads: the end of a scan compares that with what was seen.
entities_live = Index(
    "entities_live",
    entity.c.app_key,
    entity.c.collection_key,
    entity.c.last_seen_run,
    entity.c.source_created_at,
    postgresql_include=["number"],
    postgresql_where=entity.c.deleted_at.is_(None),
    sqlite_where=entity.c.deleted_at.is_(None),
)

# From where on the next incremental sync asks for changes.
state = Table(
    "sync_state",
    metadata,
    Column("app_key", Text, primary_key=True),
    Column("resource_type", Text, primary_key=True),
    _moment("synced_to"),
    Column("run_id", Id, nullable=False),
    _moment("updated_at"),
)

run = Table(
    "sync_run",
    metadata,
    Column("id", Id, primary_key=True),  # its batch has the same
    Column("app_key", Text, nullable=False),
    Column("mode", Text, nullable=False),
    Column("force", Boolean, nullable=False),  # delete, however many that are
    _moment("cancelled_at", nullable=True),  # so that a running task sees it at its next page
    _moment("created_at"),
)
Index("sync_run_app", run.c.app_key, run.c.id)

task = Table(
    "sync_task",
    metadata,
    Column("id", Id, primary_key=True),  # its job has the same
    Column("run_id", Id, ForeignKey("sync_run.id", ondelete="CASCADE"), nullable=False),
    Column("resource_type", Text, nullable=False),
    _count("created"),
    _count("updated"),
    _count("unchanged"),
    _count("deleted"),
    _count("nameless"),
    _count("pages"),
    Column("note", Text),  # why nothing was deleted
    Column("snooze_reason", Text),
    _moment("snoozed_until", nullable=True),
    Column("refused", Text),  # the source does not let us in: nor the other tasks of the run
    _moment("created_at"),
    _moment("started_at", nullable=True),
    UniqueConstraint("run_id", "resource_type"),
)

# The objects that a scan saw unchanged, a page in a row; gone when the scan has ended.
seen = Table(
    "sync_seen",
    metadata,
    Column("scan_id", Id, primary_key=True),
    Column("page", Integer, primary_key=True),
    Column("numbers", JSON, nullable=False),
    _moment("created_at"),
)
