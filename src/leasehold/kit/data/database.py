"""The connection to an application's tables: SQLAlchemy on the queue's own database."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, InvalidatePoolError
from sqlalchemy.orm import Session

from leasehold import shielded
from leasehold.kit.data.bulk import Bulk, bulk_on
from leasehold.kit.data.joining import JOINS, join
from leasehold.kit.errors import DatabaseFailed

if TYPE_CHECKING:
    from sqlalchemy.pool import ConnectionPoolEntry

_BUSY_SECONDS = 30.0
_FRESH_SECONDS = 1.0  # after which a connection may have been ended by the server
_USED_AT = "leasehold_used_at"
_WRITES = "leasehold_writes"
_PLANNING = text(
    "SELECT set_config('jit', 'off', true), set_config('join_collapse_limit', '12', true),"
    " set_config('from_collapse_limit', '12', true)"
)
_LASTING = "PRAGMA synchronous = FULL"
# Room for an index of 100,000 names: with 2 MB, as is usual, a look-up reads most of it anew.
_CACHE = "PRAGMA cache_size = -8192"
# In one message: PostgreSQL looks at it when it commits.
_COMMIT_UNHURRIED = "SET LOCAL synchronous_commit = off; COMMIT"
_QUIET: dict[str, Any] = {"hide_parameters": True}  # errors say nothing of what is stored


class Database:
    """Reads and writes; safe to share between threads. `close` gives its connections back.

    What a worker tells a blocking handler meanwhile strikes at the end of the transaction: in the
    midst of it, the connection might be lost with its locks.
    """

    def __init__(self, url: str) -> None:
        self.engine = open_engine(url)
        self._is_known = False  # what the server can do, which the first connection finds out

    @property
    def is_sqlite(self) -> bool:
        return self.engine.dialect.name == "sqlite"

    def close(self) -> None:
        self.engine.dispose()

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Look: many may at once, also while somebody writes."""
        with shielded(), self.engine.connect() as connection, connection.begin():
            yield connection

    @contextmanager
    def browse(self) -> Iterator[Connection]:
        """Look at how jobs stand, of one or of very many."""
        with self.read() as connection:
            plan_widely(connection)
            yield connection

    @contextmanager
    def write(self) -> Iterator[Connection]:
        """Change in one transaction; committed at the end of the `with`, unless it fails."""
        with shielded(), self.engine.connect() as opened:
            connection = opened.execution_options(**{_WRITES: True})
            with connection.begin():
                yield connection

    @contextmanager
    def turn(self) -> Iterator[Turn]:
        """Look first, and then decide what to write; a look keeps nobody else from writing."""
        with shielded(), self.engine.connect() as connection:
            yield Turn(connection)

    @contextmanager
    def write_session(self) -> Iterator[Session]:
        """Do the same with a session, on which enqueued jobs wake a worker after the commit."""
        with shielded(), Session(self.engine) as session, session.begin():
            session.connection(execution_options={_WRITES: True})
            yield session

    def joined(self, connection: Any) -> Connection:
        """Write on a driver's connection, inside its transaction: `job.transaction()`'s, say."""
        if not self._is_known:
            self.engine.connect().close()
            self._is_known = True
        return join(self.engine, connection)

    def bulk(self, connection: Any) -> Bulk:
        """Write many rows on a connection of ours, or of the driver."""
        if isinstance(connection, Connection):
            connection = driver_connection(connection)
        return bulk_on(connection, is_sqlite=self.is_sqlite)


class Turn:
    """A connection that looks before it writes."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._is_sqlite = connection.dialect.name == "sqlite"

    @property
    def bulk(self) -> Bulk:
        """Find rows; of SQLite outside of any transaction."""
        return bulk_on(driver_connection(self._connection), is_sqlite=self._is_sqlite)

    @contextmanager
    def write(self, *, is_lasting: bool = True) -> Iterator[Connection]:
        """Change in one transaction, committed at the end of the `with`, unless it fails.

        What is not lasting is there for everybody, and survives the death of any program. Only the
        end of the machine, or of PostgreSQL itself, may cost the last of it, never half of one
        transaction: right for how far something has got that would be found again.
        """
        connection = self._connection.execution_options(**{_WRITES: True})
        with ExitStack() as lasting:
            if self._is_sqlite and not is_lasting:
                lasting.enter_context(_unhurried(driver_connection(connection)))
            lasting.enter_context(connection.begin())
            yield connection
            if not self._is_sqlite and not is_lasting:
                driver_connection(connection).execute(_COMMIT_UNHURRIED, prepare=False)


@contextmanager
def _unhurried(connection: Any) -> Iterator[None]:
    """Let commits not wait for the disk; what is written next, lasting, takes them with it."""
    connection.execute("PRAGMA synchronous = NORMAL")
    try:
        yield
    finally:
        connection.execute(_LASTING)


def driver_connection(connection: Connection) -> Any:
    """Return what SQLAlchemy stands on: a statement that is sent over and over is quicker there."""
    return connection.connection.driver_connection


_databases: dict[str, Database] = {}


def database_of(url: str) -> Database:
    """Return the connections to a queue's database, one set of them in a process.

    All applications share it. Who has closed it may use it again.
    """
    return _databases.get(url) or _databases.setdefault(url, Database(url))


def close_databases() -> None:
    """Close all of them, as at the end of a test."""
    while _databases:
        _databases.popitem()[1].close()


@contextmanager
def discreet() -> Iterator[None]:
    """Let an error of the database say what went wrong, not with which values.

    PostgreSQL itself names the values of a row that it refuses; a job's error goes to logs.
    """
    try:
        yield
    except DBAPIError as error:
        cause = error.orig or error
        raise DatabaseFailed(type(cause).__name__, getattr(cause, "sqlstate", None)) from None


def plan_widely(connection: Connection) -> None:
    """Let PostgreSQL see through the queue's views, for the rest of the transaction.

    They join more tables than it puts in order by itself, so that it would read all jobs to show
    one; and compiling such a query takes ten times as long as running it.
    """
    if connection.dialect.name == "postgresql":
        connection.execute(_PLANNING)


def open_engine(url: str) -> Engine:
    """Open the database of a queue by its URL."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite":
        engine = create_engine(
            parsed, **_QUIET, connect_args={"timeout": _BUSY_SECONDS}, json_serializer=_write_json
        )
        _prepare_sqlite(engine)
        return engine
    engine = create_engine(
        parsed.set(drivername="postgresql+psycopg"),
        **_QUIET,
        json_serializer=_write_json,
    )
    _ping_idle(engine)
    return engine


def _ping_idle(engine: Engine) -> None:
    """Replace a connection that died while nobody used it, without asking those in steady use."""

    @event.listens_for(engine, "checkin")
    def on_checkin(_connection: Any, record: ConnectionPoolEntry) -> None:
        record.info[_USED_AT] = time.monotonic()

    @event.listens_for(engine, "checkout")
    def on_checkout(connection: Any, record: ConnectionPoolEntry, _proxy: object) -> None:
        if time.monotonic() - record.info.get(_USED_AT, math.inf) < _FRESH_SECONDS:
            return
        try:
            engine.dialect.do_ping(connection)
        except Exception as error:
            raise InvalidatePoolError from error


def _write_json(value: object) -> str:
    """Write text as it is, not in numbers: a search may look for words in it."""
    return json.dumps(value, ensure_ascii=False)


def _prepare_sqlite(engine: Engine) -> None:
    """Let SQLAlchemy, not the driver, begin transactions; a write takes its lock at once.

    Else it would read first and find, when it wants to write, that another one has written.
    """

    @event.listens_for(engine, "connect")
    def on_connect(connection: Any, _record: object) -> None:
        connection.isolation_level = None
        cursor = connection.cursor()
        cursor.execute("PRAGMA journal_mode = WAL")
        cursor.execute("PRAGMA foreign_keys = ON")
        cursor.execute("PRAGMA temp_store = MEMORY")
        cursor.execute(_CACHE)
        # The queue's workers checkpoint, one at a time: see its own notes on SQLite before 3.51.3.
        cursor.execute("PRAGMA wal_autocheckpoint = 0")
        cursor.execute(_LASTING)
        cursor.close()

    @event.listens_for(engine, "begin")
    def on_begin(connection: Connection) -> None:
        options = connection.get_execution_options()
        if not options.get(JOINS, False):
            connection.exec_driver_sql("BEGIN IMMEDIATE" if options.get(_WRITES) else "BEGIN")
