"""Folders, canonical links and placements: what is there is found, what is new is written.

All of a step at once, on a driver's own connection (`data/bulk.py`).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from operator import itemgetter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias
from uuid import UUID

import msgspec
from sqlalchemy import select, update

import leasehold as lh
from leasehold.kit.data import Bulk, id_texts, moment_text
from leasehold.kit.data.bulk import Row
from leasehold_links.data.tables import canonical, folder, link
from leasehold_links.errors import FolderMoved
from leasehold_links.model.addresses import KEY_VERSION, Address
from leasehold_links.turns import turn_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_links.bookmarks.values import Bookmark, Root

_FOLDER = (
    "id",
    "user_id",
    "root",
    "path",
    "path_hash",
    "name",
    "parent_id",
    "position",
    "created_at",
)
_CANONICAL = (
    *("id", "scope", "key_hash", "key_version", "url", "host", "domain", "job_id", "created_at"),
)
_LINK = (
    *("id", "user_id", "folder_id", "canonical_id", "url", "title", "description", "tags", "icon"),
    *("position", "added_at", "created_at"),
)


class Placement(NamedTuple):
    """A link that somebody wants in a folder."""

    bookmark: Bookmark
    address: Address
    position: int


class NewCanonical(NamedTuple):
    """An address that nobody had before: it is to be enriched, by this job."""

    id: UUID
    turn: str  # see `turns.py`
    job_id: UUID
    call: lh.Call | None = None  # of the job, where it was made already


Identity: TypeAlias = tuple[str, bytes]  # whose it is, and the hash of its key
MakeCall: TypeAlias = Callable[[UUID, str, str], lh.Call]


class Candidates:
    """What would be written of addresses if nobody had them before; made without the database.

    So it can be made while the database writes the step before.
    """

    def __init__(
        self,
        user_id: str,
        take_ids: Callable[[int], Sequence[UUID]],
        wanted: Sequence[Placement],
        now: str,
        make_call: MakeCall | None = None,
    ) -> None:
        self.placements = wanted
        self.wanted = [identity_of(each.address, user_id) for each in wanted]
        addresses: dict[Identity, Address] = {}
        for identity, each in zip(self.wanted, wanted, strict=True):  # the first one stays
            addresses.setdefault(identity, each.address)
        # In one order, so that two imports at once do not wait for each other in a circle.
        self.identities = sorted(addresses)
        count = len(self.identities)
        ids, job_ids = take_ids(count), take_ids(count)
        self.known = dict(zip(self.identities, id_texts(ids), strict=True))
        self.rows: list[Row] = []
        self.fresh: list[NewCanonical] = []
        for (identity, text), id_, job_id, job_text in zip(
            self.known.items(), ids, job_ids, id_texts(job_ids), strict=True
        ):
            address = addresses[identity]
            turn = turn_of(address)
            call = None if make_call is None else _call_or_none(make_call, id_, turn, user_id)
            named = (address.url, address.host, address.domain)
            self.rows.append((text, *identity, KEY_VERSION, *named, job_text, now))
            self.fresh.append(NewCanonical(id_, turn, job_id, call))


def _call_or_none(make_call: MakeCall, id_: UUID, turn: str, user_id: str) -> lh.Call | None:
    """Make a call; one that the queue refuses is refused where its line can fail alone."""
    try:
        return make_call(id_, turn, user_id)
    except lh.BadValue:
        return None


def identity_of(address: Address, user_id: str) -> Identity:
    """Return what makes two addresses one link: whose it is, and its key."""
    return ("" if address.is_public else user_id, address.key_hash)


class FolderKey(NamedTuple):
    """What makes a folder the same folder."""

    root: Root
    names: tuple[str, ...]

    @property
    def path(self) -> str:
        return msgspec.json.encode(self.names).decode()

    @property
    def hash(self) -> bytes:
        """Of the path: fifty long names are more than an index takes."""
        return hashlib.sha256(self.path.encode()).digest()

    @property
    def parent(self) -> FolderKey | None:
        return FolderKey(self.root, self.names[:-1]) if self.names else None


class Placed(NamedTuple):
    """What became of the links of a step, by their positions."""

    links: dict[int, str]  # the ids of those that are new
    repeated: frozenset[int]  # a second time in this very step
    fresh: list[NewCanonical]


class Shelf:
    """Somebody's library, inside one transaction."""

    def __init__(
        self, bulk: Bulk, user_id: str, take_ids: Callable[[int], Sequence[UUID]], now: datetime
    ) -> None:
        self._bulk = bulk
        self._user_id = user_id
        self._take_ids = take_ids
        self._now = moment_text(now)

    def place(self, wanted: Sequence[Placement], candidates: Candidates | None = None) -> Placed:
        """Put links into their folders, with the folders and canonical links that they need."""
        keys = list(_folders_of(wanted))
        folders = self._ensure_folders(zip(keys, (each.position for each in wanted), strict=True))
        if candidates is None:
            candidates = Candidates(self._user_id, self._take_ids, wanted, self._now)
        canonicals, fresh = self._ensure_canonicals(candidates)
        rows, repeated = self._link_rows(
            wanted, map(folders.__getitem__, keys), map(canonicals.__getitem__, candidates.wanted)
        )
        # In one order, so that two imports at once do not wait for each other in a circle.
        rows.sort(key=itemgetter(2, 3))
        added = self._bulk.insert_new(link, _LINK, rows)
        if added < len(rows):
            ids = [row[0] for row in rows]
            standing = {found for (found,) in self._bulk.find(link, ("id",), "id", ids)}
            rows = [row for row in rows if row[0] in standing]
        return Placed({row[9]: row[0] for row in rows}, repeated, fresh)

    def find_link(self, bookmark: Bookmark, address: Address) -> str | None:
        """Find the link that stands in that folder already."""
        key, identity = (
            FolderKey(bookmark.root, bookmark.folder),
            identity_of(address, self._user_id),
        )
        folder_id = self._find_folders([key]).get(key)
        canonical_id = self._find_canonicals([identity]).get(identity)
        if folder_id is None or canonical_id is None:
            return None
        found = self._bulk.find(link, ("id",), "canonical_id", [canonical_id], folder_id=folder_id)
        return found[0][0] if found else None

    # -- folders -----------------------------------------------------------------------------------
    def ensure_folder(self, key: FolderKey) -> str:
        """Find or make a folder, and those above it."""
        return self._ensure_folders([(key, 0)])[key]

    def _ensure_folders(self, wanted: Iterable[tuple[FolderKey, int]]) -> dict[FolderKey, str]:
        first: dict[FolderKey, int] = {}  # by where the first of its links stands
        last: FolderKey | None = None
        for wanted_key, position in wanted:
            key: FolderKey | None = wanted_key
            if key is last:
                continue
            last = key
            while key is not None and key not in first:
                first[key] = position
                key = key.parent
        found = self._find_folders(first)
        missing = sorted(first.keys() - found.keys(), key=lambda key: (len(key.names), key))
        if not missing:
            return found
        known = found | dict(zip(missing, id_texts(self._take_ids(len(missing))), strict=True))
        rows = [self._folder_row(key, known, first[key]) for key in missing]
        self._bulk.insert_new(folder, _FOLDER, rows)
        # Looked up again: others may have made some of them meanwhile, or renamed one above.
        found = self._find_folders(first)
        if found.keys() != first.keys():
            raise FolderMoved
        return found

    def _folder_row(self, key: FolderKey, known: Mapping[FolderKey, str], position: int) -> Row:
        return (
            known[key],
            self._user_id,
            key.root.value,
            key.path,
            key.hash,
            key.names[-1] if key.names else "",
            None if key.parent is None else known[key.parent],
            position,
            self._now,
        )

    def _find_folders(self, keys: Iterable[FolderKey]) -> dict[FolderKey, str]:
        by_hash = {(key.root.value, key.hash): key for key in keys}
        hashes = {path_hash for _, path_hash in by_hash}
        names = ("id", "root", "path_hash")
        found: dict[FolderKey, str] = {}
        for root in {root for root, _ in by_hash}:
            given = {"user_id": self._user_id, "root": root}
            for id_, _, path_hash in self._bulk.find(folder, names, "path_hash", hashes, **given):
                key = by_hash.get((root, bytes(path_hash)))
                if key is not None:
                    found[key] = id_
        return found

    # -- canonical links ---------------------------------------------------------------------------
    def _ensure_canonicals(
        self, candidates: Candidates
    ) -> tuple[dict[Identity, str], list[NewCanonical]]:
        """Find or make what these addresses have in common with all others'; names the new ones."""
        rows, made = candidates.rows, candidates.known
        if self._bulk.insert_new(canonical, _CANONICAL, rows) == len(rows):
            return made, candidates.fresh
        known = self._find_canonicals(candidates.identities)
        fresh = [
            new
            for identity, new in zip(candidates.identities, candidates.fresh, strict=True)
            if known[identity] == made[identity]
        ]
        return known, fresh

    def _find_canonicals(self, identities: Iterable[Identity]) -> dict[Identity, str]:
        by_scope: dict[str, list[bytes]] = {}
        for scope, key_hash in identities:
            by_scope.setdefault(scope, []).append(key_hash)
        names = ("id", "key_hash")
        return {
            (scope, bytes(key_hash)): id_
            for scope, hashes in by_scope.items()
            for id_, key_hash in self._bulk.find(canonical, names, "key_hash", hashes, scope=scope)
        }

    # -- placements --------------------------------------------------------------------------------
    def _link_rows(
        self, wanted: Sequence[Placement], folders: Iterable[str], canonicals: Iterable[str]
    ) -> tuple[list[Row], frozenset[int]]:
        rows: dict[tuple[str, str], Row] = {}
        repeated: set[int] = set()
        ids = id_texts(self._take_ids(len(wanted)))
        for (bookmark, address, position), folder_id, canonical_id, id_ in zip(
            wanted, folders, canonicals, ids, strict=True
        ):
            if (folder_id, canonical_id) in rows:
                repeated.add(position)
                continue
            rows[folder_id, canonical_id] = (
                id_,
                self._user_id,
                folder_id,
                canonical_id,
                address.url,
                bookmark.title,
                bookmark.description,
                _json_of(bookmark.tags),
                bookmark.icon,
                position,
                None if bookmark.added_at is None else moment_text(bookmark.added_at),
                self._now,
            )
        return list(rows.values()), frozenset(repeated)


def _folders_of(wanted: Iterable[Placement]) -> Iterator[FolderKey]:
    """Name the folder of each link; most are in their neighbour's, and so is the name of it."""
    last: FolderKey | None = None
    for bookmark, _, _ in wanted:
        key = (bookmark.root, bookmark.folder)
        if key != last:
            last = FolderKey(*key)
        yield last


def next_position(connection: Connection, user_id: str) -> int:
    """Return where the next link of this user stands, behind the one that came last."""
    newest = select(link.c.position).where(link.c.user_id == user_id).order_by(link.c.id.desc())
    last: int | None = connection.scalar(newest.limit(1))
    return 0 if last is None else last + 1


def note_jobs(connection: Connection, jobs: Iterable[tuple[UUID, UUID]]) -> None:
    """Write down which job enriches which canonical link: (canonical, job)."""
    for canonical_id, job_id in jobs:
        connection.execute(
            update(canonical).where(canonical.c.id == canonical_id).values(job_id=job_id)
        )


def _json_of(tags: tuple[str, ...]) -> Any:
    return msgspec.json.encode(tags).decode() if tags else "[]"
