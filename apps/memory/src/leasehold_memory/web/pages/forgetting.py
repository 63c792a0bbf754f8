"""Forgetting by hand: one memory, or a person with every trace."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Response

from leasehold.kit.web import Changer
from leasehold_memory import forgetting
from leasehold_memory.web.api.values import EntityPath, UnitPath
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.shell import OfVisit

router = APIRouter(include_in_schema=False)


@router.post("/memories/{unit_id}/forget")
def forget_unit(unit_id: UnitPath, visit: OfVisit, _person: Changer, hub: OfHub) -> Response:
    """Forget a memory, and what rests on it alone."""
    with hub.memory() as memory:
        forgetting.forget_unit(memory, unit_id)
    return visit.go("/memories", "forgotten")


@router.post("/people/{entity_id}/forget")
def forget_person(
    entity_id: EntityPath,
    visit: OfVisit,
    _person: Changer,
    hub: OfHub,
    sure: Annotated[Literal["true"], Form()],
) -> Response:
    """Forget a person: every trace goes."""
    del sure  # without it nothing is forgotten
    with hub.memory() as memory:
        forgetting.forget_person(memory, entity_id)
    return visit.go("/people", "forgotten")
