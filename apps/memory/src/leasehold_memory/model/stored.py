"""Units as they are read from a file, and what became of one that was written."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple, Protocol
from uuid import UUID

from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState


class Origin(Protocol):
    """The attempt of a job that derives something: `lh.current_job()`, say."""

    @property
    def id(self) -> UUID: ...

    @property
    def attempt(self) -> int: ...


class Saved(NamedTuple):
    """What a write came to; without a change nothing of the unit was touched."""

    unit_id: int
    version: int
    is_changed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """One memory. Without a `job_id` nobody derived it: it was said."""

    id: int
    kind: UnitKind
    state: UnitState
    sensitivity: Sensitivity
    occurred_at: datetime
    tags: tuple[str, ...]
    version: int
    payload_hash: str
    identity: str | None
    held: tuple[str, ...]  # fields that a person has said: deriving leaves them alone
    job_id: UUID | None
    attempt: int | None
    created_at: datetime
    updated_at: datetime
    payload: Mapping[str, Any] = field(default_factory=dict)
    evidence: tuple[int, ...] = ()  # episodes that speak for it, the oldest first


@dataclass(frozen=True, slots=True, kw_only=True)
class Version:
    """One payload that a unit had, with its `topic_tags`."""

    unit_id: int
    version: int
    payload_hash: str
    payload: Mapping[str, Any]
    author: str  # chat, job, person, rollback, import
    job_id: UUID | None
    attempt: int | None
    created_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class Entity:
    """Somebody or something that episodes speak of."""

    id: int
    kind: str  # person, topic, place, thing
    name: str
    name_key: str
    importance: float  # what its mentions in episodes weigh together
    created_at: datetime
    updated_at: datetime
    aliases: tuple[str, ...] = ()
