"""A queue as it moves: closed, read and written as it is, table by table."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

import msgspec

from leasehold.errors import StoreMoved
from leasehold.model.moving import Loaded, MoveMark
from leasehold.store.moving_tables import BY_NAME, TABLES, Key, Row, Table
from leasehold.store.shown_url import hide_password
from leasehold.store.sqlite import settle
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.statements import as_json, rows, value
from leasehold.store.sqlite.statements import rows as rows_of
from leasehold.store.sqlite.times import Clock

_MARK = "mark"
_PASSING = "passing"  # stands while rows are written that the guards are to let pass
_GUARD = "leasehold_moved"
_CHANGES = ("INSERT", "UPDATE", "DELETE")

# The names are those of moving_tables.py; nothing else is put in.
_DUMP = Template(
    "SELECT $columns FROM leasehold_$table WHERE $condition ORDER BY $key LIMIT :limit"
)
_LOAD = Template("INSERT INTO leasehold_$table ($columns) VALUES ($values)")
_COUNT = Template("SELECT count(*) FROM leasehold_$table")
_TRIGGER = Template(
    "CREATE TRIGGER ${name} BEFORE $change ON leasehold_$table"
    " WHEN NOT EXISTS (SELECT 1 FROM leasehold_move WHERE part = 'passing')"
    " BEGIN SELECT RAISE(ABORT, '$message'); END"
)
_DROP = Template("DROP TRIGGER IF EXISTS $name")


class Moving:
    """The part of the store that `leasehold move` uses."""

    url: str
    _database: Database
    _clock: Clock

    def identity(self) -> tuple[str, str]:
        path = Path(self._database.location.path).resolve()
        return f"sqlite {path}", hide_password(self.url)

    def move_mark(self) -> MoveMark | None:
        with self._database.read() as connection:
            return read_mark(connection)

    def close_for_move(self, mark: MoveMark) -> MoveMark:
        with self._database.write() as connection:
            standing = read_mark(connection)
            if standing is not None:
                return standing
            mark = msgspec.structs.replace(
                mark, taken_back=_take_back(connection, self._clock.now())
            )
            _fold_charges(connection)
            _write(connection, _MARK, mark)
            for statement in _guards(mark.message):
                connection.execute(statement)
        return mark

    def end_move(self) -> None:
        with self._database.write() as connection:
            rows(connection, "end_move")

    def open_after_move(self) -> bool:
        with self._database.write() as connection:
            was_closed = read_mark(connection) is not None
            for table in _guarded():
                for name, _ in rows(connection, "triggers_of", name=f"leasehold_{table}"):
                    if name.startswith(_GUARD):
                        connection.execute(_DROP.substitute(name=name))
            rows(connection, "forget_move")
        return was_closed

    def count_rows(self, table: str) -> int:
        with self._database.read() as connection:
            (found,) = connection.execute(_COUNT.substitute(table=table)).fetchone()
        return int(found)

    def dump(self, table: str, after: Key | None, *, limit: int) -> list[Row]:
        with self._database.read() as connection:
            return _dump(connection, BY_NAME[table], after, limit)

    def loaded(self, table: str) -> Loaded:
        with self._database.read() as connection:
            said = value(connection, "move_look", part=f"table:{table}")
        return Loaded() if said is None else msgspec.json.decode(said, type=Loaded)

    def load(self, table: str, rows: Sequence[Row], progress: Loaded) -> None:
        shape = BY_NAME[table]
        with self._database.write() as connection:
            _write(connection, _PASSING, progress)  # never committed: nobody else sees it
            triggers = _take_off_triggers(connection, table)
            statement = _LOAD.substitute(
                table=table,
                columns=", ".join(shape.columns),
                values=", ".join("?" for _ in shape.columns),
            )
            connection.executemany(statement, rows)
            for trigger in triggers:
                connection.execute(trigger)
            rows_of(connection, "forget_move_part", part=_PASSING)
            _write(connection, f"table:{table}", progress)

    def fence(self) -> int:
        with self._database.read() as connection:
            return int(value(connection, "fence_look"))

    def raise_fence(self, least: int) -> None:
        with self._database.write() as connection:
            rows(connection, "raise_fence", least=least)


def read_mark(connection: sqlite3.Connection) -> MoveMark | None:
    said = value(connection, "move_look", part=_MARK)
    return None if said is None else msgspec.json.decode(said, type=MoveMark)


def refuse_moved(connection: sqlite3.Connection) -> None:
    """Raise `StoreMoved` for a queue that has moved, or is not all here yet."""
    mark = read_mark(connection)
    if mark is not None:
        raise StoreMoved(mark.message)


def _dump(connection: sqlite3.Connection, table: Table, after: Key | None, limit: int) -> list[Row]:
    if after is None:
        return _select(connection, table, "true", {"limit": limit})
    given: dict[str, Any] = {f"key{number}": part for number, part in enumerate(after)}
    if len(table.key) == 1:
        return _select(connection, table, f"{table.key[0]} > :key0", {**given, "limit": limit})
    # In two parts: SQLite would walk over all that have the first part for (a, b) > (…, …).
    first, second = table.key
    same = f"{first} = :key0 AND {second} > :key1"
    found = _select(connection, table, same, {**given, "limit": limit})
    left = limit - len(found)
    if left > 0:
        found += _select(connection, table, f"{first} > :key0", {"key0": after[0], "limit": left})
    return found


def _select(
    connection: sqlite3.Connection, table: Table, condition: str, given: dict[str, Any]
) -> list[Row]:
    statement = _DUMP.substitute(
        table=table.name,
        columns=", ".join(table.columns),
        condition=condition,
        key=", ".join(table.key),
    )
    return connection.execute(statement, given).fetchall()


def _take_off_triggers(connection: sqlite3.Connection, table: str) -> list[str]:
    """Take the triggers off that make something of a row; returns what makes them again.

    What they would do has been done where the rows come from. All within this transaction.
    """
    found = rows(connection, "triggers_of", name=f"leasehold_{table}")
    busy = [(name, made) for name, made in found if not name.startswith(_GUARD)]
    for name, _ in busy:
        connection.execute(_DROP.substitute(name=name))
    return [made for _, made in busy]


def _take_back(connection: sqlite3.Connection, now: int) -> int:
    """Hand back every lease, as its worker would, uncharged; that worker's word is void."""
    leases = rows(connection, "leases_standing")
    for worker in {worker for _, _, worker in leases}:
        settle.release_unknown(connection, worker, (), now)
    named = [(job_id, fence) for job_id, fence, _ in leases]
    rows(connection, "void_leases", leases=as_json(named))
    return len(leases)


def _guarded() -> list[str]:
    return [*(table.name for table in TABLES), "lease"]


def _guards(message: str) -> list[str]:
    quoted = message.replace("'", "''")
    return [
        _TRIGGER.substitute(
            name=f"{_GUARD}_{table}_{change.lower()}", change=change, table=table, message=quoted
        )
        for table in _guarded()
        for change in _CHANGES
    ]


def _fold_charges(connection: sqlite3.Connection) -> None:
    """Let each lane have one row of what attempts spent more or less."""
    summed = rows(connection, "fold_charges_sum")
    rows(connection, "fold_charges_forget")
    for lane, tenant, amount in summed:
        rows(connection, "fold_charges_put", lane=lane, tenant=tenant, amount=amount)


def _write(connection: sqlite3.Connection, part: str, said: msgspec.Struct) -> None:
    rows(connection, "write_move", part=part, said=as_json(said))
