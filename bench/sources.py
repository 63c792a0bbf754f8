"""Where fresh databases come from: a PostgreSQL server of the suite's own, a folder for SQLite."""

from __future__ import annotations

import os
import platform
import sqlite3
import tempfile
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

import psycopg

from bench.database import POSTGRES, SQLITE
from bench.postgres.database import PostgresDatabase
from bench.sqlite.database import SqliteDatabase
from leasehold import __version__
from leasehold.store import open_store
from tests.postgres_binaries import find_binaries
from tests.postgres_server import PostgresServer

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from bench.database import Database

# The rest is PostgreSQL's default, durability above all. Idle workers need the connections.
SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "4GB", "max_connections": "1000"}
_SHOWN = (*SETTINGS, "fsync", "synchronous_commit", "full_page_writes", "wal_level")


class Source(Protocol):
    """Makes fresh databases of one kind."""

    def __call__(self) -> Database: ...

    def describe(self) -> dict[str, Any]:
        """Name the version and the settings that matter."""


class PostgresSource:
    """Copies one migrated database again and again."""

    def __init__(self, server: PostgresServer) -> None:
        self._server = server
        template = server.create_database()
        store = open_store(template)
        store.migrate()
        store.close()
        self._template = urlsplit(template).path.removeprefix("/")

    def __call__(self) -> PostgresDatabase:
        return PostgresDatabase(self._server, self._template)

    def describe(self) -> dict[str, Any]:
        with psycopg.connect(self._server.url()) as connection:
            settings = connection.execute(
                "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY (%s)",
                [list(_SHOWN)],
            ).fetchall()
            version = connection.info.parameter_status("server_version")
        return {"version": version, "settings": dict(sorted(settings))}


@contextmanager
def open_postgres() -> Iterator[PostgresSource]:
    # Always a server of our own: its settings are known, and its CPU time can be read.
    with PostgresServer(binaries=find_binaries(), settings=SETTINGS) as server:
        yield PostgresSource(server)


class SqliteSource:
    """Makes one folder after the other, below one that it is given."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._numbers = count()

    def __call__(self) -> SqliteDatabase:
        return SqliteDatabase(self._folder / str(next(self._numbers)))

    def describe(self) -> dict[str, Any]:
        return {
            "version": sqlite3.sqlite_version,
            "settings": {"journal_mode": "WAL", "synchronous": "FULL"},
        }


@contextmanager
def open_sqlite() -> Iterator[SqliteSource]:
    with tempfile.TemporaryDirectory(prefix="leasehold-bench-") as folder:
        yield SqliteSource(Path(folder))


SOURCES: dict[str, Callable[[], AbstractContextManager[Source]]] = {
    POSTGRES: open_postgres,
    SQLITE: open_sqlite,
}


def describe_machine() -> dict[str, Any]:
    return {
        "cores": os.cpu_count(),
        "memory_mb": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 2**20,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "leasehold": __version__,
        "has_uvloop": _has_uvloop(),
    }


def _has_uvloop() -> bool:
    try:
        import uvloop  # noqa: F401
    except ModuleNotFoundError:
        return False
    return True
