"""The async kinds of connection that callers have."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Protocol

from leasehold.store.parameters import to_numbered, to_pyformat
from leasehold.store.scripts import (
    BEGIN,
    Opening,
    choose_opening,
    drive_async,
    translating,
)
from leasehold.store.sync_callers import (
    Caller,
    SessionCaller,
    SqlAlchemyCaller,
    commits_at_once,
)

if TYPE_CHECKING:
    from leasehold.store.base import Rows, Script, Statement, Told


class AsyncCaller(Protocol):
    """A caller's async connection. `backend` is the database it leads to."""

    backend: str

    async def run(self, script: Script[Told]) -> Told:
        """Run the script in the caller's transaction."""

    def after_commit(self, action: Callable[[], None]) -> None:
        """Call the action when the caller has committed, if this kind can tell; else forget it."""


class AsyncPsycopgCaller:
    """psycopg.AsyncConnection."""

    backend = "postgresql"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_committed = False

    async def run(self, script: Script[Told]) -> Told:
        """Run on a plain cursor: the connection's own may return dicts or want other markers."""
        psycopg = sys.modules["psycopg"]
        self._is_committed = commits_at_once(self._connection)
        with translating(psycopg.Error):
            async with psycopg.AsyncCursor(self._connection) as cursor:
                cursor.row_factory = psycopg.rows.tuple_row

                async def execute(statement: Statement) -> Rows:
                    await cursor.execute(to_pyformat(statement.sql), dict(statement.parameters))
                    return await cursor.fetchall() if cursor.description else []

                return await drive_async(script, execute)

    def after_commit(self, action: Callable[[], None]) -> None:
        if self._is_committed:
            action()


class AsyncpgCaller:
    """asyncpg.Connection, or what a pool hands out."""

    backend = "postgresql"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_committed = False

    async def run(self, script: Script[Told]) -> Told:
        """Run the statements one by one; each has one text parameter, safe from type codecs."""
        self._is_committed = not self._connection.is_in_transaction()

        async def execute(statement: Statement) -> Rows:
            sql, values = to_numbered(statement.sql, statement.parameters)
            return [tuple(record) for record in await self._connection.fetch(sql, *values)]

        with translating(sys.modules["asyncpg"].PostgresError):
            return await drive_async(script, execute)

    def after_commit(self, action: Callable[[], None]) -> None:
        if self._is_committed:
            action()


class AiosqliteCaller:
    """aiosqlite.Connection."""

    backend = "sqlite"

    def __init__(self, connection: Any) -> None:
        self._connection = connection
        self._is_committed = False

    async def run(self, script: Script[Told]) -> Told:
        """Run like on sqlite3; see `sqlite_transaction` for when it begins and commits."""
        with translating(sys.modules["sqlite3"].Error):
            opening = choose_opening(self._connection)
            if opening is not Opening.INSIDE:
                await self._connection.execute(BEGIN)
            try:
                told = await drive_async(script, self._execute)
            except BaseException:
                if opening is not Opening.INSIDE:
                    await self._connection.rollback()
                raise
            self._is_committed = opening is Opening.OWN
            if self._is_committed:
                await self._connection.commit()
            return told

    def after_commit(self, action: Callable[[], None]) -> None:
        if self._is_committed:
            action()

    async def _execute(self, statement: Statement) -> Rows:
        async with self._connection.cursor() as cursor:
            cursor.row_factory = None
            await cursor.execute(statement.sql, dict(statement.parameters))
            return list(await cursor.fetchall())


class RunSyncCaller:
    """sqlalchemy.ext.asyncio's AsyncConnection and AsyncSession: the sync kinds, in a greenlet."""

    def __init__(self, target: Any, make: Callable[[Any], Caller], inner: Any) -> None:
        self._target = target
        self._caller = make(inner)
        self.backend = self._caller.backend

    async def run(self, script: Script[Told]) -> Told:
        """Run what blocks where SQLAlchemy turns blocking into awaiting."""
        told: Told = await self._target.run_sync(lambda _sync: self._caller.run(script))
        return told

    def after_commit(self, action: Callable[[], None]) -> None:
        self._caller.after_commit(action)


def make_connection_caller(connection: Any) -> RunSyncCaller:
    """For sqlalchemy.ext.asyncio.AsyncConnection."""
    return RunSyncCaller(connection, SqlAlchemyCaller, connection.sync_connection)


def make_session_caller(session: Any) -> RunSyncCaller:
    """For sqlalchemy.ext.asyncio.AsyncSession."""
    return RunSyncCaller(session, SessionCaller, session.sync_session)


class AsyncEngineCaller:
    """sqlalchemy.ext.asyncio.AsyncEngine: a transaction of its own."""

    def __init__(self, engine: Any) -> None:
        self._engine = engine
        self.backend = engine.dialect.name

    async def run(self, script: Script[Told]) -> Told:
        """Run and commit."""
        async with self._engine.begin() as connection:
            return await make_connection_caller(connection).run(script)

    def after_commit(self, action: Callable[[], None]) -> None:
        action()
