"""The lines of a file: what each says, whether it can be a link, and what became of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import NamedTuple

from leasehold_links.bookmarks.reading import read_bookmarks
from leasehold_links.bookmarks.values import Bookmark
from leasehold_links.model.addresses import Address, NotFetchable, read_address

STEP = 1_000  # lines that are written together at first, so that one sees soon that it goes on
_LATER = 4  # times as many: pages of indexes that many lines share are written once for all of them


class Line(NamedTuple):
    """An entry of the file: its number, what it says, and its address or why it has none."""

    number: int
    bookmark: Bookmark
    address: Address | None
    reason: str = ""


class Counts(NamedTuple):
    """What became of lines."""

    imported: int = 0
    duplicate: int = 0
    skipped: int = 0
    failed: int = 0

    @property
    def processed(self) -> int:
        return sum(self)

    def plus(self, other: Counts) -> Counts:
        return Counts(*(mine + theirs for mine, theirs in zip(self, other, strict=True)))


def read_line(number: int, bookmark: Bookmark) -> Line:
    """Look whether an entry can be a link."""
    if not bookmark.url:
        return Line(number, bookmark, None, "no_address")
    try:
        return Line(number, bookmark, read_address(bookmark.url))
    except NotFetchable as error:
        reason = f"scheme:{error.scheme[:20]}" if error.reason == "scheme" else error.reason
        return Line(number, bookmark, None, reason)


def read_steps(chunks: Iterable[bytes], start: int) -> Iterator[list[Line]]:
    """Read a file from a line on, some thousand lines at a time. `NotBookmarks` when it is none."""
    rest = islice(enumerate(read_bookmarks(chunks)), start, None)
    size = STEP
    while step := [read_line(number, each) for number, each in islice(rest, size)]:
        yield step
        size = STEP * _LATER
