"""Where a file may be, and what opening it does."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from leasehold.errors import BadOption, StoreRefused
from leasehold.store.sqlite import location
from leasehold.store.sqlite.location import NETWORK_FILESYSTEMS
from leasehold.store.sqlite.store import SqliteStore
from leasehold.store.sqlite.wal import SYNCS_APART
from tests.unit.sqlite_kit import claim, end_program, enqueue_one, path_of, start_program


@pytest.mark.parametrize("url", ["sqlite:///:memory:", "sqlite:///", "sqlite:///file::memory:"])
def test_a_database_in_memory_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused, match="needs a file"):
        SqliteStore(url)


@pytest.mark.parametrize("url", ["sqlite://x.db", "postgresql://x", "sqlite:///x.db?mode=ro"])
def test_a_url_that_can_not_be_meant_is_refused(url: str) -> None:
    with pytest.raises(BadOption):
        SqliteStore(url)


@pytest.mark.parametrize("magic", NETWORK_FILESYSTEMS)
def test_a_network_file_system_is_refused_before_a_file_is_made(
    sqlite_url: str, magic: int
) -> None:
    store = SqliteStore(sqlite_url, read_magic=lambda _folder: magic)
    with pytest.raises(StoreRefused, match="network file system"):
        enqueue_one(store)
    assert not path_of(sqlite_url).exists()


def test_this_machines_own_file_system_is_named(tmp_path: Path) -> None:
    found = location.parse(f"sqlite:///{tmp_path / 'x.db'}")
    assert location.name_filesystem(found, lambda _folder: 0xEF53) == "ext4"
    assert location.name_filesystem(found, lambda _folder: 0x1234) == "0x1234"
    location.check(found, location.read_magic)


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    store = SqliteStore(f"sqlite:///{tmp_path / 'nowhere' / 'x.db'}")
    with pytest.raises(StoreRefused, match="nowhere does not exist"):
        enqueue_one(store)


def test_a_file_that_is_no_database_is_refused(sqlite_url: str) -> None:
    path_of(sqlite_url).write_text("a letter, not a database " * 100)
    with closing(SqliteStore(sqlite_url)) as store, pytest.raises(StoreRefused):
        enqueue_one(store)


def test_a_new_file_gets_its_tables_when_first_used(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        assert not path_of(sqlite_url).exists()
        enqueue_one(store)
        store.check_schema()


def test_asking_for_the_schema_makes_no_tables(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        assert store.schema().version == 0
        assert store.schema().pending == store.migrate()
        assert store.schema().pending == ()


def test_an_applications_own_file_gets_our_tables_beside_its_own(sqlite_url: str) -> None:
    with closing(sqlite3.connect(path_of(sqlite_url))) as application:
        application.execute("CREATE TABLE account (id INTEGER)")
        with closing(SqliteStore(sqlite_url)) as store:
            enqueue_one(store)
            store.check_schema()
        assert application.execute("SELECT count(*) FROM account").fetchone() == (0,)


def test_every_connection_is_durable_and_checkpoints_nothing_by_itself(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)
        with store._database.read() as reader, store._database.write() as writer:
            for connection in (reader, writer):
                connection.execute("SELECT 1 FROM sqlite_master").fetchone()
                assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)
                synchronous = 1 if connection is writer and SYNCS_APART else 2  # NORMAL, FULL
                assert connection.execute("PRAGMA synchronous").fetchone() == (synchronous,)
                assert connection.execute("PRAGMA wal_autocheckpoint").fetchone() == (0,)


def test_a_reading_connection_can_not_write(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)
        with store._database.read() as reader, pytest.raises(sqlite3.OperationalError):
            reader.execute("DELETE FROM leasehold_job")


def test_a_symbolic_link_leads_to_the_same_lock(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link.db").symlink_to(tmp_path / "real" / "queue.db")
    linked = location.parse(f"sqlite:///{tmp_path / 'link.db'}")
    real = location.parse(f"sqlite:///{tmp_path / 'real' / 'queue.db'}")
    assert linked == real


def test_closing_twice_is_safe_and_a_closed_store_opens_again(sqlite_url: str) -> None:
    store = SqliteStore(sqlite_url)
    enqueue_one(store)
    store.close()
    store.close()
    assert not Path(f"{path_of(sqlite_url)}-wal").exists()
    assert len(claim(store)) == 1
    store.close()


def test_closing_a_dedicated_store_leaves_the_other_open(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)
        twin = store.dedicated()
        store.skew_seconds = 5
        assert twin.skew_seconds == 5
        twin.close()
        assert store._database._writer is not None


def test_it_works_without_flock_and_inotify(sqlite_url: str) -> None:
    """As on Windows."""
    body = """
assert sqlite.flock.fcntl is None
sys.platform = 'win32'
store = SqliteStore(url)
waker = store.waker(frozenset({'default'}))
assert waker.is_polling_only
enqueue_one(store)
store.notify({"default": 1})
assert waker.wait(10)
assert len(claim(store)) == 1
store.close()
"""
    imports = "from leasehold.store import sqlite\n"
    before = "sys.modules['fcntl'] = None\n"
    end_program(start_program(imports + body, sqlite_url, before=before))
