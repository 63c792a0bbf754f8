"""The blocking kinds of connection that callers have."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from leasehold.store.parameters import to_colons, to_format, to_pyformat
from leasehold.store.scripts import drive, sqlite_transaction, translating

if TYPE_CHECKING:
    from leasehold.store.base import Rows, Script, Statement, Told

_QUEUED_ACTIONS = "leasehold_after_commit"


class Caller(Protocol):
    """A caller's connection. `backend` is the database it leads to."""

    backend: str

    def run(self, script: Script[Told]) -> Told:
        """Run the script in the caller's transaction."""

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call the action when the caller has committed, if this kind can tell; else forget it."""


class PsycopgCaller:
    """psycopg.Connection."""

    backend = "postgresql"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_committed = False

    def run(self, script: Script[Told]) -> Told:
        """Run on a plain cursor: the connection's own may return dicts or want other markers."""
        psycopg = sys.modules["psycopg"]
        self._is_committed = commits_at_once(self._connection)
        with translating(psycopg.Error), psycopg.Cursor(self._connection) as cursor:
            cursor.row_factory = psycopg.rows.tuple_row

            def execute(statement: Statement) -> Rows:
                cursor.execute(to_pyformat(statement.sql), dict(statement.parameters))
                return cursor.fetchall() if cursor.description else []

            return drive(script, execute)

    def after_commit(self, action: Callable[[], None]) -> None:
        if self._is_committed:
            action()


def commits_at_once(connection: Any) -> bool:
    """Whether a psycopg connection is in autocommit mode and outside of a transaction."""
    idle = sys.modules["psycopg"].pq.TransactionStatus.IDLE
    return bool(connection.autocommit and connection.info.transaction_status == idle)


class SqliteCaller:
    """sqlite3.Connection."""

    backend = "sqlite"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_committed = False

    def run(self, script: Script[Told]) -> Told:
        """Run on a cursor that returns tuples of text, whatever the connection's own return."""
        cursor = self._connection.cursor()
        cursor.row_factory = None

        def execute(statement: Statement) -> Rows:
            rows: Rows = cursor.execute(statement.sql, dict(statement.parameters)).fetchall()
            return rows

        with (
            translating(sys.modules["sqlite3"].Error),
            _reading_text(self._connection),
            sqlite_transaction(self._connection, self._connection.execute) as is_committed,
        ):
            self._is_committed = is_committed
            return drive(script, execute)

    def after_commit(self, action: Callable[[], None]) -> None:
        if self._is_committed:
            action()


@contextmanager
def _reading_text(connection: Any) -> Iterator[None]:
    """Have text read as str in this block; cursors share their connection's setting."""
    factory, connection.text_factory = connection.text_factory, str
    try:
        yield
    finally:
        connection.text_factory = factory


class SqlAlchemyCaller:
    """sqlalchemy.Connection."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.backend = connection.dialect.name

    def run(self, script: Script[Told]) -> Told:
        """Run on the connection; SQLAlchemy begins its transaction by itself."""
        with translating(sys.modules["sqlalchemy"].exc.DBAPIError):
            if self.backend != "sqlite":
                return drive(script, self._execute)
            # This first statement also makes SQLAlchemy begin, where it is told to do so itself.
            self._connection.exec_driver_sql("SELECT 1").close()
            driver = self._connection.connection.driver_connection
            with sqlite_transaction(driver, self._connection.exec_driver_sql):
                return drive(script, self._execute)

    def after_commit(self, _action: Callable[[], None]) -> None:
        """Forget it: SQLAlchemy tells of a connection's commit before it, not after."""

    def _execute(self, statement: Statement) -> Rows:
        text = sys.modules["sqlalchemy"].text(to_colons(statement.sql))
        result = self._connection.execute(text, dict(statement.parameters))
        rows: Rows = result.fetchall() if result.returns_rows else []
        return rows


class SessionCaller:
    """sqlalchemy.orm.Session."""

    def __init__(self, session: Any) -> None:
        self._session = session
        self.backend = session.get_bind().dialect.name

    def run(self, script: Script[Told]) -> Told:
        """Run on the session's connection."""
        return SqlAlchemyCaller(self._session.connection()).run(script)

    def after_commit(self, action: Callable[[], None]) -> None:
        """Keep the action with the session; one listener calls them all."""
        waiting = self._session.info.get(_QUEUED_ACTIONS)
        if waiting is None:
            waiting = self._session.info.setdefault(_QUEUED_ACTIONS, [])
            sys.modules["sqlalchemy"].event.listen(self._session, "after_commit", _call_waiting)
        waiting.append(action)


def _call_waiting(session: Any) -> None:
    # A savepoint's release is no commit. After a rollback a late wake-up does no harm.
    if session.in_nested_transaction():
        return
    waiting = session.info[_QUEUED_ACTIONS]
    while waiting:
        waiting.pop()()


class EngineCaller:
    """sqlalchemy.Engine: a transaction of its own."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.backend = engine.dialect.name

    def run(self, script: Script[Told]) -> Told:
        """Run and commit."""
        with self._engine.begin() as connection:
            return SqlAlchemyCaller(connection).run(script)

    def after_commit(self, action: Callable[[], None]) -> None:
        action()


class DjangoCaller:
    """django.db.connection, or one of django.db.connections."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self.backend = connection.vendor

    def run(self, script: Script[Told]) -> Told:
        """Run on Django's cursor, so that its own error handling and logging apply."""
        with translating(sys.modules["django.db"].Error), self._connection.cursor() as cursor:

            def execute(statement: Statement) -> Rows:
                cursor.execute(*to_format(statement.sql, statement.parameters))
                return cursor.fetchall() if cursor.description else []

            if self.backend != "sqlite":
                return drive(script, execute)
            with sqlite_transaction(self._connection.connection, cursor.execute):
                return drive(script, execute)

    def after_commit(self, action: Callable[[], None]) -> None:
        # Where a program manages transactions by hand, Django refuses hooks.
        if self._connection.in_atomic_block or self._connection.get_autocommit():
            self._connection.on_commit(action, robust=True)
