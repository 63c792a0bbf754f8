"""Drives: connect one by consent over there, copy a folder, disconnect."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request, Response

from leasehold.kit.web import a_text
from leasehold_documents import importing
from leasehold_documents.importing.clients import offered
from leasehold_documents.web.api.connectors import ConnectorPath
from leasehold_documents.web.connecting import access_of, ask_again, ask_provider
from leasehold_documents.web.hub import OfHub
from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit
from leasehold_documents.web.people import Changer, Reader, Somebody

router = APIRouter(prefix="/connectors", include_in_schema=False)
_LONGEST = 4_000
Word = Annotated[str, Query(max_length=_LONGEST)]
Field = Annotated[str, Form(max_length=_LONGEST)]


@router.get("")
def show_connectors(visit: OfVisit, access: Reader) -> Response:
    """Show the drives of the organization."""
    return PAGES.render(
        visit,
        "connectors.html",
        connectors=importing.find(access),
        providers=offered(),
    )


@router.post("")
def connect(
    request: Request,
    visit: OfVisit,
    access: Changer,
    provider: Annotated[str, Form(max_length=40)],
    name: Annotated[str, a_text(200), Form()] = "",
) -> Response:
    """Lead to where the person consents."""
    return _lead(visit, ask_provider(request, visit.hub, access, provider, name))


@router.post("/{connector_id}/authorize")
def connect_again(
    request: Request, connector_id: ConnectorPath, visit: OfVisit, access: Changer
) -> Response:
    """Lead there again."""
    return _lead(visit, ask_again(request, visit.hub, access, connector_id))


def _lead(visit: Visit, asked: importing.Asked) -> Response:
    """By a page of ours: a form of it must not be sent on to another site."""
    return PAGES.render(visit, "leave.html", url=asked.url)


@router.get("/callback")
def return_from_provider(
    visit: OfVisit, state: Word = "", code: Word = "", error: Word = ""
) -> Response:
    """Take who comes back from there.

    Their browser shows no cookie on the way from another site: a form of ours sends on what they
    came with, and with it who they are.
    """
    return PAGES.render(visit, "arrive.html", state=state, code=code, error=error)


@router.post("/finish")
def finish(
    request: Request,
    visit: OfVisit,
    _caller: Somebody,
    hub: OfHub,
    state: Field = "",
    code: Field = "",
) -> Response:
    """Connect the drive; who comes back without a code has said no."""
    access = access_of(request, hub, state)
    if not code:
        importing.deny(access, state=state)
    importing.finish(access, state=state, code=code)
    return visit.go("/connectors", "connected")


@router.post("/{connector_id}/import")
def start_import(
    connector_id: ConnectorPath,
    visit: OfVisit,
    access: Changer,
    remote_path: Annotated[str, a_text(_LONGEST), Form()] = "/",
) -> Response:
    """Copy a folder."""
    importing.start(access, connector_id, remote_path or "/")
    return visit.go("/jobs", "import_started")


@router.post("/{connector_id}/remove")
def remove(connector_id: ConnectorPath, visit: OfVisit, access: Changer) -> Response:
    """Disconnect a drive."""
    importing.remove(access, connector_id)
    return visit.go("/connectors", "disconnected")
