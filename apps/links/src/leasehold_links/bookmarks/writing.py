"""Writes a bookmark file that every browser, and we ourselves, read back as it was."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from html import escape

from leasehold_links.bookmarks.values import Bookmark, Root

_HEAD = """\
<!DOCTYPE NETSCAPE-Bookmark-file-1>
<!-- This is an automatically generated file. It will be read and overwritten. DO NOT EDIT! -->
<META HTTP-EQUIV="Content-Type" CONTENT="text/html; charset=UTF-8">
<TITLE>Bookmarks</TITLE>
<H1>Bookmarks</H1>
<DL><p>
"""
_MARKS = {
    Root.TOOLBAR: (' PERSONAL_TOOLBAR_FOLDER="true"', "Bookmarks bar"),
    Root.UNFILED: (' UNFILED_BOOKMARKS_FOLDER="true"', "Other bookmarks"),
}


def write_bookmarks(bookmarks: Iterable[Bookmark]) -> Iterator[str]:
    """Yield the file's text. The entries of a folder must come one after another."""
    yield _HEAD
    open_folders: tuple[str, ...] = ()
    for bookmark in bookmarks:
        wanted = _folders(bookmark)
        kept = _in_common(open_folders, wanted)
        yield from _leave(len(open_folders), kept)
        for depth in range(kept, len(wanted)):
            yield f"{_indent(depth + 1)}<DT>{wanted[depth]}\n{_indent(depth + 1)}<DL><p>\n"
        open_folders = wanted
        yield from _entry(bookmark, len(wanted) + 1)
    yield from _leave(len(open_folders), 0)
    yield "</DL><p>\n"


def _folders(bookmark: Bookmark) -> tuple[str, ...]:
    named = [f"<H3>{escape(name)}</H3>" for name in bookmark.folder]
    if bookmark.root in _MARKS:
        mark, name = _MARKS[bookmark.root]
        named.insert(0, f"<H3{mark}>{name}</H3>")
    return tuple(named)


def _entry(bookmark: Bookmark, depth: int) -> Iterator[str]:
    attributes = [f'HREF="{escape(bookmark.url)}"']
    if bookmark.added_at is not None:
        attributes.append(f'ADD_DATE="{_seconds(bookmark.added_at)}"')
    if bookmark.tags:
        attributes.append(f'TAGS="{escape(",".join(bookmark.tags))}"')
    if bookmark.icon is not None:
        attributes.append(f'ICON="{escape(bookmark.icon)}"')
    yield f"{_indent(depth)}<DT><A {' '.join(attributes)}>{escape(bookmark.title)}</A>\n"
    if bookmark.description:
        yield f"{_indent(depth)}<DD>{escape(bookmark.description)}\n"


def _leave(depth: int, wanted: int) -> Iterator[str]:
    for each in range(depth, wanted, -1):
        yield f"{_indent(each)}</DL><p>\n"


def _in_common(one: tuple[str, ...], other: tuple[str, ...]) -> int:
    count = 0
    for mine, theirs in zip(one, other, strict=False):
        if mine != theirs:
            break
        count += 1
    return count


def _indent(depth: int) -> str:
    return "    " * depth


def _seconds(moment: datetime) -> int:
    return round(moment.timestamp())
