"""`/api/memories/{preset}/entities`: people and topics, and forgetting somebody."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi import APIRouter

from leasehold.kit.web import Changer, Reader
from leasehold_memory import forgetting
from leasehold_memory.data import entities
from leasehold_memory.web.api.values import (
    DEFAULT_PAGE,
    AfterQuery,
    EntityDocument,
    EntityKind,
    EntityPage,
    EntityPath,
    ForgottenDocument,
    LimitQuery,
    PresetPath,
    WordsQuery,
)
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.problems import PROBLEMS

if TYPE_CHECKING:
    from leasehold_memory.forgetting import Forgotten
    from leasehold_memory.model.stored import Entity

router = APIRouter(prefix="/api/memories/{preset}/entities", tags=["memories"])


@router.get("", response_model=EntityPage, responses=PROBLEMS.responses(404))
def list_entities(
    preset: PresetPath,
    _person: Reader,
    hub: OfHub,
    *,
    kind: EntityKind | None = None,
    q: WordsQuery = None,
    after: AfterQuery = None,
    limit: LimitQuery = DEFAULT_PAGE,
) -> dict[str, Any]:
    """List people, topics, places and things, the most important first."""
    found = hub.read(entities.find, preset_id=preset, kind=kind, q=q, after=after, limit=limit)
    return {"entities": found.entities, "next": found.after}


@router.get("/{entity_id}", response_model=EntityDocument, responses=PROBLEMS.responses(404))
def get_entity(preset: PresetPath, entity_id: EntityPath, _person: Reader, hub: OfHub) -> Entity:
    """Read one; `units?entity_id=` lists what is remembered of it."""
    return hub.read(entities.get, entity_id, preset_id=preset)


@router.delete("/{entity_id}", response_model=ForgottenDocument, responses=PROBLEMS.responses(404))
def delete_entity(
    preset: PresetPath, entity_id: EntityPath, _person: Changer, hub: OfHub
) -> Forgotten:
    """Forget a person, or anything else that has a name, with every trace."""
    with hub.memory(preset) as memory:
        return forgetting.forget_person(memory, entity_id)
