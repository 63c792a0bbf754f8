"""The write-ahead log stays small, and an idle worker does not write to it."""

from __future__ import annotations

import gc
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from leasehold.model.ids import Fence
from leasehold.model.values import Held, Want
from leasehold.store.sqlite.checks import check_library
from leasehold.store.sqlite.database import _WAL_KEPT_BYTES
from leasehold.store.sqlite.store import SqliteStore
from leasehold.store.sqlite.wal import LONG_BYTES
from tests.unit.sqlite_kit import WORKER, claim, enqueue_one, finish, new_jobs, path_of


@pytest.fixture
def wal(sqlite_url: str) -> Path:
    return Path(f"{path_of(sqlite_url)}-wal")


def test_the_log_is_bounded_after_fifty_thousand_jobs(sqlite_url: str, wal: Path) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        largest = 0
        for _ in range(50):
            store.enqueue(new_jobs(1000))
            finish(store, claim(store, 1000))
            largest = max(largest, wal.stat().st_size)
        assert largest < 3 * LONG_BYTES
        assert store.counts() == []


def test_large_jobs_are_measured_by_their_size(sqlite_url: str, wal: Path) -> None:
    args = b'{"text":"' + b"x" * 200_000 + b'"}'
    with closing(SqliteStore(sqlite_url)) as store:
        for _ in range(60):
            store.enqueue(new_jobs(5, args=args))
        assert wal.stat().st_size < 3 * LONG_BYTES


def test_a_long_reader_is_reported_and_the_log_shrinks_after_it(sqlite_url: str, wal: Path) -> None:
    args = b'{"text":"' + b"x" * 200_000 + b'"}'
    with (
        closing(SqliteStore(sqlite_url)) as store,
        closing(sqlite3.connect(path_of(sqlite_url), isolation_level=None)) as reader,
    ):
        enqueue_one(store)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM leasehold_job").fetchone()
        for _ in range(40):
            store.enqueue(new_jobs(5, args=args))
        assert wal.stat().st_size > _WAL_KEPT_BYTES
        (found,) = [finding for finding in store.examine() if finding.topic == "log"]
        assert found.level == "warning"
        assert "read transaction" in found.message
        reader.execute("ROLLBACK")
        (found,) = [finding for finding in store.examine() if finding.topic == "log"]
        assert found.level == "ok"
        enqueue_one(store)
        assert wal.stat().st_size <= _WAL_KEPT_BYTES


def test_tending_checkpoints_what_is_left(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        store.enqueue(new_jobs(3000))
        before = path_of(sqlite_url).stat().st_size
        store.tend()
        assert path_of(sqlite_url).stat().st_size > before


def test_a_foreign_write_transaction_only_postpones_the_checkpoint(sqlite_url: str) -> None:
    with (
        closing(SqliteStore(sqlite_url)) as store,
        closing(sqlite3.connect(path_of(sqlite_url), isolation_level=None)) as foreign,
    ):
        store.enqueue(new_jobs(3000))
        foreign.execute("BEGIN IMMEDIATE")
        store.tend()
        foreign.execute("ROLLBACK")
        enqueue_one(store)


def test_idle_operations_write_nothing(sqlite_url: str, wal: Path) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        (job,) = new_jobs(1, delay_seconds=3600.0)
        store.enqueue([job])
        before = (wal.stat().st_size, wal.read_bytes())
        assert claim(store) == []
        assert store.claim_parked(WORKER, [Want("default", 5)], limit=5, leases={"greet": 1}) == []
        assert store.promote(limit=10).count == 0
        assert store.lapsed(limit=10) == []
        assert store.reclaim([]) == {}
        assert store.release_unknown(WORKER, []) == 0
        assert store.cancel_requests([Held(job.id, Fence(1), 60.0)]) == frozenset()
        store.tend()
        assert (wal.stat().st_size, wal.read_bytes()) == before


def test_a_store_used_after_its_close_leaves_no_file_open(sqlite_url: str) -> None:
    path = path_of(sqlite_url)
    used = {f"{path}{end}" for end in ("", "-wal", "-lock")}
    store = SqliteStore(sqlite_url)
    store.close()
    enqueue_one(store)  # as a handler does that was left to itself
    assert used <= open_files()
    del store
    gc.collect()
    assert not used & open_files()


def open_files() -> set[str]:
    found = Path("/proc/self/fd").iterdir()
    return {str(each.readlink()) for each in found if each.is_symlink()}


def test_a_healthy_file_has_no_complaints(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)
        found = {finding.topic: finding.level for finding in store.examine()}
    assert set(found) == {"version", "disk", "durability", "log", "integrity", "wake-up"}
    assert set(found.values()) <= {"ok", "warning"}
    assert found["durability"] == found["integrity"] == found["log"] == "ok"


def test_doctor_tells_how_the_reset_bug_is_avoided() -> None:
    assert "WAL-reset bug" in check_library((3, 40, 1)).message
    assert "WAL-reset bug" not in check_library((3, 51, 3)).message


def test_doctor_names_what_makes_a_file_unusable(tmp_path: Path) -> None:
    store = SqliteStore(f"sqlite:///{tmp_path / 'nowhere' / 'x.db'}")
    assert "problem" in {finding.level for finding in store.examine()}
