"""Folders, links, what is known of their addresses, imports, and what we learn about domains.

State of imports and enrichments is the queue's alone: `views.py` shows it under the seed's names.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    DDL,
    JSON,
    BigInteger,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    event,
)

from leasehold.kit.data import Id, Moment

metadata = MetaData()


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Moment, nullable=nullable)


# Where a person keeps links. A folder is its whole path: two files with one path mean one folder.
folder = Table(
    "links_folder",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("root", Text, nullable=False),
    Column("path", Text, nullable=False),  # the names from the root down, as JSON
    # Fifty long names are more than PostgreSQL takes into an index.
    Column("path_hash", LargeBinary(32), nullable=False),
    Column("name", Text, nullable=False),
    Column("parent_id", Id, ForeignKey("links_folder.id", ondelete="CASCADE")),
    Column("position", BigInteger, nullable=False, server_default="0"),  # among links and folders
    _moment("created_at"),
    UniqueConstraint("user_id", "root", "path_hash"),
)
Index("links_folder_parent", folder.c.parent_id)

# One address, however many folders and people it stands with; a private one is its owner's (scope).
canonical = Table(
    "links_canonical",
    metadata,
    Column("id", Id, primary_key=True),
    Column("scope", Text, nullable=False),  # "" for all, else the user's id
    Column("key_hash", LargeBinary(32), nullable=False),
    Column("key_version", Integer, nullable=False),
    Column("url", Text, nullable=False),  # as it first came: this is what is fetched
    Column("host", Text, nullable=False),
    Column("domain", Text, nullable=False),
    Column("title", Text),
    Column("description", Text),
    Column("image", Text),
    Column("favicon", Text),
    Column("site_name", Text),
    Column("language", Text),
    Column("content_type", Text),
    Column("final_url", Text),
    Column("reason", Text),  # why there is no more: model/outcomes.Reason
    Column("status", Integer),  # of the last answer
    Column("snoozes", Integer, nullable=False, server_default="0"),
    _moment("snoozed_since", nullable=True),
    _moment("fetched_at", nullable=True),
    Column("job_id", Id),  # of its newest enrichment, whose state is the queue's
    _moment("created_at"),
    UniqueConstraint("scope", "key_hash"),
)
Index("links_canonical_domain", canonical.c.domain)
Index("links_canonical_job", canonical.c.job_id)

# A link in a folder. The title is the person's own, and wins over the page's.
link = Table(
    "links_link",
    metadata,
    Column("id", Id, primary_key=True),
    Column("user_id", Text, nullable=False),
    Column("folder_id", Id, ForeignKey("links_folder.id", ondelete="CASCADE"), nullable=False),
    Column("canonical_id", Id, ForeignKey("links_canonical.id"), nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False, server_default=""),
    Column("description", Text, nullable=False, server_default=""),
    Column("tags", JSON, nullable=False, server_default="[]"),
    Column("icon", Text),
    Column("position", BigInteger, nullable=False, server_default="0"),
    _moment("added_at", nullable=True),
    _moment("created_at"),
    UniqueConstraint("folder_id", "canonical_id"),
)
Index("links_link_user", link.c.user_id, link.c.id)
Index("links_link_folder", link.c.folder_id, link.c.id)
Index("links_link_canonical", link.c.canonical_id)

# The import's counts; whether it waits, runs or has ended is its job's state.
import_ = Table(
    "links_import",
    metadata,
    Column("id", Id, primary_key=True),  # its job has the same id
    Column("user_id", Text, nullable=False),
    Column("source_type", Text, nullable=False),
    Column("file_name", Text, nullable=False, server_default=""),
    Column("file_bytes", BigInteger, nullable=False),
    Column("total_items", Integer),  # NULL until they are counted
    Column("imported_items", Integer, nullable=False, server_default="0"),
    Column("duplicate_items", Integer, nullable=False, server_default="0"),
    Column("skipped_items", Integer, nullable=False, server_default="0"),
    Column("failed_items", Integer, nullable=False, server_default="0"),
    _moment("created_at"),
)
Index("links_import_user", import_.c.user_id, import_.c.id)

# The file until its import ends: the web and the worker may be different machines.
upload = Table(
    "links_upload",
    metadata,
    Column("import_id", Id, ForeignKey("links_import.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("chunk", LargeBinary, nullable=False),
)
# Not compressed: that took PostgreSQL longer than all else about an upload, for a file of an hour.
_AS_IT_IS = DDL(  # type: ignore[no-untyped-call] # SQLAlchemy's own
    "ALTER TABLE links_upload ALTER COLUMN chunk SET STORAGE EXTERNAL"
)
event.listen(upload, "after_create", _AS_IT_IS.execute_if(dialect="postgresql"))

# Each line that did not become a link, and why.
import_item = Table(
    "links_import_item",
    metadata,
    Column("import_id", Id, ForeignKey("links_import.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),  # of the entry in its file, from 0
    Column("outcome", Text, nullable=False),  # duplicate, skipped, failed
    Column("reason", Text, nullable=False),
    Column("url", Text, nullable=False),
    Column("title", Text, nullable=False),
    _moment("created_at"),
)

# What a person has decided about a domain, or is asked to.
domain = Table(
    "links_domain",
    metadata,
    Column("domain", Text, primary_key=True),
    Column("state", Text, nullable=False),  # candidate, blocked, allowed
    Column("decided_by", Text),
    _moment("decided_at", nullable=True),
    _moment("created_at"),
)

# What a domain's answers were that made us ask.
evidence = Table(
    "links_evidence",
    metadata,
    Column("domain", Text, primary_key=True),
    Column("canonical_id", Id, primary_key=True),
    Column("reason", Text, primary_key=True),
    Column("status", Integer),
    _moment("seen_at"),
)

robots = Table(
    "links_robots",
    metadata,
    Column("origin", Text, primary_key=True),  # scheme, host and port
    Column("status", Integer, nullable=False),
    Column("rules", Text, nullable=False),
    _moment("fetched_at"),
)
