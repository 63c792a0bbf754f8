"""Reads bookmark files as a stream: a hundred thousand links in the memory of a few.

The parser repairs what browsers write (unclosed DT and p, missing or surplus </DL>) and calls us
for each tag; Python's own would turn `&currentPage` of an address into `¤tPage`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from lxml import etree

from leasehold.kit.texts import tidy
from leasehold_links.bookmarks.decoding import decode
from leasehold_links.bookmarks.icons import read_icon
from leasehold_links.bookmarks.values import Bookmark, Root
from leasehold_links.model.dates import read_date

if TYPE_CHECKING:
    from datetime import datetime

LONGEST_TITLE = 1_000
LONGEST_NAME = 200  # of a folder
LONGEST_DESCRIPTION = 4_000
DEEPEST = 50  # folders; what is deeper is in the last of them
MOST_TAGS = 50

_ROOTS = {"personal_toolbar_folder": Root.TOOLBAR, "unfiled_bookmarks_folder": Root.UNFILED}
_HEADINGS = frozenset({"h2", "h3", "h4", "h5", "h6"})
_IN_TEXT = frozenset({"b", "i", "em", "strong", "u", "font", "span", "code", "small", "img"})
# What only an entry has: a link inside of a description has none of it.
_OF_ENTRIES = frozenset({"add_date", "icon", "icon_uri", "last_modified", "last_visit", "tags"})


def read_bookmarks(chunks: Iterable[bytes]) -> Iterator[Bookmark]:
    """Yield the entries of a file in their order; `NotBookmarks` before the first if it is none."""
    reader = _Reader()
    parser = etree.HTMLParser(target=reader, huge_tree=True, encoding="utf-8")
    for piece in decode(chunks):
        if piece:
            parser.feed(piece)
            yield from reader.take()
    parser.close()
    yield from reader.take()


def tidied(bookmark: Bookmark) -> Bookmark:
    """Hold an entry that comes from elsewhere to what is true of those of files."""
    return Bookmark(
        url=tidy(bookmark.url),
        title=tidy(bookmark.title, LONGEST_TITLE),
        root=bookmark.root,
        folder=tuple(tidy(name, LONGEST_NAME) for name in bookmark.folder[:DEEPEST]),
        added_at=bookmark.added_at,
        description=tidy(bookmark.description, LONGEST_DESCRIPTION),
        tags=_tags(",".join(bookmark.tags)),
        icon=read_icon(bookmark.icon),
    )


class _Reader:
    """What the parser calls. Texts come in pieces, so they are gathered until the next tag."""

    def __init__(self) -> None:
        self._done: list[Bookmark] = []
        self._place: tuple[Root, tuple[str, ...]] = (Root.MENU, ())
        self._above: list[tuple[Root, tuple[str, ...]]] = []  # for each open list where it stands
        self._heading: Mapping[str, str] | None = None
        self._next_folder: tuple[Root | None, str] | None = None
        self._entry: Mapping[str, str] | None = None
        self._title = ""
        self._text: list[str] | None = None  # of the tag that is open, if it is wanted
        self._description: list[str] = []
        self._is_describing = False

    def take(self) -> list[Bookmark]:
        done, self._done = self._done, []
        return done

    # -- called by the parser ----------------------------------------------------------------------
    def start(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "a":
            self._start_entry(attributes)
        elif tag in _HEADINGS:
            self._end_entry()
            self._heading, self._text = attributes, []
        elif tag == "dl":
            self._end_entry()
            self._above.append(self._place)
            self._place = _inside(self._place, self._next_folder)
            self._next_folder = None
        elif tag == "br":
            self.data(" ")
        elif tag not in _IN_TEXT:
            # Behind the heading of a folder it describes the folder, which we do not keep.
            self._is_describing = tag == "dd" and self._entry is not None

    def _start_entry(self, attributes: Mapping[str, str]) -> None:
        if self._is_describing and not attributes.keys() & _OF_ENTRIES:
            return  # a link in the words about an entry
        self._end_entry()
        self._next_folder = None  # its heading was followed by no list
        self._entry, self._text = attributes, []

    def end(self, tag: str) -> None:
        if tag == "a" and self._entry is not None and self._text is not None:
            self._title, self._text = "".join(self._text), None
        elif tag in _HEADINGS and self._heading is not None:
            self._next_folder = (_root_of(self._heading), "".join(self._text or ()))
            self._heading = self._text = None
        elif tag == "dl":
            self._end_entry()
            self._next_folder = None
            if self._above:
                self._place = self._above.pop()

    def data(self, text: str) -> None:
        if self._text is not None:
            self._text.append(text)
        elif self._is_describing:
            self._description.append(text)

    def close(self) -> None:
        self._end_entry()

    # -- inside ------------------------------------------------------------------------------------
    def _end_entry(self) -> None:
        """An entry ends where the next thing begins: its description comes after it."""
        entry, self._entry = self._entry, None
        if entry is None:
            self._text = None
            return
        title = self._title if self._text is None else "".join(self._text)
        root, folder = self._place
        self._done.append(
            Bookmark(
                url=entry.get("href", "").strip(),
                title=tidy(title, LONGEST_TITLE),
                root=root,
                folder=folder,
                added_at=_added_at(entry),
                description=tidy("".join(self._description), LONGEST_DESCRIPTION),
                tags=_tags(entry.get("tags", "")),
                icon=read_icon(entry.get("icon")),
            )
        )
        self._title, self._text, self._description = "", None, []
        self._is_describing = False


def _inside(
    place: tuple[Root, tuple[str, ...]], folder: tuple[Root | None, str] | None
) -> tuple[Root, tuple[str, ...]]:
    """Say where the entries of a list are; a list without a heading, as the outermost, is none."""
    if folder is None:
        return place
    root, name = folder
    if root is not None:
        return root, ()  # a root is where it is, wherever it stands
    names = (*place[1], tidy(name, LONGEST_NAME))
    return place[0], names[:DEEPEST]


def _root_of(attributes: Mapping[str, str]) -> Root | None:
    for name, root in _ROOTS.items():
        if attributes.get(name, "false").lower() not in ("false", "0", "no"):
            return root
    return None


def _added_at(attributes: Mapping[str, str]) -> datetime | None:
    return read_date(attributes.get("add_date") or attributes.get("time_added"))


def _tags(text: str) -> tuple[str, ...]:
    if not text:
        return ()
    names = (tidy(name, LONGEST_NAME) for name in text.split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:MOST_TAGS]
