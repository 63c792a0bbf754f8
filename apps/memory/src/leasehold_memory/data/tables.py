"""The tables of one preset's file, `memory_<embedding_preset_id>.db`, beside those of its queue.

A unit is one memory: an episode that was said, or something derived from episodes. What it says
stands in the payload table of its kind, and every payload that it ever had in `unit_versions`.
Whether a job waits, runs or has ended is the queue's alone: the view `jobs` shows it.
"""

from __future__ import annotations

from typing import Any

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
    UniqueConstraint,
)

from leasehold.kit.data import Id, Moment

metadata = MetaData()


def _moment(name: str, *, nullable: bool = False) -> Column[Any]:
    return Column(name, Moment, nullable=nullable)


def _unit(*, is_key: bool = True) -> Column[Any]:
    return Column(
        "unit_id", Integer, ForeignKey("units.id", ondelete="CASCADE"), primary_key=is_key
    )


def _entity(name: str, *, nullable: bool) -> Column[Any]:
    return Column(name, Integer, ForeignKey("entities.id", ondelete="CASCADE"), nullable=nullable)


unit = Table(
    "units",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Integer, nullable=False),  # UnitKind
    Column("state", Text, nullable=False, server_default="active"),  # UnitState
    Column("sensitivity", Integer, nullable=False, server_default="0"),  # Sensitivity
    _moment("occurred_at"),
    Column("topic_tags", Text, nullable=False, server_default="[]"),  # JSON, normalised
    Column("version", Integer, nullable=False, server_default="0"),  # the newest one
    Column("payload_hash", Text, nullable=False, server_default=""),  # of that version
    # What the unit is about, in one text: deriving it again finds it. Episodes have none.
    Column("identity", Text),
    # Fields that a person has said, a JSON array: a job that derives the unit again leaves them.
    Column("held", Text, nullable=False, server_default="[]"),
    # The job that derived it last; an episode has none.
    Column("job_id", Id),
    Column("attempt", Integer),
    _moment("created_at"),
    _moment("updated_at"),
    UniqueConstraint("kind", "identity"),
    Index("units_by_time", "kind", "occurred_at", "id"),
    Index("units_newest", "occurred_at", "id"),
    Index("units_changed", "updated_at", "id"),
    sqlite_autoincrement=True,  # the number of a memory that was deleted never comes again
)

unit_version = Table(
    "unit_versions",
    metadata,
    _unit(),
    Column("version", Integer, primary_key=True),
    Column("payload_hash", Text, nullable=False),
    Column("payload", JSON, nullable=False),
    Column("author", Text, nullable=False),  # chat, job, person, rollback, import
    Column("job_id", Id),
    Column("attempt", Integer),
    _moment("created_at"),
)

payload_episode = Table(
    "payload_episode",
    metadata,
    _unit(),
    Column("conversation", Text, nullable=False, server_default=""),
    Column("user_text", Text, nullable=False),
    Column("reply_text", Text, nullable=False),
    Column("is_partial", Boolean, nullable=False, server_default="0"),  # the listener left
    Column("reflection", JSON(none_as_null=True)),  # NULL: not reflected yet
    Index("payload_episode_conversation", "conversation", "unit_id"),
)

payload_fact = Table(
    "payload_fact",
    metadata,
    _unit(),
    _entity("subject_id", nullable=True),
    Column("predicate", Text, nullable=False),
    Column("object_text", Text, nullable=False),
    _entity("object_id", nullable=True),
    Column("confidence", Float, nullable=False),
    _moment("valid_from", nullable=True),
    _moment("valid_to", nullable=True),
    Index("payload_fact_subject", "subject_id", "predicate"),
)

payload_summary = Table(
    "payload_summary",
    metadata,
    _unit(),
    Column("scope_key", Text, nullable=False, unique=True),  # rolling:7d, person:12, topic:7
    _entity("entity_id", nullable=True),
    Column("summary_text", Text, nullable=False),
    Column("summary_json", JSON, nullable=False),  # what the model said, whole
)

payload_capsule = Table(
    "payload_capsule",
    metadata,
    _unit(),
    Column("scope_key", Text, nullable=False, unique=True),  # recent:5
    Column("capsule_text", Text, nullable=False),
    Column("capsule_json", JSON, nullable=False),
)

payload_loop = Table(
    "payload_loop",
    metadata,
    _unit(),
    Column("loop_text", Text, nullable=False),
    _moment("due_at", nullable=True),
    Column("is_open", Boolean, nullable=False, server_default="1"),
)

entity = Table(
    "entities",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("kind", Text, nullable=False),  # person, topic, place, thing
    Column("name", Text, nullable=False),
    Column("name_key", Text, nullable=False),  # as it is compared
    Column("importance", Float, nullable=False, server_default="0"),
    _moment("created_at"),
    _moment("updated_at"),
    UniqueConstraint("kind", "name_key"),
    sqlite_autoincrement=True,
)

entity_alias = Table(
    "entity_aliases",
    metadata,
    Column("entity_id", Integer, ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True),
    Column("alias_key", Text, primary_key=True),
    Column("alias", Text, nullable=False),
    Index("entity_aliases_key", "alias_key"),
)

unit_entity = Table(
    "unit_entities",
    metadata,
    _unit(),
    Column("entity_id", Integer, ForeignKey("entities.id", ondelete="CASCADE"), primary_key=True),
    Column("role", Text, nullable=False, server_default="mentions"),
    Column("weight", Float, nullable=False, server_default="1"),
    Index("unit_entities_entity", "entity_id", "unit_id"),
)

# What speaks for a unit, what ended it, what took its place: relation is evidence, closes or
# supersedes.
edge = Table(
    "edges",
    metadata,
    Column("source_id", Integer, ForeignKey("units.id", ondelete="CASCADE"), primary_key=True),
    Column("target_id", Integer, ForeignKey("units.id", ondelete="CASCADE"), primary_key=True),
    Column("relation", Text, primary_key=True),
    Column("weight", Float, nullable=False, server_default="1"),  # how sure the evidence is
    Index("edges_target", "target_id", "relation"),
)

unit_vector = Table(
    "unit_vectors",
    metadata,
    _unit(),
    Column("dimension", Integer, nullable=False),
    Column("text_hash", Text, nullable=False),  # of what was embedded: the same is not done twice
    Column("vector", LargeBinary, nullable=False),  # float32, of length one
)

# The vectors that were put or removed, each unit once: see data.matrix.
vector_change = Table(
    "vector_changes",
    metadata,
    Column("number", Integer, primary_key=True),
    Column("unit_id", Integer, nullable=False, unique=True),
    sqlite_autoincrement=True,
)

# What is refreshed as a whole: when that was done last and up to which episode, and when the check
# of what is due asked for it last.
refresh = Table(
    "refreshes",
    metadata,
    Column("scope_key", Text, primary_key=True),  # rolling:7d, person:12, topic:7, recent:5
    Column("episode_id", Integer, nullable=False, server_default="0"),  # the newest it has seen
    _moment("finished_at", nullable=True),
    _moment("asked_at", nullable=True),
)

# What was forgotten and may still have jobs, or bytes in the file: until that is done, too.
erasure = Table(
    "erasures",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("unit_ids", JSON, nullable=False),
    Column("entity_ids", JSON, nullable=False),
    Column("job_ids", JSON, nullable=False),  # those that derived them
    _moment("asked_at"),
)
