"""What a bookmark file holds."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec

from leasehold_links.errors import LinksError


class Root(StrEnum):
    """Where a browser keeps a folder: told by its marks, never by its name, which is localised."""

    MENU = "menu"
    TOOLBAR = "toolbar"
    UNFILED = "unfiled"


class Bookmark(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One entry, as it stands in the file; whether its address can be fetched is another matter."""

    url: str  # "" when the entry has none
    title: str = ""
    root: Root = Root.MENU
    folder: tuple[str, ...] = ()  # the names from the root down
    added_at: datetime | None = None
    description: str = ""
    tags: tuple[str, ...] = ()
    icon: str | None = None  # a small picture as a data: address


class NotBookmarks(LinksError):
    """The file can't be imported.

    `empty`, `binary`, `json`, `html`, `text`; or it is one, but has `no_entries`, or `nothing` that
    could become a link.
    """

    def __init__(self, reason: str) -> None:
        super().__init__(_SAID[reason])
        self.reason = reason


_SAID = {
    "empty": "the file is empty",
    "binary": "this is no text: export the bookmarks as HTML, and import that file",
    "json": "this is a JSON backup: export the bookmarks as HTML, and import that file",
    "html": "this is a web page without bookmarks: export the bookmarks from the browser as HTML",
    "text": "this is no bookmark file: export the bookmarks from the browser as HTML",
    "no_entries": "there is no bookmark in this file",
    "nothing": "no line of this file could be imported: each line's reason is in the list",
}
