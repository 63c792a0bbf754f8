"""Which rows a query shows, in which order, and from where on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from leasehold_sync.servers.notion import asking
from leasehold_sync.servers.notion.asking import Asked, Bounds
from leasehold_sync.servers.notion.places import Place

if TYPE_CHECKING:
    from leasehold_sync.servers.rows import Rows


def place_of(asked: Asked) -> Place | None:
    """Read the cursor, which must be one of this very query."""
    if asked.cursor is None:
        return None
    place = Place.read(asked.cursor)
    if place.mark != asked.mark:
        asking.invalid(f"The start_cursor provided is invalid: {asked.cursor}")
    return place


def after(last: tuple[int, int], asked: Asked, shown: int, group: int) -> str:
    moment, number = last
    place = Place(shown=shown, mark=asked.mark, moment=moment, group=group, number=number)
    return place.text()


def walk(rows: Rows, asked: Asked, place: Place | None) -> Iterator[tuple[int, int]]:
    """Iterate over what a query wants, from a place on: what it is sorted by, and its number."""
    if asked.sort == "created_time":
        found = _by_creation(rows, asked, place)
        return (each for each in found if asked.edited.has(rows.updated(each[1])))
    found = _by_edit(rows, asked, place)
    return (each for each in found if asked.created.has(rows.created(each[1])))


def _by_creation(rows: Rows, asked: Asked, place: Place | None) -> Iterator[tuple[int, int]]:
    first, last = rows.between(asked.created.since, asked.created.until)
    if place is not None:
        if asked.is_ascending:
            first = max(first, place.number + 1)
        else:
            last = min(last, place.number - 1)
    walk = rows.oldest_first if asked.is_ascending else rows.newest_first
    return ((rows.created(number), number) for number in walk(first, last))


def _by_edit(rows: Rows, asked: Asked, place: Place | None) -> Iterator[tuple[int, int]]:
    bounds = Bounds(since=asked.edited.since, until=asked.edited.until)
    if place is None:
        return rows.by_update(bounds.since, bounds.until, newest_first=not asked.is_ascending)
    last = (place.moment, place.number)
    if asked.is_ascending:
        bounds.narrow(place.moment, None)
        return (each for each in rows.by_update(bounds.since, bounds.until) if each > last)
    bounds.narrow(None, place.moment)
    walk = rows.by_update(bounds.since, bounds.until, newest_first=True)
    return (each for each in walk if each < last)
