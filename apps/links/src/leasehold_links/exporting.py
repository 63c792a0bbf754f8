"""Exports: a person's library as a bookmark file, which browsers and we ourselves read back.

It is written piece by piece, each read by itself: a slow reader keeps no transaction open.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeAlias
from uuid import UUID

import msgspec
from sqlalchemy import select

from leasehold_links.bookmarks.values import Bookmark, Root
from leasehold_links.bookmarks.writing import write_bookmarks
from leasehold_links.data.tables import folder, link

if TYPE_CHECKING:
    from leasehold.kit.data import Database

_PAGE = 500
_ORDER = (Root.TOOLBAR, Root.MENU, Root.UNFILED)


def export_bookmarks(database: Database, user_id: str) -> Iterator[str]:
    """Yield the file's text: folders, order, titles, dates, tags, descriptions and icons."""
    return write_bookmarks(_bookmarks(database, user_id))


_Place: TypeAlias = tuple[int, UUID]


class _Folder(NamedTuple):
    id: UUID
    root: Root
    names: tuple[str, ...]
    position: int


def _bookmarks(database: Database, user_id: str) -> Iterator[Bookmark]:
    """Walk through the folders, links and folders of each as they stand in it."""
    children: dict[UUID | None, list[_Folder]] = {}
    for parent_id, each in _folders(database, user_id):
        children.setdefault(parent_id, []).append(each)
    for root in sorted(children.get(None, ()), key=lambda each: _ORDER.index(each.root)):
        yield from _inside(database, root, children)


def _inside(
    database: Database, here: _Folder, children: dict[UUID | None, list[_Folder]]
) -> Iterator[Bookmark]:
    places = _places(database, here.id)
    folders = sorted(children.get(here.id, ()), key=lambda each: (each.position, each.names))
    for each in folders:
        before = [place for place in places if place < (each.position, each.id)]
        yield from _read(database, here, before)
        places = places[len(before) :]
        yield from _inside(database, each, children)
    yield from _read(database, here, places)


def _folders(database: Database, user_id: str) -> list[tuple[UUID | None, _Folder]]:
    columns = folder.c
    query = select(
        columns.parent_id, columns.id, columns.root, columns.path, columns.position
    ).where(columns.user_id == user_id)
    with database.read() as connection:
        return [
            (parent_id, _Folder(id_, Root(root), tuple(msgspec.json.decode(path)), position))
            for parent_id, id_, root, path, position in connection.execute(query)
        ]


def _places(database: Database, folder_id: UUID) -> list[_Place]:
    """Name the links of a folder in their order; the links themselves are read by the page."""
    query = select(link.c.position, link.c.id).where(link.c.folder_id == folder_id)
    with database.read() as connection:
        return sorted((position, id_) for position, id_ in connection.execute(query))


def _read(database: Database, here: _Folder, places: list[_Place]) -> Iterator[Bookmark]:
    for start in range(0, len(places), _PAGE):
        ids = [id_ for _, id_ in places[start : start + _PAGE]]
        found = _links(database, here, ids)
        yield from (found[id_] for id_ in ids if id_ in found)  # one may be deleted meanwhile


def _links(database: Database, here: _Folder, ids: list[UUID]) -> dict[UUID, Bookmark]:
    columns = link.c
    query = select(
        *(columns.id, columns.url, columns.title, columns.description),
        *(columns.tags, columns.icon, columns.added_at),
    ).where(columns.id.in_(ids))
    with database.read() as connection:
        return {
            id_: Bookmark(
                url=url,
                title=title,
                root=here.root,
                folder=here.names,
                added_at=added_at,
                description=description,
                tags=tuple(tags),
                icon=icon,
            )
            for id_, url, title, description, tags, icon, added_at in connection.execute(query)
        }
