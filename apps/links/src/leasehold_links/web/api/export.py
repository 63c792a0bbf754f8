"""The library as a bookmark file, which browsers and we ourselves read back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from leasehold.kit.web import Reader
from leasehold_links.exporting import export_bookmarks
from leasehold_links.web.library import OfLibrary
from leasehold_links.web.problems import PROBLEMS

router = APIRouter(prefix="/api", tags=["export"])
PIECE_CHARACTERS = 65_536
_HEADERS = {
    "Content-Disposition": 'attachment; filename="bookmarks.html"',
    # Its titles are anybody's: if a browser shows it after all, nothing in it is in force.
    "Content-Security-Policy": "default-src 'none'; sandbox",
}
_ANSWER: dict[int | str, dict[str, Any]] = {
    200: {"description": "The file.", "content": {"text/html": {"schema": {"type": "string"}}}}
}


@router.get(
    "/export.html", response_class=StreamingResponse, responses={**PROBLEMS.responses(), **_ANSWER}
)
def export(person: Reader, library: OfLibrary) -> StreamingResponse:
    """Export your library, piece by piece; imported again it is the same."""
    pieces = _gathered(export_bookmarks(library.database, person.user_id))
    return StreamingResponse(pieces, media_type="text/html; charset=utf-8", headers=_HEADERS)


def _gathered(texts: Iterator[str]) -> Iterator[bytes]:
    """Make few larger pieces of many small ones."""
    held: list[str] = []
    length = 0
    for text in texts:
        held.append(text)
        length += len(text)
        if length >= PIECE_CHARACTERS:
            yield "".join(held).encode()
            held, length = [], 0
    yield "".join(held).encode()
