"""Tenants and their people, papers, extractions, chunks, and what each cost.

Columns of `document_chunks` and `extractions` are the seed's, in its order; ours come behind them.
Whether a job waits, runs or has ended is the queue's alone: `jobs` is a view of it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    CheckConstraint,
    Column,
    ForeignKey,
    Identity,
    Index,
    Integer,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB

from leasehold.kit.data import Id, Moment

metadata = MetaData()
Data = JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Moment, nullable=nullable)


def _tenant() -> Column[Any]:
    return Column("tenant_id", Id, ForeignKey("organizations.id"), nullable=False)


organizations = Table(
    "organizations",
    metadata,
    Column("id", Id, primary_key=True),
    Column("name", Text, nullable=False),
    Column("fast_cents", Integer),  # a page; NULL: as the settings say
    Column("hires_cents", Integer),
    _moment("created_at"),
)

users = Table(
    "users",
    metadata,
    Column("id", Id, primary_key=True),
    Column("email", Text, nullable=False, unique=True),
    Column("name", Text, nullable=False, server_default=""),
    Column("language", Text, nullable=False, server_default="de"),
    _moment("created_at"),
)

memberships = Table(
    "memberships",
    metadata,
    Column("user_id", Id, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column("tenant_id", Id, ForeignKey("organizations.id"), primary_key=True),
    Column("role", Text, nullable=False, server_default="member"),
    _moment("created_at"),
    CheckConstraint("role IN ('admin', 'member', 'reader')", name="membership_role"),
)

# Where papers are filed: a tree with names in the tenant's own words.
nodes = Table(
    "nodes",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("parent_id", Id, ForeignKey("nodes.id", ondelete="CASCADE")),
    Column("name", Text, nullable=False),
    Column("doc_type", Text),  # papers of this type belong here
    _moment("created_at"),
    Index("nodes_tenant", "tenant_id", "parent_id"),
)

connectors = Table(
    "connectors",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("provider", Text, nullable=False),
    Column("name", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="active"),
    Column("token_version", Integer, nullable=False, server_default="0"),  # which tokens are good
    Column("refresh_ticket", Integer, nullable=False, server_default="0"),  # whose turn came last
    _moment("refresh_until", nullable=True),  # so long nobody else may refresh them
    Column("account", Text),
    Column("base_url", Text),  # NULL: the provider's own
    Column("created_by", Id),
    _moment("created_at"),
    _moment("updated_at"),
    CheckConstraint("provider IN ('dropbox', 'onedrive', 'gdrive')", name="connector_provider"),
    CheckConstraint("status IN ('pending', 'active', 'expired')", name="connector_status"),
    Index("connectors_tenant", "tenant_id"),
)

documents = Table(
    "documents",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("name", Text, nullable=False),  # as it was given; shown as text, never a path
    Column("file_path", Text, nullable=False),  # the key in the vault, safe by making
    Column("media_type", Text, nullable=False),  # what the content is, whatever the name says
    Column("size_bytes", BigInteger, nullable=False),
    Column("sha256", Text, nullable=False),
    Column("page_count", Integer),
    Column("doc_type", Text),
    Column("node_id", Id, ForeignKey("nodes.id", ondelete="SET NULL")),
    Column("current_extraction_id", Id),  # the one that search sees
    Column("duplicate_of", Id, ForeignKey("documents.id", ondelete="SET NULL")),
    Column("source", Text, nullable=False, server_default="upload"),
    Column("connector_id", Id, ForeignKey("connectors.id", ondelete="SET NULL")),
    Column("remote_id", Text),
    Column("remote_revision", Text),
    Column("created_by", Id),
    _moment("created_at"),
    _moment("updated_at"),
    Index("documents_tenant", "tenant_id", "created_at"),
    Index("documents_content", "tenant_id", "sha256"),
    # A file of a source is imported once, whatever is called or killed how often.
    Index(
        "documents_remote",
        "connector_id",
        "remote_id",
        "remote_revision",
        unique=True,
        postgresql_where=text("connector_id IS NOT NULL"),
        sqlite_where=text("connector_id IS NOT NULL"),
    ),
)

# Files on their way into the vault: a row of one that never arrived leads to what is left of it.
arrivals = Table(
    "document_arrivals",
    metadata,
    Column("document_id", Id, primary_key=True),
    _tenant(),
    _moment("created_at"),
    Index("document_arrivals_at", "created_at"),
)

extractions = Table(
    "extractions",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("engine", Text, nullable=False),
    Column("status", Text, nullable=False, server_default="queued"),
    _moment("consent_given_at", nullable=True),
    Column("consent_given_by", Id),
    Column("estimated_pages", Integer),
    Column("estimated_cost_cents", Integer),
    Column("actual_pages", Integer),
    Column("actual_cost_cents", Integer),
    Column("result_json", Data),
    Column("error_message", Text),
    _moment("started_at", nullable=True),
    _moment("finished_at", nullable=True),
    _moment("created_at"),
    _moment("updated_at"),
    Column("job_id", Id),  # the job, or the batch of page ranges
    Column("error_code", Text),
    CheckConstraint(
        "engine IN ('unstructured_fast', 'unstructured_hires')", name="extraction_engine"
    ),
    CheckConstraint(
        "status IN ('awaiting_consent', 'queued', 'running', 'done', 'failed', 'cancelled')",
        name="extraction_status",
    ),
    Index("extractions_document", "document_id", "created_at"),
    Index("extractions_tenant", "tenant_id", "created_at"),
    Index("extractions_consent", "tenant_id", "consent_given_by", "status"),
    Index("extractions_job", "job_id"),
)

document_chunks = Table(
    "document_chunks",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column("extraction_id", Id, ForeignKey("extractions.id", ondelete="CASCADE")),
    Column("chunk_index", Integer, nullable=False),
    Column("page_number", Integer),
    Column("element_type", Text),
    Column("text", Text, nullable=False),
    Column("metadata", Data, server_default="{}"),
    _moment("created_at"),
    UniqueConstraint("extraction_id", "chunk_index", name="document_chunks_once"),
    Index("idx_document_chunks_doc", "document_id", "chunk_index"),
)

# What search knows of a chunk of a document's current extraction; its words are in the index of
# either database: see `search_index`. Of more hits than are ranked, the greatest numbers count.
terms = Table(
    "document_terms",
    metadata,
    Column("number", BigInteger().with_variant(Integer, "sqlite"), Identity(), primary_key=True),
    _tenant(),
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), nullable=False),
    Column(
        "chunk_id",
        Id,
        ForeignKey("document_chunks.id", ondelete="CASCADE"),
        nullable=False,
        unique=True,
    ),
    Column("is_title", Boolean, nullable=False),
    Index("document_terms_document", "document_id"),
)

# Money: what is reserved is later booked or given back, each at most once for an extraction.
ledger = Table(
    "document_ledger",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("extraction_id", Id, nullable=False),  # outlives it: money is not forgotten
    Column("entry", Text, nullable=False),
    Column("pages", Integer, nullable=False),
    Column("cents", Integer, nullable=False),
    Column("sha256", Text, nullable=False),  # of what: a content is paid for once
    Column("engine", Text, nullable=False),
    _moment("created_at"),
    UniqueConstraint("extraction_id", "entry", name="document_ledger_once"),
    CheckConstraint("entry IN ('reserve', 'book', 'refund')", name="document_ledger_entry"),
    Index("document_ledger_tenant", "tenant_id", "created_at"),
    Index("document_ledger_content", "tenant_id", "sha256", "engine"),
)

notifications = Table(
    "notifications",
    metadata,
    Column("id", Id, primary_key=True),
    _tenant(),
    Column("user_id", Id, ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
    Column("kind", Text, nullable=False),
    Column("document_id", Id),
    Column("job_id", Id),
    Column("data", Data, nullable=False, server_default="{}"),
    _moment("created_at"),
    _moment("read_at", nullable=True),
    UniqueConstraint("user_id", "kind", "job_id", name="notifications_once"),
    Index("notifications_user", "user_id", "created_at"),
)

# What a paper was thought to be, and what people made of it.
suggestions = Table(
    "document_suggestions",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    _tenant(),
    Column("extraction_id", Id, nullable=False),
    Column("doc_type", Text, nullable=False),
    Column("confidence", Integer, nullable=False),  # in thousandths
    Column("node_id", Id, ForeignKey("nodes.id", ondelete="SET NULL")),
    Column("state", Text, nullable=False),
    Column("decided_type", Text),
    Column("decided_by", Id),
    _moment("decided_at", nullable=True),
    _moment("created_at"),
    CheckConstraint(
        "state IN ('filed', 'review', 'inbox', 'accepted', 'corrected', 'rejected')",
        name="document_suggestion_state",
    ),
    Index("document_suggestions_state", "tenant_id", "state", "created_at"),
)

# What people's decisions taught about a paper's type; it goes with the paper.
lessons = Table(
    "document_lessons",
    metadata,
    Column("document_id", Id, ForeignKey("documents.id", ondelete="CASCADE"), primary_key=True),
    _tenant(),
    Column("doc_type", Text, nullable=False),
    Column("words", Data, nullable=False),  # stems, and how often each occurs
    _moment("learnt_at"),
    Index("document_lessons_tenant", "tenant_id", "learnt_at"),
)

# Engines that nobody is to ask for a while, since a service refuses our key.
pauses = Table(
    "document_pauses",
    metadata,
    Column("engine", Text, primary_key=True),
    _moment("until"),
    Column("reason", Text, nullable=False),
    _moment("created_at"),
)

# What an import has found at its source, and what became of it: how far it is, whoever goes on.
import_files = Table(
    "document_import_files",
    metadata,
    Column("job_id", Id, primary_key=True),
    Column("remote_id", Text, primary_key=True),
    _tenant(),
    Column("connector_id", Id, ForeignKey("connectors.id", ondelete="CASCADE"), nullable=False),
    Column("position", Integer, nullable=False),  # in the order in which they were found
    Column("kind", Text, nullable=False),  # folders are read, or tell where files are
    Column("parent", Text, nullable=False, server_default=""),
    Column("name", Text, nullable=False),
    Column("path", Text, nullable=False, server_default=""),
    Column("revision", Text, nullable=False, server_default=""),
    Column("size_bytes", BigInteger),
    Column("digest", Text, nullable=False, server_default=""),
    Column("export", Text, nullable=False, server_default=""),
    Column("state", Text, nullable=False),
    Column("code", Text),  # why it was refused
    Column("document_id", Id),
    _moment("created_at"),
    CheckConstraint("kind IN ('file', 'folder')", name="document_import_kind"),
    CheckConstraint(
        "state IN ('waiting', 'fetching', 'imported', 'present', 'refused', 'read')",
        name="document_import_state",
    ),
    Index("document_import_files_next", "job_id", "kind", "state", "position"),
    Index("document_import_files_connector", "connector_id"),
    Index("document_import_files_tenant", "tenant_id"),
)

# Refused looks at other tenants, mismatched jobs: written by a transaction of its own, which stays.
audit = Table(
    "document_audit",
    metadata,
    Column("id", Id, primary_key=True),
    Column("tenant_id", Id),  # whose it was; no key: it outlives all
    Column("user_id", Id),
    Column("action", Text, nullable=False),
    Column("subject", Text, nullable=False, server_default=""),
    Column("detail", Data, nullable=False, server_default="{}"),
    _moment("created_at"),
    Index("document_audit_at", "created_at"),
)
