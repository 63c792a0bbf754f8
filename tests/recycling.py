"""Connections to a database that many tests share go from one test to the next.

Most of what a small test costs on PostgreSQL is a new backend, which reads the catalog anew. A
test's stores, their pools and bounds are its own as ever: only what these open at first and close
at the end is taken from a shelf and laid back, as clean as a new one.
"""

from __future__ import annotations

import os
from collections import defaultdict
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg.pq import TransactionStatus

from leasehold.store.postgres import connection as connections
from leasehold.store.postgres import store as stores
from leasehold.store.postgres.connection import Own, Pool
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from leasehold.store.postgres.connection import Connection
    from tests.conformance.tables import Tables

MOST = 4  # of one database: a test that needs more opens and closes them


class Shelf:
    """Idle connections, and open tables, of the databases that are shared."""

    def __init__(self) -> None:
        self._pid = os.getpid()
        self._idle: defaultdict[str, list[Connection]] = defaultdict(list)
        self._tables: dict[str, Tables] = {}
        self._opened = ExitStack()

    def share(self, url: str) -> str:
        """Keep connections to this database from now on."""
        self._tables[url] = self._opened.enter_context(open_tables(url))
        return url

    def empty(self, url: str) -> str:
        """Delete every row of the tables, a shared database's or any other's."""
        with self.open_tables(url) as tables:
            tables.empty()
        return url

    @contextmanager
    def open_tables(self, url: str) -> Iterator[Tables]:
        """Open the raw tables behind a url; those of a shared database stay open."""
        if url not in self._tables:
            with open_tables(url) as tables:
                yield tables
            return
        yield self._tables[url]
        self._tables[url].execute("ROLLBACK; RESET ALL")  # whatever a test did there

    def lay_back(self, url: str, connection: Connection) -> None:
        """Keep a connection that nobody uses, as clean as a new one; else close it."""
        is_idle = connection.pgconn.transaction_status == TransactionStatus.IDLE
        if not (is_idle and url in self._tables and len(self._idle[url]) < MOST):
            connection.close()
        elif self._pid == os.getpid() and is_cleaned(connection):
            self._idle[url].append(connection)

    def take(self, url: str, *, plans_once: bool = False) -> Connection | None:
        """Return one that still lives, its plans steadied as those of a new one."""
        while self._pid == os.getpid() and self._idle[url]:
            connection = self._idle[url].pop()
            if not connections.has_hung_up(connection):
                steady = (connections._STEADY_PLANS, connections._ONE_PLAN)[: 1 + plans_once]
                connection.execute(";".join(steady), prepare=False)
                return connection
            connection.close()
        return None

    def close(self) -> None:
        self._opened.close()
        for connection in (each for idle in self._idle.values() for each in idle):
            connection.close()

    def install(self, patch: pytest.MonkeyPatch) -> None:
        """Let all stores of this process use the shelf."""
        shelf = self

        class ShelfPool(Pool):
            def _idle_or_new(self) -> Connection:
                found = None if self._idle else shelf.take(self._url)
                return found or super()._idle_or_new()

            def close(self) -> None:
                self._is_closed = True
                while self._pid == os.getpid() and self._idle:
                    shelf.lay_back(self._url, self._idle.pop()[0])

        class ShelfOwn(Own):
            def open(self) -> Connection:
                if self._kept is None and (found := shelf.take(self._url, plans_once=True)):
                    self._kept, self._pid = found, os.getpid()
                    self.generation += 1
                return super().open()

            def close(self) -> None:
                if self._kept is not None and self._pid == os.getpid():
                    shelf.lay_back(self._url, self._kept)
                self._kept = None

        patch.setattr(stores, "Pool", ShelfPool)
        patch.setattr(stores, "Own", ShelfOwn)


def is_cleaned(connection: Connection) -> bool:
    """Forget all that a session knows; False when the connection did not live any more."""
    connection._notify_handlers.clear()
    connection._prepared.clear()
    try:
        connection.execute("DISCARD ALL", prepare=False)
    except psycopg.Error:
        connection.close()
        return False
    return True
