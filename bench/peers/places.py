"""Where jobs are kept: one PostgreSQL, files of SQLite, one Redis; fresh for each measurement."""

from __future__ import annotations

import shutil
import socket
import sqlite3
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from pathlib import Path
from typing import Any, Protocol

import psycopg

from tests.postgres_server import PostgresServer, find_free_port

POSTGRES_SETTINGS = {"shared_buffers": "1GB", "max_wal_size": "4GB"}
REDIS_START_SECONDS = 10


class Ledger(Protocol):
    """What the database itself says of the jobs in it."""

    def unfinished(self) -> int: ...
    def wal_bytes(self) -> int | None: ...


class Place(Protocol):
    def fresh(self) -> AbstractContextManager[str]:
        """An empty database; yields its URL."""

    def settle(self, url: str) -> None:
        """Do what the database would do soon after so many rows were written."""

    def ledger(self, url: str, unfinished: str | None) -> AbstractContextManager[Ledger]: ...
    def pinned(self, url: str) -> AbstractContextManager[None]: ...


class Postgres:
    def __init__(self, server: PostgresServer) -> None:
        self._server = server

    @contextmanager
    def fresh(self) -> Iterator[str]:
        url = self._server.create_database()
        try:
            yield url
        finally:
            self._server.drop_database(url)

    def settle(self, url: str) -> None:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")
            connection.execute("CHECKPOINT")

    @contextmanager
    def ledger(self, url: str, unfinished: str | None) -> Iterator[Ledger]:
        with psycopg.connect(url, autocommit=True) as connection:
            yield SqlLedger(connection, unfinished, "SELECT pg_current_wal_insert_lsn() - '0/0'")

    @contextmanager
    def pinned(self, url: str) -> Iterator[None]:
        """Hold a transaction open, so that nothing that is deleted meanwhile can be cleaned up."""
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            connection.execute("SELECT count(*) FROM pg_class")
            yield


class Sqlite:
    @contextmanager
    def fresh(self) -> Iterator[str]:
        with tempfile.TemporaryDirectory(prefix="leasehold-peers-") as folder:
            yield f"sqlite:///{folder}/queue.db"

    def settle(self, _url: str) -> None:
        """Nothing to do."""

    @contextmanager
    def ledger(self, url: str, unfinished: str | None) -> Iterator[Ledger]:
        path = Path(url.removeprefix("sqlite:///"))
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro", uri=True)) as connection:
            yield SqlLedger(connection, unfinished, None)

    def pinned(self, _url: str) -> AbstractContextManager[None]:
        return nullcontext()


class Redis:
    """Everything in memory, nothing written to disk: Redis at its fastest."""

    def __init__(self, port: int) -> None:
        self._port = port

    @contextmanager
    def fresh(self) -> Iterator[str]:
        with socket.create_connection(("127.0.0.1", self._port)) as connection:
            connection.sendall(b"FLUSHALL\r\n")
            connection.recv(64)
        yield f"redis://127.0.0.1:{self._port}/0"

    def settle(self, _url: str) -> None:
        """Nothing to do."""

    def ledger(self, _url: str, _unfinished: str | None) -> AbstractContextManager[Ledger]:
        return nullcontext(SqlLedger(None, None, None))

    def pinned(self, _url: str) -> AbstractContextManager[None]:
        return nullcontext()


class SqlLedger:
    """Asks by SQL; where there is nothing to ask, a job that ran counts as complete."""

    def __init__(self, connection: Any, unfinished: str | None, wal: str | None) -> None:
        self._connection = connection
        self._unfinished = unfinished
        self._wal = wal

    def unfinished(self) -> int:
        return 0 if self._unfinished is None else self._number(self._unfinished)

    def wal_bytes(self) -> int | None:
        return None if self._wal is None else self._number(self._wal)

    def _number(self, query: str) -> int:
        (number,) = self._connection.execute(query).fetchone()
        return int(number)


def postgres_facts(url: str) -> dict[str, str]:
    """Return the version and the settings that the figures depend on."""
    names = ["server_version", "shared_buffers", "max_wal_size", "fsync", "synchronous_commit"]
    with psycopg.connect(url) as connection:
        rows = connection.execute(
            "SELECT name, current_setting(name) FROM pg_settings WHERE name = ANY (%s)", (names,)
        ).fetchall()
    return dict(rows)


@contextmanager
def redis_server() -> Iterator[Redis]:
    port = find_free_port()
    with tempfile.TemporaryDirectory(prefix="leasehold-redis-") as folder:
        process = subprocess.Popen(
            [
                *("redis-server", "--port", str(port), "--bind", "127.0.0.1"),
                *("--save", "", "--appendonly", "no", "--dir", folder),
            ],
            stdout=subprocess.DEVNULL,
        )
        try:
            wait_for_port(port)
            yield Redis(port)
        finally:
            process.terminate()
            process.wait()


def has_redis() -> bool:
    return shutil.which("redis-server") is not None


def wait_for_port(port: int) -> None:
    deadline = time.monotonic() + REDIS_START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except OSError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)
        else:
            return
