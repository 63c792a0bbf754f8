"""The tables of a queue in a form that is the same in every store, for moving between them.

A row is a tuple in the order of the columns here: ids are text, times microseconds since the epoch,
flags 0 or 1, JSON and lists of names are JSON text. A test compares this with both real schemas.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Callable, Sequence
from decimal import Decimal
from enum import StrEnum
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

import msgspec

Row: TypeAlias = tuple[Any, ...]
Key: TypeAlias = tuple[str | int, ...]


class Kind(StrEnum):
    """What a column holds."""

    ID = "id"
    TEXT = "text"
    INTEGER = "integer"
    REAL = "real"
    SINGLE = "single"  # a number that PostgreSQL keeps in four bytes
    FLAG = "flag"
    TIME = "time"
    JSON = "json"  # as it was sent
    DOCUMENT = "document"  # JSON that PostgreSQL writes in its own way
    NAMES = "names"
    STATE = "state"


class Table(NamedTuple):
    """One table; its key is unique, and what a walk through it goes by."""

    name: str
    key: tuple[str, ...]
    columns: dict[str, Kind]


_WORDS = {kind.value: kind for kind in Kind}


def _table(name: str, key: str, columns: str) -> Table:
    """Read `name:kind`, or a name alone for text."""
    parts = (word.partition(":") for word in columns.split())
    return Table(
        name, tuple(key.split()), {name: _WORDS[kind or "text"] for name, _, kind in parts}
    )


_COUNTS = "attempt:integer failures:integer lapses:integer priority:integer"
_STANDING = f"job_id:id created_at:time {_COUNTS} queue kind tenant batch:id"
_PAUSE = "paused_until:time pause_reason paused_by"

TABLES: tuple[Table, ...] = (
    _table(
        "job",
        "id",
        "id:id created_at:time timeout_seconds:single priority:integer max_attempts:integer tenant"
        " queue kind args:json key lane batch:id created_by run_at:time share cost:real"
        " on_end:json needs:json trace",
    ),
    _table("ready", "job_id", f"{_STANDING} is_suspect:flag"),
    _table("scheduled", "job_id", f"{_STANDING} run_at:time lane"),
    _table("parked", "job_id", _STANDING),
    _table("waiting", "job_id", f"{_STANDING} stage share lane cost:real"),
    _table(
        "outcome",
        "job_id attempt",
        "job_id:id attempt:integer state:state failures:integer lapses:integer fence:integer"
        " worker:integer started_at:time finished_at:time tenant result:document error traceback",
    ),
    _table(
        "checkpoint",
        "job_id",
        "job_id:id tenant saved_at:time done:real total:real note cursor:json",
    ),
    _table("step", "job_id name", "job_id:id name tenant done_at:time result:json"),
    _table(
        "key",
        "tenant key",
        "tenant key job_id:id next:id taken_at:time series_at:time succeeded_at:time"
        " memory_seconds:real is_urgent:flag",
    ),
    _table(
        "batch",
        "id",
        "id:id tenant name parent:id meta:json on_end:json on_failure:json round:integer created_by"
        " created_at:time sealed_at:time failed_at:time cancelled_at:time cancelled_by"
        " ended_at:time",
    ),
    _table("callback", "job_id", "job_id:id tenant"),
    _table("dependent", "job_id", "job_id:id tenant"),
    _table("dependency", "needs job_id", "needs:id job_id:id tenant"),
    _table(
        "schedule",
        "tenant name",
        "tenant name rule zone dst missed missed_cap:integer jitter_seconds:real job:json"
        " created_at:time updated_at:time next_at:time last_slot:time last_fired_at:time"
        " last_job:id"
        " paused_at:time paused_by set_by version:integer",
    ),
    _table(
        "task",
        "kind",
        "kind queue priority:integer max_attempts:integer timeout_seconds:single dies_on_lapse:flag"
        " seen_at:time throttle throttle_by:names share_by:names cost:real typical_seconds:real"
        " encrypted:flag",
    ),
    _table(
        "throttle",
        "name tenant",
        "name tenant running:integer per_worker:integer rate:real burst:real set_by updated_at:time"
        f" {_PAUSE}",
    ),
    _table("bucket", "lane tenant", "lane tenant full_at:time"),
    _table("charge", "lane tenant", "lane tenant amount:real"),  # summed up before a move
    _table("share", "name", "name tenant weight:integer set_by updated_at:time"),
    _table(
        "queue",
        "name",
        f"name tenant {_PAUSE} aging_seconds:real running_limit:integer limited_by"
        " unmarked_since:time updated_at:time",
    ),
    _table("credential", "tenant name", "tenant name value set_by updated_at:time"),
    _table(
        "quota",
        "tenant",
        "tenant waiting:integer running:integer rate:real burst:real spare:integer full_at:time"
        " unmarked_since:time set_by updated_at:time",
    ),
    _table(
        "retention",
        "scope name",
        "scope name tenant succeeded_seconds:real dead_seconds:real cancelled_seconds:real set_by"
        " updated_at:time",
    ),
)
BY_NAME = {table.name: table for table in TABLES}

# What is of one database only: its leases are void after a move, its workers have gone.
LEFT_BEHIND = frozenset(
    {
        *("lease", "worker", "migration", "fence", "turnstile", "duty", "move"),
        *("statistic", "depth", "alert", "alert_mute"),
        *(
            "token",
            "session",
            "audit",
        ),  # who may do what is said anew; what was done was done there
    }
)


def key_of(table: Table, row: Row) -> Key:
    """Return the part of a row that a walk goes by."""
    names = list(table.columns)
    return tuple(row[names.index(name)] for name in table.key)


def hash_rows(table: Table, rows: Sequence[Row]) -> list[int]:
    """Hash rows so that the same in both stores is the same here."""
    forms = [_FORMS.get(kind) for kind in table.columns.values()]
    return [
        _hash([_form(value, form) for value, form in zip(row, forms, strict=True)]) for row in rows
    ]


def _form(value: Any, form: Callable[[Any], Any] | None) -> Any:
    return value if value is None or form is None else form(value)


def _hash(values: list[Any]) -> int:
    return int.from_bytes(blake2b(msgspec.json.encode(values), digest_size=8).digest(), "big")


def _canonical(text: str) -> str:
    """Write JSON in one way: PostgreSQL has its own order, spaces and numbers."""
    value = json.loads(text, parse_float=_plain_number, parse_int=_plain_number)
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def _plain_number(text: str) -> str:
    # A text that no JSON text is equal to: it begins with a control character.
    return f"\x01{Decimal(text).normalize():f}"


_FORMS: dict[Kind, Callable[[Any], Any]] = {
    Kind.DOCUMENT: _canonical,
    Kind.NAMES: _canonical,
    Kind.SINGLE: lambda value: struct.pack("f", value).hex(),
    Kind.REAL: float,
    Kind.FLAG: int,
}
