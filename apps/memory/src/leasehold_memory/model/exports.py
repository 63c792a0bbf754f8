"""The lines of an exported memory: a heading, then entities and units with all their versions.

Vectors are not among them: they are derived again, by whatever preset the memory comes to.
"""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, TypeAlias
from uuid import UUID

from msgspec import Meta, Struct

from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

FORMAT = 1
Number: TypeAlias = Annotated[int, Meta(ge=1, le=2**53)]
Weight: TypeAlias = Annotated[float, Meta(ge=0, le=1e9)]
When: TypeAlias = Annotated[datetime, Meta(tz=True)]


class Heading(Struct, tag="memory", tag_field="line", frozen=True, kw_only=True):
    """The first line: what this is, and how much of it should follow."""

    format: int
    preset: str
    entities: int
    units: int


class ExportedEntity(Struct, tag="entity", tag_field="line", frozen=True, kw_only=True):
    """A person, topic, place or thing."""

    id: Number
    kind: str
    name: str
    aliases: tuple[str, ...]
    created_at: When
    updated_at: When


class ExportedVersion(Struct, frozen=True, kw_only=True):
    """What a unit said once, with its `topic_tags`; the hash is that of the payload."""

    version: Number
    payload: dict[str, Any]
    author: str
    created_at: When
    job_id: UUID | None = None
    attempt: int | None = None


class Mention(Struct, frozen=True, kw_only=True):
    """Of whom a unit speaks."""

    entity_id: Number
    role: str
    weight: Weight


class Edge(Struct, frozen=True, kw_only=True):
    """Which unit speaks for it, or gave way to it."""

    target_id: Number
    relation: str
    weight: Weight


class ExportedUnit(Struct, tag="unit", tag_field="line", frozen=True, kw_only=True):
    """A memory with all that it ever said, the oldest version first."""

    id: Number
    kind: UnitKind
    state: UnitState
    sensitivity: Sensitivity
    occurred_at: When
    created_at: When
    updated_at: When
    identity: str | None
    held: tuple[str, ...]
    versions: Annotated[tuple[ExportedVersion, ...], Meta(min_length=1)]
    entities: tuple[Mention, ...]
    edges: tuple[Edge, ...]
    job_id: UUID | None = None
    attempt: int | None = None


class ExportedRefresh(Struct, tag="refresh", tag_field="line", frozen=True, kw_only=True):
    """When a summary was derived last, and up to which episode."""

    scope_key: str
    episode_id: Annotated[int, Meta(ge=0)]
    finished_at: When | None = None
    asked_at: When | None = None


Line: TypeAlias = Heading | ExportedEntity | ExportedUnit | ExportedRefresh
