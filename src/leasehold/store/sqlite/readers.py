"""A few connections that only read. They wait for no writer, and no writer waits for them."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from leasehold.model.values import Connections

_IDLE_LIMIT = 4


class Readers:
    """Lends a connection to one thread at a time; opens as many as are wanted at once."""

    def __init__(self, connect: Callable[[], sqlite3.Connection]) -> None:
        self._connect = connect
        self._changed = threading.Condition()
        self._idle: list[sqlite3.Connection] = []
        self._lent: set[sqlite3.Connection] = set()

    @contextmanager
    def lend(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection inside one read transaction: all it reads is of one moment."""
        connection = self._take()
        try:
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("ROLLBACK")
        except BaseException:
            self._give_back(connection, is_sound=False)
            raise
        self._give_back(connection, is_sound=True)

    def freeze(self, wait_seconds: float) -> bool:
        """Close all and let nobody in, until `thaw`; False when one stays lent."""
        self._changed.acquire()
        if not self._changed.wait_for(lambda: not self._lent, wait_seconds):
            self._changed.release()
            return False
        self._close_idle()
        return True

    def thaw(self) -> None:
        self._changed.release()

    def forget(self) -> list[sqlite3.Connection]:
        """In a forked child: begin anew; returns what must never be touched or collected."""
        inherited = [*self._idle, *self._lent]
        self._changed = threading.Condition()
        self._idle, self._lent = [], set()
        return inherited

    def count(self) -> Connections:
        return Connections(in_use=len(self._lent), idle=len(self._idle), limit=None)

    def close(self) -> None:
        with self._changed:
            self._close_idle()

    def _take(self) -> sqlite3.Connection:
        with self._changed:
            connection = self._idle.pop() if self._idle else self._connect()
            self._lent.add(connection)
            return connection

    def _give_back(self, connection: sqlite3.Connection, *, is_sound: bool) -> None:
        with self._changed:
            self._lent.discard(connection)
            if is_sound and len(self._idle) < _IDLE_LIMIT:
                self._idle.append(connection)
            else:
                connection.close()
            self._changed.notify_all()

    def _close_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()
