"""The rows of `entities`: a page of objects, compared with what is there and written once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple

import msgspec
from msgspec.structs import replace

from leasehold.kit.data import Upsert, moment_text
from leasehold_sync.data.tables import entity
from leasehold_sync.model.counts import Counts
from leasehold_sync.model.pages import Item
from leasehold_sync.model.payloads import Payload, hash_of, write_payload

if TYPE_CHECKING:
    from leasehold.kit.data import Bulk

ID_LIMIT = 2_000  # bytes; an entry of PostgreSQL's index has at most 2,704
_FOUND = (
    *("external_id", "number", "payload_hash", "text_hash", "as_of", "last_seen_run"),
    "deleted_at",
)
_WRITTEN = (
    *("app_key", "collection_key", "external_id", "parent_id", "payload", "payload_hash"),
    *("text_hash", "version", "as_of", "source_created_at", "last_seen_run"),
    *("created_at", "updated_at", "deleted_at"),
)
# The source's moment and the run's id both rise: what is newer by either is not overwritten.
_RULE = Upsert(
    key=("app_key", "collection_key", "external_id"),
    keep=("created_at",),
    rising=("as_of", "last_seen_run"),
)


class Run(NamedTuple):
    """Who writes: a later run has a greater id."""

    app_key: str
    id: str
    is_full: bool
    now: datetime


class Compared(NamedTuple):
    """What a page comes to, and the rows that are to be written for it."""

    rows: list[tuple[Any, ...]]
    counts: Counts
    unchanged: list[int]  # numbers of rows that were seen and are not written
    changed: list[int]  # … that were there, and are


class Known(msgspec.Struct, frozen=True, gc=False):
    """A row that is there already."""

    number: int
    payload_hash: bytes
    text_hash: bytes | None
    as_of: datetime
    last_seen_run: str
    is_deleted: bool


def compare(bulk: Bulk, run: Run, items: Iterable[Item], version: str) -> Compared:
    """Say what each object comes to, beside what is there."""
    believed = (_believed(item, run.now) for item in items)
    wanted, nameless = _newest(believed, is_full=run.is_full)
    known = _find(bulk, run.app_key, wanted)
    page = _Page(run, version)
    for key, item in wanted.items():
        page.take(item, known.get(key))
    counts = Counts(nameless=nameless, **page.tally)
    return Compared(page.rows, counts, page.unchanged, page.changed)


def write(bulk: Bulk, rows: Sequence[tuple[Any, ...]]) -> None:
    """Write what is new or has changed; what somebody else has written newer meanwhile stays."""
    if rows:
        bulk.upsert(entity, _WRITTEN, rows, _RULE)


def _believed(item: Item, now: datetime) -> Item:
    """Take back a moment to come: a clock that was ahead would keep out all that comes later.

    To the second, as sources tell the time: else their next answer seemed to be older.
    """
    return item if item.as_of <= now else replace(item, as_of=now.replace(microsecond=0))


def _newest(items: Iterable[Item], *, is_full: bool) -> tuple[dict[tuple[str, str], Item], int]:
    """Keep one of each object, the newest; of changes the first, since they come newest first."""
    kept: dict[tuple[str, str], Item] = {}
    nameless = 0
    for item in items:
        key = item.collection, _tidy(item.external_id)
        if not 0 < len(key[1].encode()) <= ID_LIMIT:
            nameless += 1
        elif (before := kept.get(key)) is None or _is_later(item, before, is_full=is_full):
            kept[key] = item
    return kept, nameless


def _tidy(name: str) -> str:
    return name.replace("\0", "") if "\0" in name else name


def _is_later(item: Item, before: Item, *, is_full: bool) -> bool:
    return item.as_of >= before.as_of if is_full else item.as_of > before.as_of


def _find(
    bulk: Bulk, app_key: str, wanted: Iterable[tuple[str, str]]
) -> dict[tuple[str, str], Known]:
    by_collection: dict[str, list[str]] = {}
    for collection, name in wanted:
        by_collection.setdefault(collection, []).append(name)
    return {
        (collection, row[0]): _known(row)
        for collection, names in by_collection.items()
        for row in bulk.find(
            entity, _FOUND, "external_id", names, app_key=app_key, collection_key=collection
        )
    }


def _known(row: Sequence[Any]) -> Known:
    _, number, payload_hash, text_hash, as_of, run_id, deleted_at = row
    moment = datetime.fromisoformat(as_of) if isinstance(as_of, str) else as_of
    return Known(number, payload_hash, text_hash, moment, run_id, deleted_at is not None)


class _Page:
    """Compares object by object, and gathers what is to be written."""

    def __init__(self, run: Run, version: str) -> None:
        self.run = run
        self.version = version
        self.tally: Counter[str] = Counter()
        self.rows: list[tuple[Any, ...]] = []
        self.unchanged: list[int] = []
        self.changed: list[int] = []
        self._now = moment_text(run.now)

    def take(self, item: Item, known: Known | None) -> None:
        text_hash = hash_of(item.payload) if isinstance(item.payload, msgspec.Raw) else None
        if known is not None and (
            _is_ahead(known, item, self.run) or _is_the_same_text(known, item, text_hash)
        ):
            self._leave(known)
            return
        payload = write_payload(item.payload)
        if known is None:
            # A tombstone of what we never had is kept: an older page may show the object still.
            self._write(item, payload, text_hash, None if item.is_deleted else "created")
        elif _is_same(known, item, payload):
            self._leave(known)
        else:
            self.changed.append(known.number)
            self._write(item, payload, text_hash, self._change(item, known))

    def _leave(self, known: Known) -> None:
        if known.last_seen_run == self.run.id:  # written, and counted, by this run
            return
        self.unchanged.append(known.number)
        if not known.is_deleted:
            self.tally["unchanged"] += 1

    def _change(self, item: Item, known: Known) -> str | None:
        if item.is_deleted:
            return "deleted"
        return None if known.last_seen_run == self.run.id else "updated"

    def _write(
        self, item: Item, payload: Payload, text_hash: bytes | None, count_as: str | None
    ) -> None:
        if count_as is not None:
            self.tally[count_as] += 1
        self.rows.append(self._row(item, payload, text_hash))

    def _row(self, item: Item, payload: Payload, text_hash: bytes | None) -> tuple[Any, ...]:
        made = item.created_at
        return (
            self.run.app_key,
            item.collection,
            _tidy(item.external_id),
            None if item.parent_id is None else _tidy(item.parent_id),
            payload.raw.decode(),
            payload.hash,
            text_hash,
            item.version or self.version,
            moment_text(item.as_of),
            None if made is None else moment_text(made),
            self.run.id,
            self._now,
            self._now,
            self._now if item.is_deleted else None,
        )


def _is_ahead(known: Known, item: Item, run: Run) -> bool:
    return known.as_of > item.as_of or known.last_seen_run > run.id


def _is_the_same_text(known: Known, item: Item, text_hash: bytes | None) -> bool:
    if text_hash is None or known.text_hash != text_hash:
        return False
    return not (item.is_deleted or known.is_deleted)


def _is_same(known: Known, item: Item, payload: Payload) -> bool:
    if item.is_deleted:
        return known.is_deleted
    return not known.is_deleted and known.payload_hash == payload.hash
