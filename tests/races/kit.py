"""Holds one side of a race in the middle, sees the other side wait, and takes guards out."""

from __future__ import annotations

import os
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg

from leasehold.store import sql
from leasehold.store.postgres import (
    bulk,
    claiming,
    lanes,
    leases,
    needing,
    people,
    rules,
    tending,
)
from leasehold.store.postgres.store import PostgresStore
from leasehold.store.sqlite import statements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import pytest

    from leasehold.store.postgres.connection import Connection

T = TypeVar("T")
THOROUGH_VARIABLE = "LEASEHOLD_THOROUGH"
PATIENCE_SECONDS = 20.0
_LOADERS = (bulk, claiming, lanes, leases, needing, people, rules, statements, tending)


def crowd(thorough: int) -> int:
    """Return how many rows a plan is tried with: a fifth of a crowd, or all with THOROUGH=1.

    A fifth is already hundreds of times what a statement may read, and takes a fifth of the time.
    """
    return thorough if os.environ.get(THOROUGH_VARIABLE) == "1" else thorough // 5


def mutate(monkeypatch: pytest.MonkeyPatch, name: str, guard: str, instead: str = "") -> None:
    """Take a guard out of the statement `name`; it must be there."""
    whole = sql.load  # the files' own text, on top of which mutations come one by one
    before: Callable[[str, str], str] = _LOADERS[0].load

    def load(package: str, asked: str) -> str:
        text = before(package, asked)
        if asked != name:
            return text
        assert guard in whole(package, asked), f"{asked}.sql has changed: {guard!r} is not in it"
        return text.replace(guard, instead)

    for module in _LOADERS:
        monkeypatch.setattr(module, "load", load)


@contextmanager
def mutate_function(url: str, name: str, guard: str, instead: str) -> Iterator[None]:
    """Take a guard out of a function in the database, for a while; it must be there."""
    with closing(psycopg.connect(url, autocommit=True)) as connection:
        query = "SELECT pg_get_functiondef(%s::regproc)"
        (whole,) = connection.execute(query, (f"leasehold.{name}",)).fetchone() or ("",)
        assert guard in whole, f"{name} has changed: {guard!r} is not in it"
        connection.execute(whole.replace(guard, instead).encode())
        try:
            yield
        finally:
            connection.execute(whole.encode())


class _Given:
    """A source that lends one given connection, inside its open transaction."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def take(self) -> Connection:
        if not self._connection.autocommit:
            self._connection.execute("SELECT")  # opens it, should none be open
        return self._connection

    def give_back(self, connection: Connection) -> None:
        """It is the race's."""

    def close(self) -> None:
        """It is the race's to close."""


class OpenSide:
    """A store whose operations stay uncommitted until it is told."""

    def __init__(self, url: str) -> None:
        self.connection: Connection = psycopg.connect(url)
        self.store = PostgresStore(url, source=_Given(self.connection))
        self.pid = self.connection.info.backend_pid

    def commit(self) -> None:
        self.connection.commit()

    def roll_back(self) -> None:
        self.connection.rollback()


class PostgresRace:
    """One side that does something and waits with its commit, another that runs into it."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.store = PostgresStore(url)
        self._watcher = psycopg.connect(url, autocommit=True)
        self._pool = ThreadPoolExecutor(4)

    def close(self) -> None:
        self._pool.shutdown()
        self._watcher.close()
        self.store.close()

    @contextmanager
    def uncommitted(self) -> Iterator[OpenSide]:
        """Open a side; what it has not committed at the end is rolled back."""
        side = OpenSide(self.url)
        side.store.skew_seconds = self.store.skew_seconds
        try:
            yield side
        finally:
            # By its own word: the server notices a closed connection some milliseconds later.
            if not side.connection.broken:
                side.connection.rollback()
            side.connection.close()

    def start(self, action: Callable[[], T]) -> Future[T]:
        return self._pool.submit(action)

    def run_beside(
        self,
        first: Callable[[PostgresStore], Any],
        second: Callable[[], T],
        *,
        commits: bool = True,
    ) -> T:
        """Let `first` do its work, `second` wait for it, then end `first` and return `second`'s."""
        with self.uncommitted() as side:
            first(side.store)
            running = self.start(second)
            self.wait_until_blocked(side, running)
            side.commit() if commits else side.roll_back()
            return running.result(PATIENCE_SECONDS)

    def wait_until_blocked(self, side: OpenSide, running: Future[Any]) -> None:
        """Wait until somebody waits for a lock of this side."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        while not self.is_blocked_by(side):
            assert not running.done(), f"it did not wait, but came to {running.result()!r}"
            assert time.monotonic() < deadline, "nobody waits for the other side"
            time.sleep(0.002)

    def is_blocked_by(self, side: OpenSide) -> bool:
        query = "SELECT count(*) FROM pg_stat_activity WHERE %s = ANY (pg_blocking_pids(pid))"
        row = self._watcher.execute(query, (side.pid,)).fetchone()
        return row is not None and row[0] > 0

    def wait_until_waiting(self, count: int) -> None:
        """Wait until so many wait for locks, whoever has them."""
        query = """
            SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
        """
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            row = self._watcher.execute(query).fetchone()
            if row is not None and row[0] >= count:
                return
            assert time.monotonic() < deadline, f"not so many wait: {row} instead of {count}"
            time.sleep(0.002)
