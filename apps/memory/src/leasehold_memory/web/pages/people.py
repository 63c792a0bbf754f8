"""People and topics: the most important first; one of them with all that speaks of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query, Response

from leasehold.kit.web import Reader, Speaker, a_text
from leasehold_memory.data import browsing, entities, units
from leasehold_memory.model.units import UnitState
from leasehold_memory.web.api.values import MOST_ID, EntityPath
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.shell import PAGES, OfVisit
from leasehold_memory.web.pages.showing import show

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.model.stored import Entity

router = APIRouter(prefix="/people", include_in_schema=False)
KINDS = ("person", "topic", "place", "thing")
ROWS = 50


@router.get("")
def show_people(
    visit: OfVisit, _person: Reader, hub: OfHub, q: Annotated[str, a_text(200), Query()] = ""
) -> Response:
    """Show whom and what memories speak of."""
    return PAGES.render(visit, "people.html", q=q, groups=hub.read(_groups, q))


@router.get("/{entity_id}")
def show_entity(
    entity_id: EntityPath,
    visit: OfVisit,
    _person: Reader,
    hub: OfHub,
    before: Annotated[int | None, Query(ge=1, le=MOST_ID)] = None,
) -> Response:
    """Show one with its summary and all memories that speak of it."""
    found = hub.read(_look, visit.say, entity_id, before)
    more = found.pop("before")
    onward = more and visit.link(f"/people/{entity_id}", before=more)
    return PAGES.render(visit, "entity.html", next=onward, **found)


def _groups(connection: Connection, q: str) -> list[tuple[str, list[dict[str, Any]]]]:
    return [
        (kind, _group(connection, entities.find(connection, kind=kind, q=q or None, limit=ROWS)))
        for kind in KINDS
    ]


def _group(connection: Connection, found: entities.FoundEntities) -> list[dict[str, Any]]:
    mentions = browsing.mentions_of(connection, [each.id for each in found.entities])
    most = max((each.importance for each in found.entities), default=0.0) or 1.0
    return [_row(each, mentions.get(each.id, 0), most) for each in found.entities]


def _row(of: Entity, mentions: int, most: float) -> dict[str, Any]:
    return {
        "id": of.id,
        "name": of.name,
        "mentions": mentions,
        "share": round(of.importance / most, 3),
    }


def _look(
    connection: Connection, say: Speaker, entity_id: int, before: int | None
) -> dict[str, Any]:
    of = entities.get(connection, entity_id)
    summary = browsing.summary_of(connection, entity_id)
    found = units.find(
        connection, entity_id=entity_id, state=UnitState.ACTIVE, before=before, limit=ROWS
    )
    return {
        "of": of,
        "summary": show(connection, say, [summary])[0] if summary else None,
        "units": show(connection, say, found.units),
        "before": found.before,
    }
