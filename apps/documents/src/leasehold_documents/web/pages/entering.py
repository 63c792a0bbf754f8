"""Signing in by a token, out again, and the choice of an organization: each a cookie."""

from __future__ import annotations

import time
from typing import Annotated

from fastapi import APIRouter, Form, Query, Response
from starlette.responses import RedirectResponse

from leasehold_documents.web.pages.shell import PAGES, OfVisit, Visit
from leasehold_documents.web.people import SESSION_COOKIE, TENANT_COOKIE

router = APIRouter(include_in_schema=False)
LONGEST_SECONDS = 12 * 3_600


@router.get("/sign-in")
def show_sign_in(
    visit: OfVisit, after: Annotated[str, Query(alias="next", max_length=2_000)] = ""
) -> Response:
    """Ask for a token; who is known already is led on."""
    if visit.caller is not None:
        return visit.go("/")
    return PAGES.render(visit, "sign_in.html", next=after, refusal="")


@router.post("/sign-in")
def sign_in(
    visit: OfVisit,
    token: Annotated[str, Form(max_length=8_192)],
    after: Annotated[str, Form(alias="next", max_length=2_000)] = "",
) -> Response:
    """Keep a token that is good in a cookie which no script can read."""
    claimed = visit.hub.tokens.read(token.strip())
    if claimed is None:
        refusal = visit.say("sign_in.wrong")
        return PAGES.render(visit, "sign_in.html", status=401, next=after, refusal=refusal)
    left = max(1, min(LONGEST_SECONDS, int(claimed.until - time.time())))
    response = visit.lead(after)
    _keep(visit, response, token.strip(), left)
    return response


@router.post("/sign-out")
def sign_out(visit: OfVisit) -> Response:
    """Forget the token."""
    response = RedirectResponse(visit.link("/sign-in"), 303)
    _keep(visit, response, "", 0)
    return response


@router.get("/tenant")
def choose_tenant(
    visit: OfVisit,
    to: Annotated[str, Query(max_length=40)],
    back: Annotated[str, Query(max_length=2_000)] = "",
) -> Response:
    """Remember an organization. By a link: nothing changes here but a cookie."""
    if to not in {str(each.tenant_id) for each in visit.tenants}:
        return visit.go("/")
    return visit.remember(TENANT_COOKIE, to, back)


def _keep(visit: Visit, response: Response, token: str, seconds: int) -> None:
    response.set_cookie(
        SESSION_COOKIE,
        token,
        max_age=seconds,
        path=visit.root or "/",
        httponly=True,
        samesite="strict",
        secure=visit.request.url.scheme == "https",
    )
