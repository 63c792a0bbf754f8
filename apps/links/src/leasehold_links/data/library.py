"""Folders, canonical links and placements: what is there is found, what is new is written."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

import msgspec
from sqlalchemy import bindparam, select, update

from leasehold_links.data.tables import canonical, folder, link
from leasehold_links.data.writing import insert_new
from leasehold_links.model.addresses import KEY_VERSION, Address
from leasehold_links.turns import turn_of

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    from leasehold_links.bookmarks.values import Bookmark, Root


class Placement(NamedTuple):
    """A link that somebody wants in a folder."""

    bookmark: Bookmark
    address: Address
    position: int


class NewCanonical(NamedTuple):
    """An address that nobody had before: it is to be enriched."""

    id: UUID
    turn: str  # see `turns.py`


class FolderKey(NamedTuple):
    """What makes a folder the same folder."""

    root: Root
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        return msgspec.json.encode(self.names).decode()

    @property
    def parent(self) -> FolderKey | None:
        return FolderKey(self.root, self.names[:-1]) if self.names else None


def ensure_folders(
    connection: Connection,
    user_id: str,
    wanted: Sequence[Placement],
    *,
    new_id: Callable[[], UUID],
    now: datetime,
) -> dict[FolderKey, UUID]:
    """Find or make the folders of these links, and those above them."""
    keys: dict[FolderKey, None] = {}
    for each in {FolderKey(one.bookmark.root, one.bookmark.folder) for one in wanted}:
        above: FolderKey | None = each
        while above is not None and above not in keys:
            keys[above] = None
            above = above.parent
    found = _find_folders(connection, user_id, keys)
    missing = sorted(keys.keys() - found.keys(), key=lambda key: (len(key.names), key))
    if not missing:
        return found
    known = found | {key: new_id() for key in missing}
    rows = [
        {
            "id": known[key],
            "user_id": user_id,
            "root": key.root.value,
            "path": key.path,
            "name": key.names[-1] if key.names else "",
            "parent_id": None if key.parent is None else known[key.parent],
            "created_at": now,
        }
        for key in missing
    ]
    is_all_ours = insert_new(connection, folder, rows) == len(rows)
    return known if is_all_ours else _find_folders(connection, user_id, keys)


def _find_folders(
    connection: Connection, user_id: str, keys: Mapping[FolderKey, None]
) -> dict[FolderKey, UUID]:
    by_path = {(key.root.value, key.path): key for key in keys}
    found = connection.execute(
        select(folder.c.id, folder.c.root, folder.c.path).where(
            folder.c.user_id == user_id, folder.c.path.in_({path for _, path in by_path})
        )
    )
    return {by_path[root, path]: id_ for id_, root, path in found if (root, path) in by_path}


def ensure_canonicals(
    connection: Connection,
    user_id: str,
    wanted: Sequence[Placement],
    *,
    new_id: Callable[[], UUID],
    now: datetime,
) -> tuple[dict[tuple[str, bytes], UUID], list[NewCanonical]]:
    """Find or make what these addresses have in common with all others'; names the new ones."""
    addresses = {_identity(each.address, user_id): each.address for each in wanted}
    found = _find_canonicals(connection, addresses)
    # In one order, so that two imports at once do not wait for each other in a circle.
    missing = sorted(addresses.keys() - found.keys())
    made = {identity: new_id() for identity in missing}
    rows = [
        {
            "id": made[scope, key_hash],
            "scope": scope,
            "key_hash": key_hash,
            "key_version": KEY_VERSION,
            "url": addresses[scope, key_hash].url,
            "host": addresses[scope, key_hash].host,
            "domain": addresses[scope, key_hash].domain,
            "created_at": now,
        }
        for scope, key_hash in missing
    ]
    if rows and insert_new(connection, canonical, rows) != len(rows):
        stands = _find_canonicals(connection, made)  # another import was quicker
        made = {identity: id_ for identity, id_ in made.items() if stands[identity] == id_}
        found |= stands
    fresh = [NewCanonical(id_, turn_of(addresses[identity])) for identity, id_ in made.items()]
    return found | made, fresh


def _identity(address: Address, user_id: str) -> tuple[str, bytes]:
    return ("" if address.is_public else user_id, address.key_hash)


def _find_canonicals(
    connection: Connection, identities: Mapping[tuple[str, bytes], Any]
) -> dict[tuple[str, bytes], UUID]:
    hashes = {key_hash for _, key_hash in identities}
    found = connection.execute(
        select(canonical.c.id, canonical.c.scope, canonical.c.key_hash).where(
            canonical.c.key_hash.in_(hashes)
        )
    )
    named = {(scope, bytes(key_hash)): id_ for id_, scope, key_hash in found}
    return {identity: id_ for identity, id_ in named.items() if identity in identities}


def place_links(
    connection: Connection,
    user_id: str,
    wanted: Sequence[Placement],
    folders: Mapping[FolderKey, UUID],
    canonicals: Mapping[tuple[str, bytes], UUID],
    *,
    new_id: Callable[[], UUID],
    now: datetime,
) -> int:
    """Put links into their folders; returns how many were not there yet."""
    rows: dict[tuple[UUID, UUID], dict[str, Any]] = {}
    for each in wanted:
        bookmark = each.bookmark
        folder_id = folders[FolderKey(bookmark.root, bookmark.folder)]
        canonical_id = canonicals[_identity(each.address, user_id)]
        rows.setdefault(
            (folder_id, canonical_id),
            {
                "id": new_id(),
                "user_id": user_id,
                "folder_id": folder_id,
                "canonical_id": canonical_id,
                "url": each.address.url,
                "title": bookmark.title,
                "description": bookmark.description,
                "tags": list(bookmark.tags),
                "icon": bookmark.icon,
                "position": each.position,
                "added_at": bookmark.added_at,
                "created_at": now,
            },
        )
    return insert_new(connection, link, list(rows.values())) if rows else 0


def note_jobs(connection: Connection | Session, jobs: Sequence[tuple[UUID, UUID]]) -> None:
    """Write down which job enriches which canonical link: (canonical, job)."""
    if jobs:
        connection.execute(
            update(canonical)
            .where(canonical.c.id == bindparam("of"))
            .values(job_id=bindparam("by")),
            [{"of": of, "by": by} for of, by in jobs],
        )
