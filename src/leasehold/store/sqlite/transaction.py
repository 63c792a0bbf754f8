"""A handler's transaction: its own writes and what is saved or settled with them, or neither."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

from leasehold.errors import StoreBusy
from leasehold.store.sqlite.database import Database
from leasehold.store.sqlite.errors import translating
from leasehold.store.sqlite.times import Clock

# Says, when all of it is known, what is to be written last, at the moment given; that returns the
# queues that callbacks came to.
Ending = Callable[[], Callable[[sqlite3.Connection, int], Sequence[str]]]
_LEAVE_SECONDS = 0.1


class HandlerTransaction:
    """Holds the gate from `start` to the end, for at most a third of the lease.

    All writers wait for it, this worker's own renewals too. So a timer ends it: the connection is
    rolled back and can only read from then on.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        *,
        lease_seconds: float,
        wake: Callable[[Sequence[str]], None] = lambda _queues: None,
    ) -> None:
        self._wake = wake  # for the callback's queue, after the commit
        self._database = database
        self._clock = clock
        self._limit_seconds = lease_seconds / 3
        self._ending = threading.Lock()
        self._has_ended = threading.Event()
        self._is_over = True
        self._is_expired = False
        self._may_end: int | None = None
        self._connection: sqlite3.Connection | None = None
        self._timer: threading.Timer | None = None

    def start(self, owner: int) -> sqlite3.Connection:
        """Begin. `owner` is the thread whose other writes would wait for this one for ever."""
        self._database.gate.acquire(owner)
        try:
            self._connection = connection = self._database.connect()
            connection.execute("BEGIN IMMEDIATE")
            # The handler must not end it: what it commits by itself would stand without the job.
            connection.set_authorizer(self._authorize)
            self._timer = threading.Timer(self._limit_seconds, self._expire)
            self._timer.daemon = True
            self._is_over = False
            self._timer.start()
        except BaseException:
            self._close()
            raise
        return connection

    def commit(self, ending: Ending) -> None:
        """Save and settle last and commit, or roll back and raise."""
        write = ending()
        with self._ending:
            self._refuse_if_expired()
            self._is_over = True
            self._may_end = threading.get_ident()
            try:
                with translating():
                    connection = self._open_connection()
                    called = write(connection, self._clock.now())
                    connection.execute("COMMIT")
            finally:
                self._close()
        self._wake(called)

    def roll_back(self) -> None:
        """End without a trace. Safe after `commit` and after the time ran out."""
        with self._ending:
            if not self._is_over:
                self._is_over = True
                self._may_end = threading.get_ident()
                self._close()
            elif self._is_expired and self._connection is not None:
                self._connection.close()

    def explain(self, error: BaseException) -> BaseException:
        """What the handler met after its time ran out is not its own fault, but this."""
        return self._too_long() if self._is_expired and isinstance(error, sqlite3.Error) else error

    def _expire(self) -> None:
        if self._ending.locked():
            return  # it is just being ended
        connection = self._open_connection()
        self._is_expired = True
        connection.interrupt()
        # A handler that was inside a statement leaves by itself now. Until it has, keep out of
        # SQLite: there it may hold Python's lock and wait for the connection's, while this thread
        # would hold the connection's and wait for Python's, to ask `_authorize`.
        if self._has_ended.wait(_LEAVE_SECONDS):
            return
        with self._ending:
            if self._is_over:
                return
            self._is_over = True
            self._may_end = threading.get_ident()
            # Read-only first: no statement of the handler may slip in after the rollback.
            with suppress(sqlite3.Error):
                connection.execute("PRAGMA query_only = ON")
                connection.execute("ROLLBACK")
            self._database.gate.release()

    def _authorize(
        self,
        action: int,
        _first: str | None,
        _second: str | None,
        _database: str | None,
        _trigger: str | None,
    ) -> int:
        is_theirs = threading.get_ident() != self._may_end
        is_end = action == sqlite3.SQLITE_TRANSACTION
        return sqlite3.SQLITE_DENY if is_end and is_theirs else sqlite3.SQLITE_OK

    def _open_connection(self) -> sqlite3.Connection:
        if self._connection is None:
            raise StoreBusy("the job's transaction has not begun")
        return self._connection

    def _refuse_if_expired(self) -> None:
        if self._is_expired:
            raise self._too_long()

    def _too_long(self) -> StoreBusy:
        return StoreBusy(
            f"a job's transaction was open for {self._limit_seconds:g} s, a third of the lease; it "
            "was rolled back, as it keeps SQLite's other writers waiting. Do slow work before "
            "it, or give the task a longer lease"
        )

    def _close(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        if self._connection is not None:
            self._connection.close()  # rolls back what was not committed
        self._database.gate.release()
        self._has_ended.set()


@contextmanager
def hold_transaction(
    transaction: HandlerTransaction, ending: Ending
) -> Iterator[sqlite3.Connection]:
    with translating():
        connection = transaction.start(threading.get_ident())
    try:
        yield connection
        transaction.commit(ending)
    except BaseException as error:
        raised = transaction.explain(error)
        if raised is error:
            raise
        raise raised from error
    finally:
        transaction.roll_back()
