"""`/api/memories/{preset}/units`: what is remembered, as it is, as it was, and put right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter
from pydantic import Field, StrictInt

from leasehold.kit.web import Changer, Command, Reader, a_line
from leasehold_memory import forgetting
from leasehold_memory.data import units
from leasehold_memory.web import correcting
from leasehold_memory.web.api.values import (
    DEFAULT_PAGE,
    MOST_ID,
    BeforeQuery,
    EntityQuery,
    ForgottenDocument,
    Kind,
    Level,
    LimitQuery,
    PresetPath,
    State,
    UnitDocument,
    UnitPage,
    UnitPath,
    VersionList,
    WordsQuery,
    kind_of,
    level_of,
    state_of,
)
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

if TYPE_CHECKING:
    from leasehold_memory.forgetting import Forgotten
    from leasehold_memory.model.stored import Unit

router = APIRouter(prefix="/api/memories/{preset}/units", tags=["memories"])


class Edit(Command):
    """What is to be another; jobs leave alone what a person has said."""

    payload: dict[str, Any] = Field(
        default={},
        description="The fields of its payload that change.",
        examples=[{"object_text": "Kyoto"}],
        max_length=20,
    )
    tags: Annotated[list[Annotated[str, a_line(80)]], Field(max_length=30)] | None = None
    sensitivity: Level | None = None
    state: State | None = None


class Rollback(Command):
    """Which version it is to say again."""

    version: Annotated[StrictInt, Field(ge=1, le=MOST_ID)]


@router.get("", response_model=UnitPage, responses=PROBLEMS.responses(404))
def list_units(
    preset: PresetPath,
    _person: Reader,
    hub: OfHub,
    *,
    kind: Kind | None = None,
    state: State | None = None,
    sensitivity: Level | None = None,
    entity_id: EntityQuery = None,
    q: WordsQuery = None,
    before: BeforeQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """List what is remembered, the newest first."""
    found = hub.read(
        units.find,
        preset_id=preset,
        kind=kind_of(kind),
        state=state_of(state),
        sensitivity=level_of(sensitivity),
        entity_id=entity_id,
        q=q,
        before=before,
        limit=limit,
    )
    return {"units": found.units, "next": found.before}


@router.get("/{unit_id}", response_model=UnitDocument, responses=PROBLEMS.responses(404))
def get_unit(preset: PresetPath, unit_id: UnitPath, _person: Reader, hub: OfHub) -> Unit:
    """Read one memory with what speaks for it."""
    return hub.read(units.get, unit_id, preset_id=preset)


@router.patch(
    "/{unit_id}", response_model=UnitDocument, responses=PROBLEMS.responses(404, 409, 422)
)
def edit_unit(
    preset: PresetPath, unit_id: UnitPath, wanted: Edit, _person: Changer, hub: OfHub
) -> Unit:
    """Put a memory right: the next version, which deriving leaves alone."""
    with hub.memory(preset) as memory:
        return correcting.edit(
            memory,
            unit_id,
            wanted.payload,
            tags=wanted.tags,
            sensitivity=level_of(wanted.sensitivity),
            state=state_of(wanted.state),
        )


@router.delete("/{unit_id}", response_model=ForgottenDocument, responses=PROBLEMS.responses(404))
def delete_unit(preset: PresetPath, unit_id: UnitPath, _person: Changer, hub: OfHub) -> Forgotten:
    """Forget one memory, with every trace of it."""
    with hub.memory(preset) as memory:
        return forgetting.forget_unit(memory, unit_id)


@router.get("/{unit_id}/versions", response_model=VersionList, responses=PROBLEMS.responses(404))
def list_versions(
    preset: PresetPath, unit_id: UnitPath, _person: Reader, hub: OfHub
) -> dict[str, Any]:
    """List all that a unit ever said, the newest first."""
    hub.read(units.get, unit_id, preset_id=preset)
    return {"versions": hub.read(units.versions, unit_id, preset_id=preset)}


@router.post(
    "/{unit_id}/rollback", response_model=UnitDocument, responses=PROBLEMS.responses(404, 409)
)
def roll_back_unit(
    preset: PresetPath, unit_id: UnitPath, wanted: Rollback, _person: Changer, hub: OfHub
) -> Unit:
    """Let a unit say again what it said in a version, as its next one."""
    with hub.memory(preset) as memory:
        return correcting.roll_back(memory, unit_id, wanted.version)
