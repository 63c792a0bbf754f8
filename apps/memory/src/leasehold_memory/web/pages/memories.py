"""All memories: by kind, state, sensitivity and words, the newest first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel

from leasehold.kit.web import Reader, Speaker, a_text
from leasehold_memory.data import units
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.web.api.values import MOST_ID
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.shell import PAGES, OfVisit
from leasehold_memory.web.pages.showing import Shown, show

if TYPE_CHECKING:
    from sqlalchemy import Connection

router = APIRouter(include_in_schema=False)
ROWS = 50
KindName: TypeAlias = Literal["", "episode", "fact", "summary", "capsule", "loop"]
StateName: TypeAlias = Literal["", "active", "closed", "retracted"]
SensitivityName: TypeAlias = Literal["", "normal", "private", "secret"]


class Which(BaseModel):
    """Which memories somebody wants to see."""

    q: Annotated[str, a_text(200)] = ""
    kind: KindName = ""
    state: StateName = ""
    sensitivity: SensitivityName = ""
    before: Annotated[int | None, Query(ge=1, le=MOST_ID)] = None

    def wanted(self) -> dict[str, Any]:
        """Return it as units are asked for."""
        return {
            "q": self.q or None,
            "kind": UnitKind[self.kind.upper()] if self.kind else None,
            "state": UnitState(self.state) if self.state else None,
            "sensitivity": Sensitivity[self.sensitivity.upper()] if self.sensitivity else None,
            "before": self.before,
        }


@router.get("/memories")
def show_memories(
    which: Annotated[Which, Query()], visit: OfVisit, _person: Reader, hub: OfHub
) -> Response:
    """Show memories."""
    shown, before = hub.read(_look, visit.say, which)
    again = which.model_dump(exclude={"before"})
    return PAGES.render(
        visit,
        "memories.html",
        which=which,
        units=shown,
        next=before and visit.link("/memories", **again, before=before),
        kinds=[each.name.lower() for each in UnitKind],
        states=[each.value for each in UnitState],
        sensitivities=[each.name.lower() for each in Sensitivity],
    )


def _look(connection: Connection, say: Speaker, which: Which) -> tuple[list[Shown], int | None]:
    found = units.find(connection, limit=ROWS, **which.wanted())
    return show(connection, say, found.units), found.before
