"""The demo's bookmark file and its web, both from the same places."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from leasehold_links.bookmarks.values import Bookmark
from leasehold_links.bookmarks.writing import write_bookmarks
from leasehold_links.demo.good_places import GOOD
from leasehold_links.demo.odd_places import BEHIND, ODD, ODD_FOLDER, ROBOTS, SKIPPED
from leasehold_links.demo.odd_web import Reply

FILE_NAME = "leasehold-links-demo.html"
PLACES = (*GOOD, *ODD)
_FIRST = datetime(2026, 1, 1, 9, tzinfo=UTC)


def demo_file() -> bytes:
    """Write the bookmark file, as a browser would export it."""
    return "".join(write_bookmarks(_bookmarks())).encode()


def demo_pages() -> dict[str, Reply | Callable[[], Reply]]:
    """Return what each address of the demo's web answers, by host and path."""
    found = {place.key: place.reply for place in PLACES if place.reply is not None}
    return {**found, **BEHIND, **ROBOTS}


def _bookmarks() -> list[Bookmark]:
    # The odd ones first: the library shows what came last before all others.
    ordered = sorted(
        (*PLACES, *SKIPPED),
        key=lambda place: (place.root.value, place.folder[:1] != ODD_FOLDER, place.folder),
    )
    return [
        Bookmark(
            url=place.url,
            title=place.name,
            root=place.root,
            folder=place.folder,
            tags=place.tags,
            added_at=_FIRST + timedelta(days=number),
        )
        for number, place in enumerate(ordered)
    ]
