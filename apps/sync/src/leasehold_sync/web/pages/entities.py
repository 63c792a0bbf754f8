"""Entities: what is stored of an app, by page; one of them, as its source says it."""

from __future__ import annotations

import json
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, StringConstraints

from leasehold.kit.web import Reader, not_found
from leasehold_sync import apps as stored_apps
from leasehold_sync.data import browsing
from leasehold_sync.web.hub import OfHub
from leasehold_sync.web.pages.shell import PAGES, OfVisit

router = APIRouter(prefix="/ui", include_in_schema=False)
ROWS = 50
LONGEST_SHOWN = 200_000  # characters of a payload
Text = Annotated[str, StringConstraints(max_length=500, pattern=r"^[^\x00]*$")]


class Which(BaseModel):
    """Which entities somebody wants to see."""

    app: Text = ""
    collection: Text = ""
    id: Text = ""
    deleted: bool = False
    after: Text = ""


@router.get("/entities")
def show_entities(
    which: Annotated[Which, Query()], visit: OfVisit, _person: Reader, hub: OfHub
) -> Response:
    """Show entities of one app, in the order of their ids."""
    keys = [each.app_key for each in stored_apps.find(hub.database)]
    app = which.app or next(iter(keys), "")
    wanted = browsing.Wanted(app, which.collection, which.id, with_deleted=which.deleted)
    page = hub.read(browsing.entities, wanted, after=which.after, limit=ROWS)
    again = {
        "app": app,
        "collection": which.collection,
        "deleted": "true" if which.deleted else None,
    }
    return PAGES.render(
        visit,
        "entities.html",
        which=which,
        apps=keys,
        app=app,
        collections=hub.read(browsing.collections_of, app),
        entities=page.rows,
        next=page.next and visit.link("/entities", **again, after=page.next),
    )


@router.get("/entity")
def show_entity(
    which: Annotated[Which, Query()], visit: OfVisit, _person: Reader, hub: OfHub
) -> Response:
    """Show one entity whole."""
    found = hub.read(browsing.entity_of, which.app, which.collection, which.id)
    if found is None:
        raise not_found("entity")
    written = json.dumps(found["payload"], indent=2, ensure_ascii=False)
    return PAGES.render(visit, "entity.html", of=found, payload=written[:LONGEST_SHOWN])
