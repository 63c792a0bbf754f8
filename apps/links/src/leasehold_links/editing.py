"""What people do with their own library: put a link in, change it, take it out; make folders.

Whatever is somebody else's is not there.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import msgspec
from sqlalchemy import delete, exists, select, update

from leasehold.kit.texts import tidy
from leasehold_links import uploading
from leasehold_links.bookmarks.reading import (
    DEEPEST,
    LONGEST_DESCRIPTION,
    LONGEST_NAME,
    LONGEST_TITLE,
    MOST_TAGS,
)
from leasehold_links.bookmarks.values import Bookmark, Root
from leasehold_links.data import browsing, library
from leasehold_links.data.tables import folder, link
from leasehold_links.errors import AlreadyThere, BadAddress, FolderNotFound, LinkNotFound
from leasehold_links.model.addresses import NotFetchable
from leasehold_links.uploading import Added

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from sqlalchemy import Connection

    import leasehold as lh
    from leasehold.kit.data import Database


class NewLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link to put in; without a folder it goes to the first of them, the menu itself."""

    url: str
    title: str = ""
    description: str = ""
    tags: tuple[str, ...] = ()
    folder_id: UUID | None = None


def add_link(client: lh.Client, database: Database, user_id: str, new: NewLink) -> Added:
    """Put a link into a folder and let it be enriched, if nobody's has been."""
    with database.read() as connection:
        root, names = _place(connection, user_id, new.folder_id)
    bookmark = Bookmark(
        url=new.url.strip(),
        title=new.title,
        description=new.description,
        tags=tidy_tags(new.tags),
        root=root,
        folder=names,
        added_at=datetime.now(UTC),
    )
    try:
        return uploading.add_link(client, database, user_id, bookmark)
    except NotFetchable as error:
        raise BadAddress(error.reason, error.scheme) from error


def edit_link(database: Database, user_id: str, link_id: UUID, changes: dict[str, Any]) -> None:
    """Change a link's own `title`, `description` or `tags`, or move it by its `folder_id`."""
    said = _tidy_changes(changes)
    with database.write() as connection:
        row = browsing.link_of(connection, user_id, link_id)
        if row is None:
            raise LinkNotFound(link_id)
        if "folder_id" in said:
            _check_move(connection, user_id, row, said["folder_id"])
        if said:
            connection.execute(update(link).where(link.c.id == link_id).values(**said))


def delete_link(database: Database, user_id: str, link_id: UUID) -> None:
    """Take a link out of its folder; what is known of its address goes when nobody has it."""
    with database.write() as connection:
        gone = delete(link).where(link.c.id == link_id, link.c.user_id == user_id)
        if not connection.execute(gone).rowcount:
            raise LinkNotFound(link_id)


def add_folder(
    client: lh.Client, database: Database, user_id: str, root: str, names: Sequence[str]
) -> UUID:
    """Find or make a folder, and those above it."""
    key = library.FolderKey(Root(root), _tidy_names(names))
    with database.write() as connection:
        bulk = database.bulk(connection)
        shelf = library.Shelf(bulk, user_id, client.ids.take, datetime.now(UTC))
        return UUID(shelf.ensure_folder(key))


def delete_folder(database: Database, user_id: str, folder_id: UUID) -> None:
    """Delete a folder with the folders and links in it."""
    with database.write() as connection:
        gone = delete(folder).where(folder.c.id == folder_id, folder.c.user_id == user_id)
        if not connection.execute(gone).rowcount:
            raise FolderNotFound(folder_id)


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Make tags as a bookmark file can hold them: a comma would make two of one."""
    names = (tidy(part, LONGEST_NAME) for tag in tags for part in tag.split(","))
    return tuple(dict.fromkeys(name for name in names if name))[:MOST_TAGS]


def _tidy_names(names: Sequence[str]) -> tuple[str, ...]:
    return tuple(tidy(name, LONGEST_NAME) for name in names)[:DEEPEST]


def _tidy_changes(changes: dict[str, Any]) -> dict[str, Any]:
    said = dict(changes)
    if "title" in said:
        said["title"] = tidy(said["title"], LONGEST_TITLE)
    if "description" in said:
        said["description"] = tidy(said["description"], LONGEST_DESCRIPTION)
    if "tags" in said:
        said["tags"] = list(tidy_tags(said["tags"]))
    return said


def _place(
    connection: Connection, user_id: str, folder_id: UUID | None
) -> tuple[Root, tuple[str, ...]]:
    if folder_id is None:
        return Root.MENU, ()
    row = browsing.folder_of(connection, user_id, folder_id)
    if row is None:
        raise FolderNotFound(folder_id)
    return Root(row["root"]), tuple(row["names"])


def _check_move(connection: Connection, user_id: str, row: dict[str, Any], folder_id: UUID) -> None:
    """Refuse a folder that is not the user's, and one that has the link already."""
    if browsing.folder_of(connection, user_id, folder_id) is None:
        raise FolderNotFound(folder_id)
    twin = exists().where(
        link.c.folder_id == folder_id,
        link.c.canonical_id == row["canonical_id"],
        link.c.id != row["id"],
    )
    if connection.scalar(select(twin)):
        raise AlreadyThere(row["id"], folder_id)
