"""The views of the seed as tables to select from: the queue's state of imports and enrichments."""

from __future__ import annotations

from sqlalchemy import Column, Integer, MetaData, Table, Text

from leasehold.kit.data import Id, Moment

_seen = MetaData()  # not the tables' own: these are made as views

import_jobs = Table(
    "import_jobs",
    _seen,
    Column("id", Id, primary_key=True),
    Column("user_id", Text),
    Column("source_type", Text),
    Column("status", Text),
    Column("total_items", Integer),
    Column("processed_items", Integer),
    Column("failed_items", Integer),
    Column("created_at", Moment),
    Column("started_at", Moment),
    Column("finished_at", Moment),
    Column("last_error", Text),
)

enrichment_jobs = Table(
    "enrichment_jobs",
    _seen,
    Column("id", Id, primary_key=True),
    Column("link_canonical_id", Id),
    Column("status", Text),
    Column("attempts", Integer),
    Column("max_attempts", Integer),
    Column("run_after", Moment),
    Column("locked_at", Moment),
    Column("locked_by", Text),
    Column("last_error", Text),
    Column("created_at", Moment),
    Column("updated_at", Moment),
)
