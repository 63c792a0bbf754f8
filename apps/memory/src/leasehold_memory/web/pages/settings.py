"""Settings: which presets are in use, and what they are. Keys are masked, and kept when sent so."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Form, Response
from pydantic import BaseModel

from leasehold.kit.web import Changer, Reader
from leasehold_memory.replaying import replay
from leasehold_memory.web.hub import OfHub
from leasehold_memory.web.pages.preset_forms import (
    KINDS,
    Kind,
    Line,
    PresetForm,
    form_of,
    with_preset,
)
from leasehold_memory.web.pages.shell import PAGES, OfVisit

router = APIRouter(prefix="/settings", include_in_schema=False)


class Active(BaseModel):
    """Which presets are to be in use; a box that is not ticked is not sent."""

    embedding: Line
    model: Line
    persona: Line
    memory_enabled: bool = False


@router.get("")
def show_settings(visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show what is in use, and all presets."""
    shown = hub.companion.settings.current().shown()
    return PAGES.render(
        visit,
        "settings.html",
        is_enabled=shown["memory_enabled"],
        groups=[_group(kind, shown) for kind in KINDS],
    )


@router.post("/active")
def choose(
    visit: OfVisit, _person: Changer, hub: OfHub, wanted: Annotated[Active, Form()]
) -> Response:
    """Use other presets; the worker follows by itself."""
    chosen = {f"active_{kind}_preset_id": getattr(wanted, kind) for kind in KINDS}
    hub.companion.change({"memory_enabled": wanted.memory_enabled, **chosen})
    return visit.go("/settings", "switched")


@router.post("/presets/{kind}")
def save_preset(
    kind: Kind,
    visit: OfVisit,
    _person: Changer,
    hub: OfHub,
    sent: Annotated[PresetForm, Form()],
) -> Response:
    """Add a preset, or change the one of this id."""
    shown, name = hub.companion.settings.current().shown(), f"{kind}_presets"
    presets = with_preset(shown[name], sent.fields(kind))
    hub.companion.change({"revision": shown["revision"], name: presets})
    return visit.go("/settings", "saved")


@router.post("/replay")
def derive_again(visit: OfVisit, _person: Changer, hub: OfHub) -> Response:
    """Derive everything again, of the active memory."""
    with hub.memory() as memory:
        replayed = replay(memory)
    return visit.go("/jobs", "replaying", count=replayed.jobs)


def _group(kind: Kind, shown: dict[str, Any]) -> dict[str, Any]:
    presets = shown[f"{kind}_presets"]
    return {
        "kind": kind,
        "active": shown[f"active_{kind}_preset_id"],
        "presets": [
            {"id": each["id"], "name": each["name"], "fields": form_of(kind, each)}
            for each in presets
        ],
        "blank": {"fields": form_of(kind)},
    }
