"""Folders that somebody renames or moves: one is its whole path, so those below change, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple
from uuid import UUID

from sqlalchemy import select, update
from sqlalchemy.exc import IntegrityError

from leasehold.kit.texts import tidy
from leasehold_links.bookmarks.reading import DEEPEST, LONGEST_NAME
from leasehold_links.bookmarks.values import Root
from leasehold_links.data import browsing
from leasehold_links.data.library import FolderKey
from leasehold_links.data.tables import folder
from leasehold_links.errors import BadMove, FolderNotFound, FolderThere

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.data import Database
    from leasehold_links.data.browsing import Row


class Change(NamedTuple):
    """What is to be otherwise; None stays as it is."""

    name: str | None = None
    parent_id: UUID | None = None


def move_folder(database: Database, user_id: str, folder_id: UUID, change: Change) -> None:
    """Give a folder another name, or put it into another one, with all that is in it."""
    try:
        with database.write() as connection:
            folders = lock_folders(connection, user_id)
            move(connection, folders, folder_id, change)
    except IntegrityError:  # somebody has made one of that path just now
        raise FolderThere(folder_id) from None


def lock_folders(connection: Connection, user_id: str) -> dict[UUID, Row]:
    """Read a user's folders while nobody can put others into them."""
    of_user = select(folder.c.id).where(folder.c.user_id == user_id).order_by(folder.c.id)
    # A later statement looks: it sees what the lock has waited for.
    connection.execute(of_user.with_for_update()).all()
    return {row["id"]: row for row in browsing.folders_of(connection, user_id)}


def move(connection: Connection, folders: dict[UUID, Row], folder_id: UUID, change: Change) -> None:
    """Write the new paths of a folder and of all below it."""
    moved, key = _target(folders, folder_id, change)
    old = _key_of(moved)
    if key == old:
        return
    if key in map(_key_of, folders.values()):
        raise FolderThere(folder_id)
    depth = len(old.names)
    for row in folders.values():
        if row["root"] == old.root and tuple(row["names"][:depth]) == old.names:
            below = FolderKey(key.root, (*key.names, *row["names"][depth:]))
            _write(connection, row["id"], below)
    parent_id = change.parent_id or moved["parent_id"]
    connection.execute(update(folder).where(folder.c.id == folder_id).values(parent_id=parent_id))


def _target(folders: dict[UUID, Row], folder_id: UUID, change: Change) -> tuple[Row, FolderKey]:
    """Find the folder, and say where it will be."""
    parent_id = change.parent_id
    if folder_id not in folders:
        raise FolderNotFound(folder_id)
    if parent_id is not None and parent_id not in folders:
        raise FolderNotFound(parent_id)
    moved = folders[folder_id]
    if not moved["names"]:
        raise BadMove(folder_id, "root")
    above = _key_of(moved).parent if parent_id is None else _key_of(folders[parent_id])
    assert above is not None  # noqa: S101 - only a root has none
    if above.root == moved["root"] and list(above.names[: len(moved["names"])]) == moved["names"]:
        raise BadMove(folder_id, "inside")
    return moved, FolderKey(above.root, (*above.names, _name(moved, change)))


def _name(moved: Row, change: Change) -> str:
    if change.name is None:
        return str(moved["name"])
    name = tidy(change.name, LONGEST_NAME)
    if not name:
        raise BadMove(moved["id"], "name")
    return name


def _key_of(row: Row) -> FolderKey:
    return FolderKey(Root(row["root"]), tuple(row["names"]))


def _write(connection: Connection, folder_id: UUID, key: FolderKey) -> None:
    if len(key.names) > DEEPEST:
        raise BadMove(folder_id, "deep")
    place = {"root": key.root.value, "path": key.path, "path_hash": key.hash, "name": key.names[-1]}
    connection.execute(update(folder).where(folder.c.id == folder_id).values(**place))
