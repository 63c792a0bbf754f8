"""The connections of one process to one file: a writer behind the gate, readers, checkpoints."""

from __future__ import annotations

import logging
import os
import sqlite3
import threading
import weakref
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import NamedTuple

from leasehold.errors import StoreBusy, StoreError, StoreRefused, StoreUnavailable
from leasehold.model.values import Connections
from leasehold.store.shield import shielded
from leasehold.store.sqlite.errors import translate, translating
from leasehold.store.sqlite.gate import Gate
from leasehold.store.sqlite.location import Location
from leasehold.store.sqlite.readers import Readers
from leasehold.store.sqlite.wal import LONG_BYTES, SYNCS_APART, WalMeter, sync

_FORK_WAIT_SECONDS = 5.0
_SOME_BYTES = 512 * 1024  # of the log, worth a checkpoint when nothing else is to do
_WAL_KEPT_BYTES = 2 * LONG_BYTES
_logger = logging.getLogger("leasehold.store")

_PRAGMAS = (
    "PRAGMA synchronous = FULL",  # a commit that was answered survives a power cut
    "PRAGMA fullfsync = ON",  # the same on macOS, where fsync alone does not reach the disk
    "PRAGMA checkpoint_fullfsync = ON",
    "PRAGMA temp_store = MEMORY",  # the claim is 2.5 times as fast
    # SQLite before 3.51.3 can lose a checkpoint when two connections checkpoint at once: so none
    # of ours does by itself. See `checkpoint`.
    "PRAGMA wal_autocheckpoint = 0",
    f"PRAGMA journal_size_limit = {_WAL_KEPT_BYTES}",
)


class Checkpoint(NamedTuple):
    """What a checkpoint found: frames in the log, and how many of them are in the database now."""

    is_busy: int
    frames: int
    copied: int


class _Joined(threading.local):
    """The writer whose transaction this thread is in."""

    writer: sqlite3.Connection | None = None


class Database:
    """Safe to use from many threads. `prepare` is run once before the first ordinary use."""

    def __init__(
        self,
        location: Location,
        *,
        busy_seconds: float,
        check: Callable[[Location], None],
        prepare: Callable[[Database], None],
    ) -> None:
        self.location = location
        self._busy_seconds = busy_seconds
        self._check = check
        self._prepare = prepare
        self._is_prepared = False
        self._gate = Gate(location.lock, busy_seconds)
        self._readers = Readers(self._connect_reader)
        self._meter = WalMeter(location.wal)
        self._writer: sqlite3.Connection | None = None
        self._checkpointer: sqlite3.Connection | None = None
        self._inherited: list[sqlite3.Connection | None] | None = None
        self._is_quiet = False
        self._is_log_in_doubt = False
        self._joined = _Joined()
        _watch_forks(self)

    def connections(self) -> Connections:
        return self._readers.count()

    @property
    def gate(self) -> Gate:
        return self._gate

    @contextmanager
    def write(self, *, is_bare: bool = False) -> Iterator[sqlite3.Connection]:
        """One transaction, all or nothing. A bare one takes the tables as they are.

        The disk is waited for behind the gate, so that others write meanwhile: whoever sees what
        was written and writes after it waits for the same log.
        """
        if self._joined.writer is not None:
            yield self._joined.writer
            return
        if not is_bare:
            self._be_prepared()
        with shielded(), translating():
            with self._gate.hold():
                writer = self._open_writer()
                with self._transaction(writer):
                    yield writer
                self._checkpoint_if_long()
                log = self._lend_log()
            self._await_disk(log)

    @contextmanager
    def read(self, *, is_bare: bool = False) -> Iterator[sqlite3.Connection]:
        """One moment of the database."""
        if self._joined.writer is not None:  # with what it has written itself
            yield self._joined.writer
            return
        if not is_bare:
            self._be_prepared()
        with shielded(), translating(), self._readers.lend() as reader:
            yield reader

    @contextmanager
    def together(self) -> Iterator[None]:
        """Let what this thread reads and writes inside be one transaction."""
        if self._joined.writer is not None:
            yield
            return
        with self.write() as writer:
            self._joined.writer = writer
            try:
                yield
            finally:
                self._joined.writer = None

    def connect(self) -> sqlite3.Connection:
        """Open one more connection, for somebody who holds the gate."""
        self._check(self.location)
        connection = sqlite3.connect(
            self.location.path,
            timeout=self._busy_seconds,
            isolation_level=None,
            check_same_thread=False,  # the gate and the pool lend it to one thread at a time
            cached_statements=256,
        )
        try:
            for pragma in _PRAGMAS:
                connection.execute(pragma)
        except BaseException:
            connection.close()
            raise
        return connection

    def tend(self) -> None:
        """Checkpoint a log of some length; cheap when it is short."""
        self._be_prepared()
        with translating(), self._gate.hold():
            self._open_writer()
            self._checkpoint_if_long(_SOME_BYTES)

    def checkpoint(self) -> Checkpoint:
        """Copy the log into the database, as far as readers let it."""
        with translating(), self._gate.hold():
            return self._checkpoint()

    def wal_bytes(self) -> int:
        return self._meter.size_bytes()

    def close(self) -> None:
        """Close every connection; the next use would open them again. Safe twice."""
        self._gate.acquire_process(self._busy_seconds)
        try:
            self._close_writer()
            self._readers.close()
            self._gate.close()
        finally:
            self._gate.release_process()

    def __del__(self) -> None:
        # Used once more after its close, by a handler that was left to itself, it is never closed
        # again: its descriptors go as its connections do, when it is forgotten.
        self._meter.close()
        self._gate.close()

    def _lend_log(self) -> int | None:
        """Take a descriptor of the log, since another thread may close ours behind the gate."""
        try:
            return self._meter.lend() if SYNCS_APART else None
        except OSError as error:
            self._doubt_log(error)
            return None

    def _doubt_log(self, error: OSError) -> None:
        _logger.warning("the disk did not take the log", extra={"error": str(error)})
        self._is_log_in_doubt = True

    def _await_disk(self, log: int | None) -> None:
        """Return when the disk has the log, with all that was committed before.

        Where it has once refused some of it, the log may have a hole that no later wait would fill:
        from then on only what a checkpoint has copied into the database is safe.
        """
        if log is not None:
            try:
                sync(log)
            except OSError as error:
                self._doubt_log(error)
        if self._is_log_in_doubt:
            found = self.checkpoint()
            if found.is_busy or found.copied < found.frames:
                raise StoreUnavailable(
                    "the disk did not take what was written, and a reader keeps it from being "
                    "copied into the database: it is there, but a power cut could still take it"
                )
            self._is_log_in_doubt = False

    def _be_prepared(self) -> None:
        self._refuse_after_bad_fork()
        if not self._is_prepared:
            self._prepare(self)
            self._is_prepared = True

    @contextmanager
    def _transaction(self, writer: sqlite3.Connection) -> Iterator[None]:
        try:
            writer.execute("BEGIN IMMEDIATE")
            yield
            writer.execute("COMMIT")
        except BaseException:
            self._roll_back(writer)
            raise

    def _roll_back(self, writer: sqlite3.Connection) -> None:
        try:
            if writer.in_transaction:
                writer.execute("ROLLBACK")
        except sqlite3.Error:
            self._close_writer()

    def _open_writer(self) -> sqlite3.Connection:
        if self._writer is None:
            writer = self.connect()
            try:
                _switch_to_wal(writer)
                if SYNCS_APART:  # `write` waits for the disk itself
                    writer.execute("PRAGMA synchronous = NORMAL")
            except BaseException:
                writer.close()
                raise
            self._writer = writer
        return self._writer

    def _connect_reader(self) -> sqlite3.Connection:
        connection = self.connect()
        connection.execute("PRAGMA query_only = ON")
        return connection

    def _checkpoint_if_long(self, threshold_bytes: int = LONG_BYTES) -> None:
        try:
            if self._meter.is_long(threshold_bytes):
                self._checkpoint()
        except (sqlite3.Error, OSError) as error:
            # The commit before it stands: a full disk here must not let it seem to have failed.
            _logger.warning("checkpoint failed", extra={"error": str(translate(error))})

    def _checkpoint(self) -> Checkpoint:
        # PASSIVE on one connection while another holds the write lock: nobody can append to the log
        # or start it anew meanwhile, which is what the WAL-reset bug needs.
        writer = self._open_writer()
        if self._checkpointer is None:
            self._checkpointer = self.connect()
        if not _begin_at_once(writer, self._busy_seconds):
            return Checkpoint(1, 0, 0)  # somebody else's transaction: the next write tries again
        try:
            row = self._checkpointer.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()
        finally:
            writer.execute("ROLLBACK")
        found = Checkpoint(*row)
        self._meter.note_checkpoint(found.frames)
        return found

    def _close_writer(self) -> None:
        self._meter.close()
        for connection in (self._checkpointer, self._writer):
            if connection is not None:
                connection.close()
        self._checkpointer = self._writer = None

    # SQLite's locks belong to the process and its bookkeeping to the library: in a forked child a
    # NEW connection believes the locks of an inherited one to be its own and takes none, so that
    # the parent's last close deletes the log under it (seen in /proc/locks). Hence all are closed
    # before a fork, and a child forked amid a transaction is refused.

    def before_fork(self) -> None:
        self._is_quiet = self._close_for_fork()

    def after_fork_in_parent(self) -> None:
        if self._is_quiet:
            self._readers.thaw()
            self._gate.release_process()

    def after_fork_in_child(self) -> None:
        inherited = [*self._readers.forget(), self._writer, self._checkpointer]
        self._gate.forget()
        if not self._is_quiet:
            self._inherited = inherited  # never touched, never collected: that would close them
        self._writer = self._checkpointer = None

    def _close_for_fork(self) -> bool:
        try:
            self._gate.acquire_process(_FORK_WAIT_SECONDS)
        except StoreBusy:
            return False
        if not self._readers.freeze(_FORK_WAIT_SECONDS):
            self._gate.release_process()
            return False
        with suppress(sqlite3.Error, StoreError):
            self._close_writer()
        return True

    def _refuse_after_bad_fork(self) -> None:
        if self._inherited is not None:
            raise StoreRefused(
                "this process was forked while its parent was using the queue's file, and SQLite "
                "can't work safely in it: fork earlier, or start it with spawn"
            )


def _switch_to_wal(writer: sqlite3.Connection) -> None:
    # Under the gate: two that switch a new file at once would find it locked.
    (mode,) = writer.execute("PRAGMA journal_mode = WAL").fetchone()
    if mode != "wal":
        raise StoreRefused(f"SQLite can't keep a write-ahead log here (journal mode {mode!r})")


def _begin_at_once(writer: sqlite3.Connection, busy_seconds: float) -> bool:
    writer.execute("PRAGMA busy_timeout = 0")
    try:
        writer.execute("BEGIN IMMEDIATE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY:
            raise
        return False
    finally:
        writer.execute(f"PRAGMA busy_timeout = {int(busy_seconds * 1000)}")
    return True


def _watch_forks(database: Database) -> None:
    if not hasattr(os, "register_at_fork"):
        return
    # There is no way to unregister: the hooks must not keep a store alive.
    reference = weakref.ref(database)

    def call(name: str) -> Callable[[], None]:
        def hook() -> None:
            living = reference()
            if living is not None:
                getattr(living, name)()

        return hook

    os.register_at_fork(
        before=call("before_fork"),
        after_in_parent=call("after_fork_in_parent"),
        after_in_child=call("after_fork_in_child"),
    )
