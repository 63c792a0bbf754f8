"""What somebody chooses for their own browser: the language, and whether pictures are shown.

A link does it, not a form: nothing changes here but a cookie, also where all is read-only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from leasehold_links.web.pages.visiting import LANGUAGE_COOKIE, PICTURES_COOKIE, OfVisit, Visit

router = APIRouter(include_in_schema=False)
_YEAR_SECONDS = 365 * 86_400
Back = Annotated[str, Query(max_length=2_000)]


@router.get("/language")
def choose_language(
    visit: OfVisit, to: Annotated[Literal["en", "ko"], Query()], back: Back = ""
) -> Response:
    """Remember a language."""
    return _remember(visit, LANGUAGE_COOKIE, to, back)


@router.get("/pictures")
def choose_pictures(
    visit: OfVisit, to: Annotated[Literal["on", "off"], Query()], back: Back = ""
) -> Response:
    """Remember whether pictures of other sites are shown."""
    return _remember(visit, PICTURES_COOKIE, to, back)


def _remember(visit: Visit, name: str, value: str, back: str) -> Response:
    response = visit.go("/")
    if _is_ours(visit, back):
        response.headers["location"] = back
    response.set_cookie(
        name,
        value,
        max_age=_YEAR_SECONDS,
        path=visit.root or "/",
        httponly=True,
        samesite="strict",
        secure=visit.request.url.scheme == "https",
    )
    return response


def _is_ours(visit: Visit, back: str) -> bool:
    """Whether an address is a page of ours: `//elsewhere` would be another site."""
    inside = back.removeprefix(visit.root)
    is_path = inside.startswith("/") and not inside.startswith(("//", "/\\"))
    return back.startswith(visit.root) and is_path and back.isascii() and back.isprintable()
