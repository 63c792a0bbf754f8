"""Each kind of connection that a caller may have, sync or async, behind one blocking face."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from typing import Any

import aiosqlite
import asyncpg
import django
import psycopg
import sqlalchemy as sa
from django.conf import settings
from django.db import ConnectionHandler, connection, connections, transaction
from psycopg.rows import dict_row
from sqlalchemy import orm
from sqlalchemy.ext import asyncio as sa_async

from leasehold.aio import AsyncClient
from leasehold.client import Client

INSERT = "INSERT INTO own (id, note) VALUES (1, 'mine')"


@dataclass(frozen=True, kw_only=True)
class Handle:
    """A connection: `target` is what `client.on` is given."""

    target: Any
    execute: Callable[[str], object]
    commit: Callable[[], object]
    rollback: Callable[[], object]
    run: Callable[[Awaitable[Any]], Any] | None = None  # for async kinds

    def client(self, url: str) -> Any:
        return Client(url) if self.run is None else AsyncClient(url)

    def call(self, answer: Any) -> Any:
        """Return an answer, which async kinds have to wait for."""
        return answer if self.run is None else self.run(answer)


Open = Callable[[str], contextlib.AbstractContextManager[Handle]]


def path_of(url: str) -> str:
    return url.removeprefix("sqlite:///")


def alchemy_url(url: str, *, is_async: bool, driver: str = "") -> str:
    if url.startswith("sqlite"):
        return url.replace("sqlite:", "sqlite+aiosqlite:" if is_async else "sqlite:", 1)
    chosen = driver or ("asyncpg" if is_async else "psycopg")
    return url.replace("postgresql:", f"postgresql+{chosen}:", 1)


# -- sync ----------------------------------------------------------------------------------------
@contextlib.contextmanager
def open_psycopg(url: str, **options: Any) -> Iterator[Handle]:
    with contextlib.closing(psycopg.connect(url, **options)) as opened:
        yield Handle(
            target=opened, execute=opened.execute, commit=opened.commit, rollback=opened.rollback
        )


@contextlib.contextmanager
def open_psycopg_odd(url: str) -> Iterator[Handle]:
    """A connection whose own cursors return dicts and want `$1`."""
    with open_psycopg(url, row_factory=dict_row, cursor_factory=psycopg.RawCursor) as handle:
        yield handle


@contextlib.contextmanager
def open_sqlite3(url: str, **options: Any) -> Iterator[Handle]:
    with contextlib.closing(sqlite3.connect(path_of(url), **options)) as opened:
        opened.row_factory, opened.text_factory = sqlite3.Row, bytes
        yield Handle(
            target=opened, execute=opened.execute, commit=opened.commit, rollback=opened.rollback
        )


@contextlib.contextmanager
def open_sqlite3_explicit(url: str) -> Iterator[Handle]:
    """A connection in autocommit mode whose caller says BEGIN."""
    with open_sqlite3(url, isolation_level=None) as handle:
        handle.execute("BEGIN")
        yield handle


@contextlib.contextmanager
def alchemy_engine(url: str) -> Iterator[sa.Engine]:
    engine = sa.create_engine(alchemy_url(url, is_async=False))
    try:
        yield engine
    finally:
        engine.dispose()


@contextlib.contextmanager
def open_alchemy(url: str) -> Iterator[Handle]:
    with alchemy_engine(url) as engine, engine.connect() as opened:
        yield Handle(
            target=opened,
            execute=lambda sql: opened.execute(sa.text(sql)),
            commit=opened.commit,
            rollback=opened.rollback,
        )


@contextlib.contextmanager
def open_alchemy_begin(url: str) -> Iterator[Handle]:
    """SQLite the way SQLAlchemy's documentation makes it begin by itself."""
    with alchemy_engine(url) as engine:
        if engine.dialect.name == "sqlite":
            sa.event.listen(engine, "connect", _leave_transactions_alone)
            sa.event.listen(engine, "begin", lambda opened: opened.exec_driver_sql("BEGIN"))
        with engine.connect() as opened:
            yield Handle(
                target=opened,
                execute=lambda sql: opened.execute(sa.text(sql)),
                commit=opened.commit,
                rollback=opened.rollback,
            )


def _leave_transactions_alone(driver: Any, _record: object) -> None:
    driver.isolation_level = None


@contextlib.contextmanager
def open_session(url: str) -> Iterator[Handle]:
    with alchemy_engine(url) as engine, orm.Session(engine) as session:
        yield session_handle(session, session)


@contextlib.contextmanager
def open_scoped_session(url: str) -> Iterator[Handle]:
    with alchemy_engine(url) as engine:
        scoped = orm.scoped_session(orm.sessionmaker(engine))
        yield session_handle(scoped, scoped())
        scoped.remove()


def session_handle(target: Any, session: orm.Session) -> Handle:
    return Handle(
        target=target,
        execute=lambda sql: session.execute(sa.text(sql)),
        commit=session.commit,
        rollback=session.rollback,
    )


@contextlib.contextmanager
def django_database(url: str) -> Iterator[None]:
    """Point Django's default database at the url; its settings can be made only once."""
    if not settings.configured:
        settings.configure(DATABASES={}, USE_TZ=True)
        django.setup()
    parsed = sa.make_url(url)
    is_sqlite = url.startswith("sqlite")
    chosen = {
        "ENGINE": f"django.db.backends.{'sqlite3' if is_sqlite else 'postgresql'}",
        "NAME": path_of(url) if is_sqlite else parsed.database,
        "USER": parsed.username or "",
        "PASSWORD": parsed.password or "",
        "HOST": parsed.host or "",
        "PORT": parsed.port or "",
    }
    connections.settings["default"] = ConnectionHandler({"default": chosen}).settings["default"]
    try:
        yield
    finally:
        connection.close()
        del connections["default"]


@contextlib.contextmanager
def open_django(url: str, *, is_proxy: bool = True) -> Iterator[Handle]:
    """Inside of `transaction.atomic()`, whose end is the commit or the rollback."""
    with django_database(url):
        block = transaction.atomic()
        block.__enter__()
        ends = contextlib.ExitStack()
        ends.callback(block.__exit__, None, None, None)

        def commit() -> None:
            ends.close()

        def rollback() -> None:
            transaction.set_rollback(True)
            ends.close()

        yield Handle(
            target=connection if is_proxy else connections["default"],
            execute=lambda sql: connection.cursor().execute(sql),
            commit=commit,
            rollback=rollback,
        )
        rollback() if connection.in_atomic_block else None


@contextlib.contextmanager
def open_django_wrapper(url: str) -> Iterator[Handle]:
    with open_django(url, is_proxy=False) as handle:
        yield handle


# -- async ---------------------------------------------------------------------------------------
@contextlib.contextmanager
def waiting(make: Callable[[str], Any], url: str) -> Iterator[Handle]:
    """Open an async kind on a loop of its own, and wait for each of its answers."""
    with asyncio.Runner() as runner:
        manager = make(url)
        target, execute, commit, rollback = runner.run(_enter(manager))
        try:
            yield Handle(
                target=target,
                execute=lambda sql: runner.run(_await(execute(sql))),
                commit=lambda: runner.run(_await(commit())),
                rollback=lambda: runner.run(_await(rollback())),
                run=lambda answer: runner.run(_await(answer)),
            )
        finally:
            runner.run(_leave(manager))


async def _enter(manager: Any) -> Any:
    return await manager.__aenter__()


async def _leave(manager: Any) -> None:
    await manager.__aexit__(None, None, None)


async def _await(answer: Awaitable[Any]) -> Any:
    return await answer


@contextlib.asynccontextmanager
async def _psycopg(url: str) -> Any:
    opened = await psycopg.AsyncConnection.connect(url, row_factory=dict_row)
    yield opened, opened.execute, opened.commit, opened.rollback
    await opened.close()


@contextlib.asynccontextmanager
async def _asyncpg(url: str) -> Any:
    opened = await asyncpg.connect(url)
    # A codec that turns parameters of type jsonb into something else must not matter.
    await opened.set_type_codec("jsonb", encoder=repr, decoder=repr, schema="pg_catalog")
    begun = opened.transaction()
    await begun.start()
    yield opened, opened.execute, begun.commit, begun.rollback
    await opened.close()


@contextlib.asynccontextmanager
async def _asyncpg_pool(url: str) -> Any:
    async with asyncpg.create_pool(url, min_size=1, max_size=1) as pool, pool.acquire() as opened:
        begun = opened.transaction()
        await begun.start()
        yield opened, opened.execute, begun.commit, begun.rollback


@contextlib.asynccontextmanager
async def _aiosqlite(url: str) -> Any:
    async with aiosqlite.connect(path_of(url)) as opened:
        opened.row_factory = sqlite3.Row
        yield opened, opened.execute, opened.commit, opened.rollback


@contextlib.asynccontextmanager
async def async_engine(url: str, driver: str = "") -> Any:
    engine = sa_async.create_async_engine(alchemy_url(url, is_async=True, driver=driver))
    yield engine
    await engine.dispose()


@contextlib.asynccontextmanager
async def _alchemy(url: str, driver: str = "") -> Any:
    async with async_engine(url, driver) as engine, engine.connect() as opened:
        yield opened, lambda sql: opened.execute(sa.text(sql)), opened.commit, opened.rollback


@contextlib.asynccontextmanager
async def _async_session(url: str) -> Any:
    async with async_engine(url) as engine, sa_async.AsyncSession(engine) as session:
        yield session, lambda sql: session.execute(sa.text(sql)), session.commit, session.rollback


@contextlib.asynccontextmanager
async def _async_scoped(url: str) -> Any:
    async with async_engine(url) as engine:
        maker = sa_async.async_sessionmaker(engine)
        scoped = sa_async.async_scoped_session(maker, scopefunc=lambda: 1)
        session = scoped()
        yield scoped, lambda sql: session.execute(sa.text(sql)), session.commit, session.rollback
        await scoped.remove()


def awaited(make: Callable[[str], Any]) -> Open:
    return lambda url: waiting(make, url)


open_async_psycopg = awaited(_psycopg)
open_asyncpg = awaited(_asyncpg)
open_aiosqlite = awaited(_aiosqlite)

BOTH, POSTGRES, SQLITE = ("sqlite", "postgres"), ("postgres",), ("sqlite",)
KINDS: dict[str, tuple[Open, tuple[str, ...]]] = {
    "psycopg": (open_psycopg, POSTGRES),
    "psycopg-odd": (open_psycopg_odd, POSTGRES),
    "sqlite3": (open_sqlite3, SQLITE),
    "sqlite3-explicit": (open_sqlite3_explicit, SQLITE),
    "sqlalchemy": (open_alchemy, BOTH),
    "sqlalchemy-begin": (open_alchemy_begin, BOTH),
    "session": (open_session, BOTH),
    "scoped-session": (open_scoped_session, BOTH),
    "django": (open_django, BOTH),
    "django-wrapper": (open_django_wrapper, BOTH),
    "async-psycopg": (open_async_psycopg, POSTGRES),
    "asyncpg": (open_asyncpg, POSTGRES),
    "asyncpg-pool": (awaited(_asyncpg_pool), POSTGRES),
    "aiosqlite": (open_aiosqlite, SQLITE),
    "async-sqlalchemy": (awaited(_alchemy), BOTH),
    "async-sqlalchemy-psycopg": (awaited(lambda url: _alchemy(url, "psycopg")), POSTGRES),
    "async-session": (awaited(_async_session), BOTH),
    "async-scoped-session": (awaited(_async_scoped), BOTH),
}
PAIRS = [(kind, backend) for kind, (_, backends) in KINDS.items() for backend in backends]
