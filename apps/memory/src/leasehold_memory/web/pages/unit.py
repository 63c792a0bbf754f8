"""One memory: what it says, what speaks for it, every version that it had; correct or forget it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from fastapi import APIRouter, Form, Response
from pydantic import BaseModel

from leasehold.kit.web import Changer, Reader, Speaker, a_text
from leasehold.kit.web.writing import moment
from leasehold_memory.data import edges, entities, reading, units
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.web import correcting
from leasehold_memory.web.api.values import MOST_ID, Level, State, UnitPath, level_of, state_of
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.diffing import with_changes
from leasehold_memory.web.pages.shell import PAGES, OfVisit
from leasehold_memory.web.pages.showing import show

if TYPE_CHECKING:
    from markupsafe import Markup
    from sqlalchemy import Connection

    from leasehold_memory.model.stored import Unit

router = APIRouter(prefix="/memories/{unit_id}", include_in_schema=False)
MOST_SHOWN = 50  # of what is derived from an episode, or speaks for a memory
LONGEST_TEXT = 20_000
# What a person may correct by a form; the API knows more.
EDITABLE = {
    UnitKind.EPISODE: ("user_text", "reply_text"),
    UnitKind.FACT: ("object_text",),
    UnitKind.SUMMARY: ("summary_text",),
    UnitKind.CAPSULE: ("capsule_text",),
    UnitKind.LOOP: ("loop_text",),
}
Said: TypeAlias = Annotated[str, a_text(LONGEST_TEXT)] | None
_CLOSED = {UnitKind.FACT, UnitKind.LOOP}  # what may be over one day
_MOMENTS = {"valid_from", "valid_to", "due_at"}
_UNSHOWN = {"subject_id", "object_id", "entity_id"}  # they are among the people and topics


class Correction(BaseModel):
    """What a person wants a memory to say; each kind has some of these."""

    user_text: Said = None
    reply_text: Said = None
    object_text: Said = None
    summary_text: Said = None
    capsule_text: Said = None
    loop_text: Said = None
    sensitivity: Level | None = None
    state: State | None = None

    def changes(self) -> dict[str, str]:
        """Return what was sent, with line ends as they were shown: forms send others."""
        sent = self.model_dump(exclude_none=True, exclude={"sensitivity", "state"})
        return {name: value.replace("\r\n", "\n") for name, value in sent.items()}


@router.get("")
def show_unit(unit_id: UnitPath, visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show a memory whole."""
    return PAGES.render(
        visit, "unit.html", longest=LONGEST_TEXT, **hub.read(_look, visit.say, unit_id)
    )


@router.post("/edit")
def edit(
    unit_id: UnitPath,
    visit: OfVisit,
    _person: Changer,
    hub: OfHub,
    said: Annotated[Correction, Form()],
) -> Response:
    """Correct what a memory says; the versions before stay."""
    with hub.memory() as memory:
        correcting.edit(
            memory,
            unit_id,
            said.changes(),
            sensitivity=level_of(said.sensitivity),
            state=state_of(said.state),
        )
    return visit.go(f"/memories/{unit_id}", "edited")


@router.post("/rollback")
def rollback(
    unit_id: UnitPath,
    visit: OfVisit,
    _person: Changer,
    hub: OfHub,
    version: Annotated[int, Form(ge=1, le=MOST_ID)],
) -> Response:
    """Let a memory say again what it said in a version."""
    with hub.memory() as memory:
        correcting.roll_back(memory, unit_id, version)
    return visit.go(f"/memories/{unit_id}", "rolled_back")


def _look(connection: Connection, say: Speaker, unit_id: int) -> dict[str, Any]:
    of = units.get(connection, unit_id)
    derived = sorted(edges.derived_from(connection, unit_id), reverse=True)[:MOST_SHOWN]
    return {
        "of": show(connection, say, [of])[0],
        "fields": fields_of(say, of.payload),
        "editable": [(name, of.payload[name]) for name in EDITABLE[of.kind]],
        "sensitivities": [each.name.lower() for each in Sensitivity],
        "states": [each.value for each in UnitState] if of.kind in _CLOSED else [],
        "evidence": _show_many(connection, say, of.evidence[-MOST_SHOWN:]),
        "derived": _show_many(connection, say, derived),
        "entities": entities.get_many(connection, entities.mentioned(connection, unit_id)),
        "versions": with_changes(units.versions(connection, unit_id)),
    }


def _show_many(connection: Connection, say: Speaker, unit_ids: Any) -> Any:
    found: list[Unit] = reading.get_many(connection, unit_ids)
    return show(connection, say, found[::-1])


def fields_of(say: Speaker, payload: Mapping[str, Any]) -> list[tuple[str, str | Markup]]:
    """Return what a payload says, field by field; what is empty is left out."""
    return [
        (name, written(say, name, value))
        for name, value in payload.items()
        if name not in _UNSHOWN and value not in (None, "", [], {})
    ]


def written(say: Speaker, name: str, value: Any) -> str | Markup:
    """Write a value of a payload for people."""
    if name in _MOMENTS:
        return moment(say, datetime.fromisoformat(value))
    if isinstance(value, bool):
        return say(f"value.{str(value).lower()}")
    if isinstance(value, str | int | float):
        return str(value)
    return json.dumps(value, ensure_ascii=False, indent=2)
