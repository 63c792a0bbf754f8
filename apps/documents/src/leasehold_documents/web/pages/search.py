"""Search: what was typed, and the texts in which it stands."""

from __future__ import annotations

from dataclasses import asdict
from html import unescape
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from markupsafe import Markup

from leasehold_documents import searching
from leasehold_documents.errors import Rejected
from leasehold_documents.web.pages.shell import PAGES, OfVisit, code_text
from leasehold_documents.web.people import Reader
from leasehold_documents.web.problems import status_of

router = APIRouter(include_in_schema=False)
_MARK, _END = "<mark>", "</mark>"


@router.get("/search")
def show_search(
    visit: OfVisit, access: Reader, q: Annotated[str, Query(max_length=1_000)] = ""
) -> Response:
    """Show what was found; before anything is typed, only where to type it."""
    hits: list[dict[str, Any]] | None = None
    refusal, status = "", 200
    if q.strip():
        try:
            hits = [_shown(each) for each in searching.search(access, q)]
        except Rejected as error:
            refusal = code_text(visit, error.code, error.reason)
            status = status_of(error.code)
    return PAGES.render(visit, "search.html", status=status, q=q, hits=hits, refusal=refusal)


def _shown(hit: searching.Hit) -> dict[str, Any]:
    return asdict(hit) | {"headline": marked(hit.headline)}


def marked(headline: str) -> Markup:
    """Write a headline anew: marks where they stand, and all else as text, whatever it is."""
    first, *others = headline.split(_MARK)
    shown = Markup("") + unescape(first)
    for part in others:
        inside, end, outside = part.partition(_END)
        shown += Markup("<mark>{}</mark>").format(unescape(inside)) if end else unescape(inside)
        shown += unescape(outside)
    return shown
