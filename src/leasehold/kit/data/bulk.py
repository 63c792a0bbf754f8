"""Many rows at a time, on a driver's own connection: what SQLAlchemy does for each row costs more.

Statements are SQLAlchemy's, compiled once. Values are plain: ids and moments as text, as SQLite
keeps them and PostgreSQL reads them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias
from uuid import UUID

import msgspec
from sqlalchemy import (
    JSON,
    LargeBinary,
    Table,
    Text,
    and_,
    bindparam,
    cast,
    column,
    delete,
    func,
    literal_column,
    select,
    true,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import psycopg

from leasehold.kit.data.columns import Id

if TYPE_CHECKING:
    from sqlalchemy import Column, Delete, Dialect, Executable, Insert, Select, Update

Row: TypeAlias = tuple[Any, ...]

_CACHE_KILOBYTES = 65_536
# Rows of a statement: any number of them is a few statements, and none is long to prepare.
_AT_ONCE = (64, 32, 16, 8, 4, 2, 1)
_FOUND_AT_ONCE = 128
_MOST_VALUES = 32_766  # that a statement of SQLite takes
_TO_SECONDS = len("2026-11-16T12:00:00")
_INSERT = re.compile(r"(INSERT INTO .* VALUES )(\(\?.*\?\))( ON CONFLICT .*)")
_SQLITE = sqlite.dialect()
_encode = msgspec.json.Encoder().encode
_POSTGRES: Dialect = psycopg.dialect()  # type: ignore[no-untyped-call] # SQLAlchemy's own


class Upsert(NamedTuple):
    """How rows are told apart, and what becomes of those that are there already."""

    key: tuple[str, ...]
    keep: tuple[str, ...] = ()  # stay as they were
    rising: tuple[str, ...] = ()  # a row that is ahead in one of these is newer, and left alone


class Bulk(Protocol):
    """Writes and finds rows inside a transaction that is somebody else's."""

    def make_room(self) -> None:
        """Let the connection keep more in memory, for the indexes of large tables."""

    def insert_new(self, table: Table, names: tuple[str, ...], rows: Sequence[Row]) -> int:
        """Insert what is not there yet; returns how many that were. Names in the table's order."""

    def upsert(
        self, table: Table, names: tuple[str, ...], rows: Sequence[Row], rule: Upsert
    ) -> None:
        """Insert rows, or change those that have their key; none may come twice."""

    def find(
        self, table: Table, names: tuple[str, ...], by: str, values: Iterable[Any], **fixed: str
    ) -> list[Row]:
        """Find the rows that have one of these values there, and the fixed ones."""

    def add(self, table: Table, row_id: str, amounts: Mapping[str, int]) -> None:
        """Add to the counts of a row."""

    def run(self, statement: Executable, values: Mapping[str, Any]) -> list[Row]:
        """Run a statement that was made once, and that returns rows."""

    def delete(self, table: Table, by: str, value: str) -> None:
        """Delete the rows that have this value there."""


def bulk_on(connection: Any, *, is_sqlite: bool) -> Bulk:
    """Use this connection of sqlite3 or psycopg."""
    return SqliteBulk(connection) if is_sqlite else PostgresBulk(connection)


def moment_text(moment: datetime) -> str:
    """Write a moment as SQLite keeps it, and as PostgreSQL reads it."""
    in_utc = moment if moment.tzinfo is UTC else moment.astimezone(UTC)
    text: str = msgspec.to_builtins(in_utc)  # ends in Z; a tenth of what `isoformat` takes
    return f"{text[:_TO_SECONDS]}{text[_TO_SECONDS:-1] or '.000000'}+00:00"


def id_texts(ids: Sequence[UUID]) -> list[str]:
    """Write many ids as SQLite keeps them, in a tenth of the time that one by one takes."""
    texts: list[str] = msgspec.to_builtins(ids)
    return texts


class SqliteBulk:
    """On sqlite3. Many rows are one statement: each would let other threads go first."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def make_room(self) -> None:
        # Hashes come in no order: with SQLite's own 2 MB nearly each would be read from its file.
        self._connection.execute(f"PRAGMA cache_size = -{_CACHE_KILOBYTES}")

    def insert_new(self, table: Table, names: tuple[str, ...], rows: Sequence[Row]) -> int:
        added, start = 0, 0
        while start < len(rows):
            most = min(len(rows) - start, _MOST_VALUES // len(names))
            count = next(each for each in _AT_ONCE if each <= most)
            values = list(chain.from_iterable(rows[start : start + count]))
            sql = _sqlite_inserts(table, names, count)
            added += self._connection.execute(sql, values).rowcount
            start += count
        return added

    def upsert(
        self, table: Table, names: tuple[str, ...], rows: Sequence[Row], rule: Upsert
    ) -> None:
        self._connection.executemany(_sqlite_upsert(table, names, rule), rows)

    def find(
        self, table: Table, names: tuple[str, ...], by: str, values: Iterable[Any], **fixed: str
    ) -> list[Row]:
        given = list(values)
        found: list[Row] = []
        for start in range(0, len(given), _FOUND_AT_ONCE):
            asked = _rounded(given[start : start + _FOUND_AT_ONCE])
            sql = _sqlite_finds(table, names, by, tuple(fixed), len(asked))
            found += self._connection.execute(sql, (*fixed.values(), *asked))
        return found

    def add(self, table: Table, row_id: str, amounts: Mapping[str, int]) -> None:
        self._connection.execute(_sqlite_add(table, tuple(amounts)), (*amounts.values(), row_id))

    def run(self, statement: Executable, values: Mapping[str, Any]) -> list[Row]:
        sql, known, names = _made(statement, _SQLITE)
        said = {**known, **values}
        found: list[Row] = self._connection.execute(sql, [said[name] for name in names]).fetchall()
        return found

    def delete(self, table: Table, by: str, value: str) -> None:
        statement = delete(table).where(table.c[by] == bindparam(by))
        self._connection.execute(_sqlite_text(statement, (by,)), (value,))


class PostgresBulk:
    """On psycopg. All rows travel as one JSON text, which both sides read faster than arrays."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def make_room(self) -> None:
        """Leave it to the server."""

    def insert_new(self, table: Table, names: tuple[str, ...], rows: Sequence[Row]) -> int:
        if not rows:
            return 0
        sql = _postgres_insert(table, names)
        return int(self._connection.execute(sql, {"rows": _as_json(table, names, rows)}).rowcount)

    def upsert(
        self, table: Table, names: tuple[str, ...], rows: Sequence[Row], rule: Upsert
    ) -> None:
        sql = _postgres_upsert(table, names, rule)
        self._connection.execute(sql, {"rows": _as_json(table, names, rows)})

    def find(
        self, table: Table, names: tuple[str, ...], by: str, values: Iterable[Any], **fixed: str
    ) -> list[Row]:
        sql = _postgres_find(table, names, by, tuple(fixed))
        asked = _encode([_written(value) for value in values]).decode()
        found: list[Row] = self._connection.execute(sql, {**fixed, "values": asked}).fetchall()
        return found

    def add(self, table: Table, row_id: str, amounts: Mapping[str, int]) -> None:
        said = {**amounts, "row_id": row_id}
        self._connection.execute(_postgres_add(table, tuple(amounts)), said)

    def run(self, statement: Executable, values: Mapping[str, Any]) -> list[Row]:
        sql, known, _ = _made(statement, _POSTGRES)
        found: list[Row] = self._connection.execute(sql, {**known, **values}).fetchall()
        return found

    def delete(self, table: Table, by: str, value: str) -> None:
        statement = delete(table).where(table.c[by] == bindparam(by))
        self._connection.execute(str(statement.compile(dialect=_POSTGRES)), {by: value})


def _as_json(table: Table, names: tuple[str, ...], rows: Sequence[Row]) -> str:
    kinds = [table.c[name].type for name in names]
    hexes = [place for place, kind in enumerate(kinds) if isinstance(kind, LargeBinary)]
    raws = [place for place, kind in enumerate(kinds) if isinstance(kind, JSON)]
    told = []
    for row in rows:
        fields = dict(zip(names, row, strict=True))
        for place in hexes:
            fields[names[place]] = _written(row[place])
        for place in raws:
            fields[names[place]] = msgspec.Raw(row[place].encode())
        told.append(fields)
    return _encode(told).decode()


def _written(value: Any) -> Any:
    """Write what JSON has no words for as PostgreSQL reads it."""
    return f"\\x{value.hex()}" if isinstance(value, bytes) else value


# -- statements ------------------------------------------------------------------------------------
@lru_cache(maxsize=32)
def _sqlite_insert(table: Table, names: tuple[str, ...]) -> str:
    given: dict[str, Any] = {name: bindparam(name) for name in names}
    return _sqlite_text(sqlite.insert(table).values(given).on_conflict_do_nothing(), names)


@lru_cache(maxsize=256)
def _sqlite_inserts(table: Table, names: tuple[str, ...], count: int) -> str:
    """Write the values of one row as often as there are rows."""
    head, values, tail = _INSERT.fullmatch(_sqlite_insert(table, names)).groups()  # type: ignore[union-attr] # our own
    return head + ", ".join([values] * count) + tail


@lru_cache(maxsize=32)
def _sqlite_upsert(table: Table, names: tuple[str, ...], rule: Upsert) -> str:
    given: dict[str, Any] = {name: bindparam(name) for name in names}
    statement = sqlite.insert(table).inline().values(given)
    return _sqlite_text(_or_change(statement, names, rule), names)


@lru_cache(maxsize=32)
def _postgres_upsert(table: Table, names: tuple[str, ...], rule: Upsert) -> str:
    statement = postgresql.insert(table).inline().from_select(list(names), _given(table, names))
    return str(_or_change(statement, names, rule).compile(dialect=_POSTGRES))


def _or_change(
    statement: sqlite.Insert | postgresql.Insert, names: tuple[str, ...], rule: Upsert
) -> Any:
    there, new = statement.table.c, statement.excluded
    changed = {name: new[name] for name in names if name not in (*rule.key, *rule.keep)}
    is_newer = [there[name] <= new[name] for name in rule.rising]
    return statement.on_conflict_do_update(
        index_elements=rule.key, set_=changed, where=and_(*is_newer) if is_newer else None
    )


@lru_cache(maxsize=32)
def _postgres_insert(table: Table, names: tuple[str, ...]) -> str:
    chosen = _given(table, names)
    statement = postgresql.insert(table).from_select(list(names), chosen).on_conflict_do_nothing()
    return str(statement.compile(dialect=_POSTGRES))


def _given(table: Table, names: tuple[str, ...]) -> Select[Any]:
    """Read the rows out of their text."""
    columns = [column(name, table.c[name].type) for name in names]
    rows = cast(bindparam("rows", type_=Text), JSON)
    given: Any = (
        func.json_to_recordset(rows).table_valued(*columns).render_derived("given", with_types=True)
    )
    return select(*(given.c[name] for name in names))


@lru_cache(maxsize=32)
def _sqlite_find(table: Table, names: tuple[str, ...], by: str, fixed: tuple[str, ...]) -> str:
    wanted = [table.c[name] == bindparam(name) for name in (*fixed, by)]
    return _sqlite_text(select(*(table.c[name] for name in names)).where(*wanted), (*fixed, by))


@lru_cache(maxsize=128)
def _sqlite_finds(
    table: Table, names: tuple[str, ...], by: str, fixed: tuple[str, ...], count: int
) -> str:
    """Ask for so many values at once."""
    one = _sqlite_find(table, names, by, fixed)
    return f"{one.removesuffix('= ?')}IN ({', '.join('?' * count)})"


@lru_cache(maxsize=32)
def _postgres_find(table: Table, names: tuple[str, ...], by: str, fixed: tuple[str, ...]) -> str:
    """Look each value up by itself: a plan made while the table was new can't read all of it."""
    values = cast(bindparam("values", type_=Text), JSON)
    listed = func.json_array_elements_text(values)
    asked: Any = listed.table_valued("value").render_derived("asked")
    wanted = [table.c[name] == bindparam(name) for name in fixed]
    shown = select(*(_plain(table.c[name]).label(name) for name in names))
    one = cast(asked.c.value, table.c[by].type)
    found = shown.where(*wanted, table.c[by] == one).offset(literal_column("0"))
    each = found.lateral("found")
    statement = select(*(each.c[name] for name in names)).select_from(asked.join(each, true()))
    return str(statement.compile(dialect=_POSTGRES))


def _plain(shown: Column[Any]) -> Any:
    return cast(shown, Text) if isinstance(shown.type, Id) else shown


def _rounded(values: list[Any]) -> list[Any]:
    """Ask for the last one again, so that few statements are enough for any number."""
    count = 1 << (len(values) - 1).bit_length()
    return values + values[-1:] * (count - len(values))


@lru_cache(maxsize=32)
def _made(statement: Any, dialect: Dialect) -> tuple[str, dict[str, Any], tuple[str, ...]]:
    """Compile a statement; returns its own values and the order of all, too."""
    compiled = statement.compile(dialect=dialect)
    return str(compiled), compiled.params, tuple(compiled.positiontup or ())


@lru_cache(maxsize=8)
def _sqlite_add(table: Table, names: tuple[str, ...]) -> str:
    return _sqlite_text(_add(table, names), (*names, "row_id"))


@lru_cache(maxsize=8)
def _postgres_add(table: Table, names: tuple[str, ...]) -> str:
    return str(_add(table, names).compile(dialect=_POSTGRES))


def _add(table: Table, names: tuple[str, ...]) -> Update:
    more = {name: table.c[name] + bindparam(name) for name in names}
    return (
        update(table)
        .where(literal_column("id") == bindparam("row_id", type_=table.c.id.type))
        .values(more)
    )


def _sqlite_text(statement: Delete | Insert | Select[Any] | Update, names: tuple[str, ...]) -> str:
    compiled = statement.compile(dialect=_SQLITE)
    # Values are given by their place.
    assert tuple(compiled.positiontup or ()) == names, compiled.positiontup  # noqa: S101
    return str(compiled)
