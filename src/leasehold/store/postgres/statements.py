"""Our statements: prepared once per connection, sent and received without psycopg's cursors.

A cursor costs as much of the client's time as all the rest of a small statement. Sending and
receiving apart lets a caller do something else while the database is at work.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from psycopg import OperationalError, errors, generators
from psycopg.adapt import PyFormat, Transformer
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from psycopg.abc import Buffer
    from psycopg.pq.abc import PGconn, PGresult

    from leasehold.store.postgres.connection import Connection

_FINE = {ExecStatus.COMMAND_OK, ExecStatus.TUPLES_OK}
_numbers = count()  # a name is never given twice, so what may still stand is in nobody's way
_PLACEHOLDER = re.compile(r"%\((\w+)\)s")


class Sending(NamedTuple):
    """A statement and its values, in the form in which they are sent."""

    text: bytes
    values: Sequence[Buffer | None]
    types: tuple[int, ...] | None = None
    formats: Sequence[Format] | None = None


class Statements:
    """Knows what each connection has prepared. Safe to use from many threads."""

    def __init__(self, *, is_preparing: bool = True) -> None:
        self._sessions: WeakKeyDictionary[Connection, _Session] = WeakKeyDictionary()
        self._plain: set[Connection] = set()
        self._is_preparing = is_preparing

    def run(self, connection: Connection, sql: str, parameters: dict[str, Any]) -> list[Any]:
        """Run a statement with `%(name)s` parameters; returns its rows."""
        if self._plain and connection in self._plain:
            cursor = connection.execute(sql.encode(), parameters, binary=True)
            return cursor.fetchall() if cursor.description else []
        session = self._session(connection)
        sending = session.sending(sql, parameters)
        session.send(connection, sending)
        return session.rows(session.receive(connection, sending))

    def ask(self, connection: Connection, sending: Sending) -> list[Any]:
        """Run a statement that is written as it is sent; returns its rows."""
        session = self._session(connection)
        session.send(connection, sending)
        return session.rows(session.receive(connection, sending))

    @contextmanager
    def plainly(self, connection: Connection) -> Iterator[None]:
        """Run what comes on this connection by psycopg alone, in a longer transaction.

        When psycopg rolls back to a savepoint, all that was prepared is gone. Outside of a
        transaction we prepare it again; inside, that one would have failed.
        """
        self._plain.add(connection)
        try:
            yield
        finally:
            self._plain.discard(connection)

    def rows(self, connection: Connection, result: PGresult) -> list[Any]:
        """Read an answer."""
        return self._session(connection).rows(result)

    def begin(self, connection: Connection, sending: Sending) -> Callable[[], PGresult]:
        """Hand a statement over to the database; what is returned waits for its answer."""
        session = self._session(connection)
        session.send(connection, sending)

        return partial(session.receive, connection, sending)

    def run_both(self, connection: Connection, first: Sending, second: Sending) -> PGresult:
        """Run two transactions in one go; returns the second's answer, the first is no matter."""
        session = self._session(connection)
        _, answer = session.run_all(connection, [first, second])
        try:
            _check(answer)
        except errors.InvalidSqlStatementName:
            session.forget()
            return self.begin(connection, second)()
        return answer

    def _session(self, connection: Connection) -> _Session:
        session = self._sessions.get(connection)
        if session is None:
            session = self._sessions[connection] = _Session(is_preparing=self._is_preparing)
        return session


class _Session:
    """What one connection has prepared. Does not hold the connection, which must be free to go."""

    def __init__(self, *, is_preparing: bool) -> None:
        self._transformer = Transformer()
        self._is_preparing = is_preparing
        self._names: dict[tuple[bytes, tuple[int, ...] | None], bytes] = {}

    def sending(self, sql: str, parameters: dict[str, Any]) -> Sending:
        text, names = numbered(sql)
        values = self._transformer.dump_sequence(
            [parameters[name] for name in names], [PyFormat.AUTO] * len(names)
        )
        return Sending(text, values, self._transformer.types, self._transformer.formats)

    def rows(self, result: PGresult) -> list[Any]:
        if not result.ntuples:
            return []
        self._transformer.set_pgresult(result)
        return self._transformer.load_rows(0, result.ntuples, tuple)

    def send(self, connection: Connection, sending: Sending) -> None:
        pgconn = connection.pgconn
        # Behind a pooler what is prepared may be gone; in a transaction that would be its end.
        if connection.prepare_threshold is None or not self._is_preparing:
            pgconn.send_query_params(*sending, Format.BINARY)
        else:
            _send_prepared(pgconn, self._prepare(pgconn, sending), sending)
        _flush(connection)

    def receive(self, connection: Connection, sending: Sending) -> PGresult:
        """Wait for the answer to what was sent."""
        try:
            return _receive(connection)
        except errors.InvalidSqlStatementName:
            # After a rollback psycopg drops all that is prepared. Nothing was written.
            self.forget()
            self.send(connection, sending)
            return _receive(connection)

    def run_all(self, connection: Connection, sendings: Sequence[Sending]) -> list[PGresult]:
        """Run each as a transaction of its own, one after the other, without a pause between."""
        pgconn = connection.pgconn
        prepared = [(self._prepare(pgconn, sending), sending) for sending in sendings]
        pgconn.enter_pipeline_mode()
        for name, sending in prepared:
            _send_prepared(pgconn, name, sending)
            pgconn.pipeline_sync()
        _flush(connection)
        answers = [_receive_until_sync(connection) for _ in prepared]
        pgconn.exit_pipeline_mode()
        return answers

    def forget(self) -> None:
        self._names.clear()

    def _prepare(self, pgconn: PGconn, sending: Sending) -> bytes:
        key = (sending.text, sending.types)
        if key not in self._names:
            name = b"leasehold_%d" % next(_numbers)
            _check(pgconn.prepare(name, sending.text, sending.types))
            self._names[key] = name
        return self._names[key]


def _flush(connection: Connection) -> None:
    if connection.pgconn.flush():  # it did not go out at once, as a large statement
        connection.wait(generators.send(connection.pgconn))


def _send_prepared(pgconn: PGconn, name: bytes, sending: Sending) -> None:
    pgconn.send_query_prepared(name, sending.values, sending.formats, Format.BINARY)


def _receive(connection: Connection) -> PGresult:
    results: list[PGresult] = connection.wait(generators.fetch_many(connection.pgconn))
    _check(results[0])
    return results[0]


def _receive_until_sync(connection: Connection) -> PGresult:
    results: list[PGresult] = []
    while not results or results[-1].status != ExecStatus.PIPELINE_SYNC:
        result = connection.wait(generators.fetch(connection.pgconn))
        if result is not None:
            results.append(result)
    return results[0]


@lru_cache(maxsize=256)
def numbered(sql: str) -> tuple[bytes, tuple[str, ...]]:
    """Turn `%(name)s` into `$1`; returns the names in their order."""
    names = tuple(dict.fromkeys(_PLACEHOLDER.findall(sql)))
    text = _PLACEHOLDER.sub(lambda found: f"${names.index(found[1]) + 1}", sql)
    return text.replace("%%", "%").encode(), names


def _check(result: PGresult) -> None:
    if result.status not in _FINE:
        error = errors.error_from_result(result)
        # Without a code it is not the database that speaks, but libpq of a lost connection.
        raise error if error.sqlstate else OperationalError(str(error))
