"""What somebody chooses for their own browser: whether pictures are shown.

A link does it, not a form: nothing changes here but a cookie, also where all is read-only.
"""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response

from leasehold_links.web.pages.visiting import PICTURES_COOKIE, OfVisit

router = APIRouter(include_in_schema=False)


@router.get("/pictures")
def choose_pictures(
    visit: OfVisit,
    to: Annotated[Literal["on", "off"], Query()],
    back: Annotated[str, Query(max_length=2_000)] = "",
) -> Response:
    """Remember whether pictures of other sites are shown."""
    return visit.remember(PICTURES_COOKIE, to, back)
