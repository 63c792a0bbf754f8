"""SQLite's errors get names, and a full disk loses nothing that was acknowledged."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import msgspec
import pytest

from leasehold.errors import (
    BadValue,
    IdConflict,
    SchemaMismatch,
    StoreBusy,
    StoreFull,
)
from leasehold.model.values import NewJob
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.errors import translate, translating
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import claim, enqueue_one, new_jobs, path_of


@pytest.fixture
def store(sqlite_url: str) -> Iterator[SqliteStore]:
    with closing(SqliteStore(sqlite_url, busy_seconds=0.2)) as opened:
        opened.counts()
        yield opened


@pytest.fixture
def caller(sqlite_url: str, store: SqliteStore) -> Iterator[sqlite3.Connection]:
    """A caller's own connection, as sqlite3.connect gives it."""
    with closing(sqlite3.connect(path_of(sqlite_url), timeout=0.2)) as connection:
        yield connection


def enqueue_on(connection: sqlite3.Connection, store: SqliteStore, jobs: list[NewJob]) -> object:
    with translating():
        return run_script(connection, store.enqueue_script(jobs))


def test_a_callers_transaction_decides(store: SqliteStore, caller: sqlite3.Connection) -> None:
    assert enqueue_on(caller, store, new_jobs(2)) == {}
    caller.rollback()
    assert store.counts() == []
    enqueue_on(caller, store, [*new_jobs(2), *new_jobs(1, delay_seconds=60.0)])
    assert store.counts() == []
    caller.commit()
    assert (store.counts()[0].ready, store.counts()[0].scheduled) == (2, 1)


def test_a_callers_connection_stops_checkpointing_by_itself(
    store: SqliteStore, caller: sqlite3.Connection
) -> None:
    assert caller.execute("PRAGMA wal_autocheckpoint").fetchone() != (0,)
    enqueue_on(caller, store, new_jobs(1))
    assert caller.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)


def test_an_enqueue_is_whole_even_on_a_connection_without_transactions(
    sqlite_url: str, store: SqliteStore
) -> None:
    (job,) = new_jobs(1)
    with closing(sqlite3.connect(path_of(sqlite_url), isolation_level=None)) as autocommit:
        script = store.enqueue_script([job])
        setting = next(script)
        autocommit.execute(setting.sql)
        insert = script.send([])
        written = autocommit.execute(insert.sql, insert.parameters).fetchall()
        script.close()  # the program dies here
    assert written == [(str(job.id),)]
    assert [taken.job_id for taken in claim(store)] == [job.id]


def test_a_conflict_leaves_a_callers_transaction_usable(
    store: SqliteStore, caller: sqlite3.Connection
) -> None:
    taken = enqueue_one(store)
    fresh = new_jobs(3)
    with pytest.raises(IdConflict):
        enqueue_on(caller, store, [*fresh, NewJob(id=taken, kind="x", args=msgspec.Raw(b"{}"))])
    enqueue_on(caller, store, new_jobs(1))
    caller.commit()
    assert store.counts()[0].ready == 2
    assert store.get(fresh[0].id) is None


def test_a_transaction_that_has_read_is_told_to_begin_immediate(
    store: SqliteStore, caller: sqlite3.Connection
) -> None:
    caller.execute("BEGIN")
    caller.execute("SELECT count(*) FROM leasehold_job").fetchone()
    enqueue_one(store)
    with pytest.raises(StoreBusy, match="BEGIN IMMEDIATE"):
        enqueue_on(caller, store, new_jobs(1))


def test_a_lock_that_is_kept_for_too_long_is_named(
    store: SqliteStore, caller: sqlite3.Connection
) -> None:
    caller.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="write lock"):
        enqueue_one(store)
    caller.rollback()
    enqueue_one(store)


def test_missing_tables_are_named(tmp_path: Path, store: SqliteStore) -> None:
    with (
        closing(sqlite3.connect(tmp_path / "other.db")) as other,
        pytest.raises(SchemaMismatch, match="leasehold migrate"),
    ):
        enqueue_on(other, store, new_jobs(1))


def test_wrapped_errors_are_looked_into() -> None:
    error = sqlite3.OperationalError("database is locked")
    error.sqlite_errorcode = sqlite3.SQLITE_BUSY
    wrapped = RuntimeError("the framework's own")
    wrapped.__cause__ = error
    assert isinstance(translate(wrapped), StoreBusy)
    stranger = RuntimeError("no database at all")
    assert translate(stranger) is stranger


@pytest.mark.parametrize("field", ["kind", "queue", "tenant", "created_by"])
def test_a_nul_is_refused_and_not_cut_off(store: SqliteStore, field: str) -> None:
    with pytest.raises(BadValue, match="NUL"):
        store.enqueue(new_jobs(1, **{field: "a\0b"}))


def test_what_is_no_json_is_refused(store: SqliteStore) -> None:
    with pytest.raises(BadValue, match="not JSON"):
        store.enqueue(new_jobs(1, args=msgspec.Raw(b'{"a": NaN}')))
    with pytest.raises(BadValue):
        store.enqueue(new_jobs(1, created_by="\ud800"))


@contextmanager
def small_disk(folder: Path) -> Iterator[bool]:
    """Mount 2 MB of memory there; False when this user may not."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(folder)]
    is_mounted = os.geteuid() == 0 and subprocess.run(mount, check=False).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


def limit_pages(store: SqliteStore, pages: int) -> None:
    with store._database.write() as writer:
        writer.execute(f"PRAGMA max_page_count = {pages}")


def fill(store: SqliteStore) -> int:
    """Enqueue until there is no room; returns how many jobs were acknowledged."""
    args = msgspec.Raw(b'{"x":"' + b"y" * 500 + b'"}')
    for number in range(2000):
        try:
            store.enqueue(new_jobs(50, args=args))
        except StoreFull:
            return number * 50
    raise AssertionError("the disk did not fill up")


def test_a_full_disk_is_named_and_loses_no_acknowledged_job(tmp_path: Path) -> None:
    folder = tmp_path / "small"
    folder.mkdir()
    with (
        small_disk(folder) as is_real,
        closing(SqliteStore(f"sqlite:///{folder / 'queue.db'}")) as store,
    ):
        enqueue_one(store)
        if not is_real:
            limit_pages(store, 200)
        acknowledged = 1 + fill(store)
        (counts,) = store.counts()
        assert counts.ready == acknowledged

        if is_real:
            subprocess.run(["mount", "-o", "remount,size=32m", str(folder)], check=True)
        else:
            limit_pages(store, 1_000_000)
        enqueue_one(store)
        assert store.counts()[0].ready == acknowledged + 1
        with store._database.read() as reader:
            assert reader.execute("PRAGMA integrity_check").fetchone() == ("ok",)
