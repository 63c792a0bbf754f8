"""A queue as it moves: closed, read and written as it is, table by table."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from psycopg.sql import SQL, Composed, Identifier, Literal

from leasehold.errors import StoreMoved
from leasehold.model.moving import Loaded, MoveMark
from leasehold.store.moving_tables import BY_NAME, TABLES, Kind, Table
from leasehold.store.postgres.leases import Leases
from leasehold.store.postgres.schema import persist
from leasehold.store.shown_url import hide_password
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from contextlib import AbstractContextManager
    from datetime import timedelta

    from leasehold.store.moving_tables import Key, Row
    from leasehold.store.postgres.connection import Connection
    from leasehold.store.postgres.statements import Statements

PACKAGE = "leasehold.store.postgres"
_MARK = "mark"
_LOCK_TIMEOUT = "SET LOCAL lock_timeout = '2s'"
# A page is a piece of an index: what nobody has analysed yet might be sorted whole for each.
_BY_INDEX = (
    "SELECT set_config('enable_sort', 'off', true), set_config('enable_bitmapscan', 'off', true)"
)
_LET_PASS = "SET LOCAL leasehold.moving = 'on'"  # noqa: S105 - no secret

_encode = msgspec.json.Encoder().encode

# How a column is read; and as what it comes out of the JSON when it is written, and then becomes.
_READ = {
    Kind.ID: "{0}::text",
    Kind.TEXT: "{0}",
    Kind.INTEGER: "{0}::bigint",
    Kind.REAL: "{0}",
    Kind.SINGLE: "{0}::text::double precision",
    Kind.FLAG: "{0}::integer",
    Kind.TIME: "leasehold.microseconds_of({0})",
    Kind.JSON: "{0}::text",
    Kind.DOCUMENT: "{0}::text",
    Kind.NAMES: "to_json({0})::text",
    Kind.STATE: "{0}::text",
}
_WRITTEN_AS = {
    Kind.ID: ("uuid", "{0}"),
    Kind.TEXT: ("text", "{0}"),
    Kind.INTEGER: ("bigint", "{0}"),
    Kind.REAL: ("double precision", "{0}"),
    Kind.SINGLE: ("real", "{0}"),
    Kind.FLAG: ("integer", "{0} <> 0"),
    Kind.TIME: ("bigint", "leasehold.moment_of({0})"),
    Kind.JSON: ("text", "{0}::json"),
    Kind.DOCUMENT: ("text", "{0}::jsonb"),
    Kind.NAMES: ("text", "leasehold.names_of({0}::json)"),
    Kind.STATE: ("text", "{0}::leasehold.outcome_state"),
}


class Moving:
    """The part of the store that `leasehold move` uses, on connections of the pool."""

    url: str
    _statements: Statements

    @property
    def _skew(self) -> timedelta:
        raise NotImplementedError

    def _lend(self) -> AbstractContextManager[Connection]:
        raise NotImplementedError

    def _run(self, sql: str, **parameters: Any) -> list[Any]:
        raise NotImplementedError

    def identity(self) -> tuple[str, str]:
        ((server, database),) = self._run(load(PACKAGE, "identity"))
        return f"postgresql {server} {database}", hide_password(self.url)

    def move_mark(self) -> MoveMark | None:
        with self._lend() as connection:
            return read_mark(connection)

    def close_for_move(self, mark: MoveMark) -> MoveMark:
        with self._lend() as connection:
            return persist(partial(self._close, connection, mark))

    def _close(self, connection: Connection, mark: MoveMark) -> MoveMark:
        with connection.transaction():
            connection.execute(_LOCK_TIMEOUT)
            connection.execute(_lock_all())
            # Later statements than the locks: nobody is in the middle of anything.
            standing = read_mark(connection)
            if standing is not None:
                return standing
            mark = msgspec.structs.replace(mark, taken_back=self._take_back(connection))
            connection.execute(load(PACKAGE, "fold_charges").encode())
            _write(connection, _MARK, {**msgspec.to_builtins(mark), "message": mark.message})
            for name in _guarded():
                connection.execute(_guard(name))
        return mark

    def _take_back(self, connection: Connection) -> int:
        """Hand back every lease, as its worker would, uncharged; that worker's word is void."""
        run = partial(_run_on, self._statements, connection)
        leases = connection.execute("SELECT job_id, fence, worker FROM leasehold.lease").fetchall()
        for worker in {worker for _, _, worker in leases}:
            # Nobody is to wake for what comes of it: here nothing runs any more.
            Leases(run, worker, self._skew, lambda _queues: None).release_unknown(())
        named = {"job_ids": [row[0] for row in leases], "fences": [row[1] for row in leases]}
        connection.execute(load(PACKAGE, "void_leases").encode(), named)
        return len(leases)

    def end_move(self) -> None:
        self._run(load(PACKAGE, "end_move"))

    def open_after_move(self) -> bool:
        with self._lend() as connection:
            return persist(partial(_open, connection))

    def count_rows(self, table: str) -> int:
        query = SQL("SELECT count(*) FROM leasehold.{}").format(Identifier(table))
        with self._lend() as connection:
            row = connection.execute(query).fetchone()
        return 0 if row is None else int(row[0])

    def dump(self, table: str, after: Key | None, *, limit: int) -> list[Row]:
        query = _dump(BY_NAME[table], is_first=after is None)
        with self._lend() as connection, connection.transaction():
            connection.execute(_BY_INDEX)
            return connection.execute(query, [*(after or ()), limit], prepare=False).fetchall()

    def loaded(self, table: str) -> Loaded:
        with self._lend() as connection:
            said = _read(connection, f"table:{table}")
        return Loaded() if said is None else msgspec.convert(said, Loaded)

    def load(self, table: str, rows: Sequence[Row], progress: Loaded) -> None:
        shape = BY_NAME[table]
        documents = [dict(zip(shape.columns, row, strict=True)) for row in rows]
        with self._lend() as connection, connection.transaction():
            connection.execute(_LET_PASS)
            connection.execute(_load(shape), [_encode(documents).decode()])
            _write(connection, f"table:{table}", msgspec.to_builtins(progress))

    def fence(self) -> int:
        return int(self._run("SELECT last_value FROM leasehold.fence")[0][0])

    def raise_fence(self, least: int) -> None:
        self._run(load(PACKAGE, "raise_fence"), least=least)


def read_mark(connection: Connection) -> MoveMark | None:
    said = _read(connection, _MARK)
    return None if said is None else msgspec.convert(said, MoveMark)


def refuse_moved(connection: Connection) -> None:
    """Raise `StoreMoved` for a queue that has moved, or is not all here yet."""
    mark = read_mark(connection)
    if mark is not None:
        raise StoreMoved(mark.message)


def _open(connection: Connection) -> bool:
    with connection.transaction():
        connection.execute(_LOCK_TIMEOUT)
        for name in _guarded():
            statement = SQL("DROP TRIGGER IF EXISTS moved ON leasehold.{}")
            connection.execute(statement.format(Identifier(name)))
        gone = connection.execute("DELETE FROM leasehold.move RETURNING part").fetchall()
    return (_MARK,) in gone


def _guarded() -> list[str]:
    return [*(table.name for table in TABLES), "lease"]


def _lock_all() -> Composed:
    names = SQL(", ").join(Identifier("leasehold", name) for name in [*_guarded(), "move"])
    return SQL("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE").format(names)


def _guard(name: str) -> Composed:
    return SQL(
        "CREATE TRIGGER moved BEFORE INSERT OR UPDATE OR DELETE ON leasehold.{} FOR EACH ROW"
        " WHEN (current_setting('leasehold.moving', true) IS DISTINCT FROM 'on')"
        " EXECUTE FUNCTION leasehold.refuse_moved()"
    ).format(Identifier(name))


def _dump(table: Table, *, is_first: bool) -> Composed:
    columns = SQL(", ").join(
        SQL(_READ[kind]).format(Identifier(name)) for name, kind in table.columns.items()
    )
    key = SQL(", ").join(map(Identifier, table.key))
    types = [_WRITTEN_AS[table.columns[name]][0] for name in table.key]
    start = SQL(", ").join(SQL("%s::" + each) for each in types)
    behind = SQL("") if is_first else SQL("WHERE ({}) > ({})").format(key, start)
    return SQL("SELECT {} FROM leasehold.{} {} ORDER BY {} LIMIT %s").format(
        columns, Identifier(table.name), behind, key
    )


def _load(table: Table) -> Composed:
    names = SQL(", ").join(map(Identifier, table.columns))
    typed = SQL(", ").join(
        SQL("{} " + _WRITTEN_AS[kind][0]).format(Identifier(name))
        for name, kind in table.columns.items()
    )
    values = SQL(", ").join(
        SQL(_WRITTEN_AS[kind][1]).format(Identifier(name)) for name, kind in table.columns.items()
    )
    return SQL(
        "INSERT INTO leasehold.{} ({}) SELECT {} FROM json_to_recordset(%s::json) AS page ({})"
    ).format(Identifier(table.name), names, values, typed)


def _read(connection: Connection, part: str) -> Any:
    row = connection.execute(
        SQL("SELECT said FROM leasehold.move WHERE part = {}").format(Literal(part))
    ).fetchone()
    return None if row is None else row[0]


def _write(connection: Connection, part: str, said: dict[str, Any]) -> None:
    sql = load(PACKAGE, "write_move").encode()
    connection.execute(sql, {"part": part, "said": _encode(said).decode()})


def _run_on(
    statements: Statements, connection: Connection, sql: str, **parameters: Any
) -> list[Any]:
    return statements.run(connection, sql, parameters)
