"""The values that requests and answers are made of."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal, TypeAlias
from uuid import UUID

from fastapi import Path, Query
from pydantic import BeforeValidator, Field

from leasehold.kit.web import Document
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

MOST_ID = 2**63 - 1
DEFAULT_PAGE = 50
Level: TypeAlias = Literal["normal", "private", "secret"]
Kind: TypeAlias = Literal["episode", "fact", "summary", "capsule", "loop"]
EntityKind: TypeAlias = Literal["person", "topic", "place", "thing"]
State: TypeAlias = Literal["active", "closed", "retracted"]

_PRESET = r"^[a-z0-9][a-z0-9_-]{0,47}$"
PresetPath: TypeAlias = Annotated[
    str, Path(pattern=_PRESET, description="The id of an embedding preset.")
]
PresetQuery: TypeAlias = Annotated[
    str | None,
    Query(pattern=_PRESET, description="The id of an embedding preset, else the active one."),
]
UnitPath: TypeAlias = Annotated[int, Path(ge=1, le=MOST_ID)]
EntityPath: TypeAlias = Annotated[int, Path(ge=1, le=MOST_ID)]
JobPath: TypeAlias = Annotated[UUID, Path()]
BeforeQuery: TypeAlias = Annotated[
    int | None, Query(ge=1, le=MOST_ID, description="`next` of the page before.")
]
AfterQuery: TypeAlias = Annotated[
    int | None, Query(ge=1, le=MOST_ID, description="`next` of the page before.")
]
EntityQuery: TypeAlias = Annotated[
    int | None, Query(ge=1, le=MOST_ID, description="Only what speaks of this one.")
]
LimitQuery: TypeAlias = Annotated[int, Query(ge=1, le=200)]
WordsQuery: TypeAlias = Annotated[
    str | None,
    Query(max_length=200, pattern=r"^[^\x00]*$", description="Words of any length, all of them."),
]


def _name_of(value: Any) -> Any:
    return value.name.lower() if isinstance(value, UnitKind | Sensitivity) else value


def level_of(name: Level | None) -> Sensitivity | None:
    return None if name is None else Sensitivity[name.upper()]


def kind_of(name: Kind | None) -> UnitKind | None:
    return None if name is None else UnitKind[name.upper()]


def state_of(name: State | None) -> UnitState | None:
    return None if name is None else UnitState(name)


class UnitDocument(Document):
    """One memory. Who derived it: `job_id` and `attempt`; what speaks for it: `evidence`."""

    id: int
    kind: Annotated[Kind, BeforeValidator(_name_of)]
    state: State
    sensitivity: Annotated[Level, BeforeValidator(_name_of)]
    occurred_at: datetime
    tags: list[str]
    version: int
    payload_hash: str = Field(description="SHA-256 of the canonical JSON of the newest version.")
    payload: dict[str, Any]
    evidence: list[int] = Field(description="The numbers of the episodes that speak for it.")
    held: list[str] = Field(description="What a person has said: deriving leaves it alone.")
    job_id: UUID | None
    attempt: int | None
    created_at: datetime
    updated_at: datetime


class UnitPage(Document):
    """Newest first."""

    units: list[UnitDocument]
    next: int | None = Field(description="Pass it as `before` for those after them.")


class VersionDocument(Document):
    """What a unit said once, and who had it say so."""

    version: int
    payload_hash: str
    payload: dict[str, Any]
    author: str = Field(examples=["job"], description="chat, job, person, rollback or import.")
    job_id: UUID | None
    attempt: int | None
    created_at: datetime


class VersionList(Document):
    """Newest first."""

    versions: list[VersionDocument]


class EntityDocument(Document):
    """Somebody or something that episodes speak of."""

    id: int
    kind: str = Field(examples=["person"])
    name: str
    aliases: list[str]
    importance: float = Field(description="What its mentions in episodes weigh together.")
    created_at: datetime
    updated_at: datetime


class EntityPage(Document):
    """The most important first."""

    entities: list[EntityDocument]
    next: int | None = Field(description="Pass it as `after` for those after them.")


class ForgottenDocument(Document):
    """What is gone. Until `is_erased`, a job that runs may still know of it: that is finished."""

    units: int
    entities: int
    jobs: int
    is_erased: bool
