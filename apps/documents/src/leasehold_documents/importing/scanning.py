"""How far an import is, and how its source is listed: a page at a time, by what a scan says."""

from __future__ import annotations

import msgspec

from leasehold_documents.providers import Entry, Page, Provider
from leasehold_documents.providers.errors import BadAnswer, RemoteRefused

_LOOKS = 20  # single files that make a page
LONGEST_ID = 500


class Scan(msgspec.Struct, frozen=True, kw_only=True):
    """What the next attempt needs to know. What was found stands in rows."""

    place: str | None = None  # the folder that is wanted
    folder: str | None = None  # the one that is being read, where each is read by itself
    cursor: str | None = None
    found: int = 0
    resets: int = 0
    is_listed: bool = False
    done: int = 0  # files that are settled, of `total`
    total: int = 0


def read_page(provider: Provider, scan: Scan, files: list[str]) -> tuple[Page, Scan]:
    """Read the next page, and say where the one after it begins."""
    if files:
        page = _look(provider, files, int(scan.cursor or 0))
    else:
        folder = scan.folder or scan.place or ""
        page = provider.page(folder, scan.cursor)
    if page.cursor is not None and page.cursor == scan.cursor:
        raise BadAnswer("the next page is said to be the one that was read")
    if any(len(entry.id) > LONGEST_ID for entry in page.entries):
        raise BadAnswer("an id that is longer than any")
    found = scan.found + len(page.entries)
    return page, msgspec.structs.replace(scan, cursor=page.cursor, found=found)


def _look(provider: Provider, files: list[str], begin: int) -> Page:
    """Look at some of the files that were asked for, each by itself."""
    wanted = files[begin : begin + _LOOKS]
    entries = tuple(_entry(provider, identifier) for identifier in wanted)
    end = begin + len(wanted)
    return Page(entries=entries, cursor=str(end) if end < len(files) else None)


def _entry(provider: Provider, identifier: str) -> Entry:
    try:
        return provider.look(identifier)
    except RemoteRefused as error:
        return Entry(id=identifier[:LONGEST_ID], name=identifier[:LONGEST_ID], refused=error.code)
