"""What was answered survives a power cut, and nobody waits for another one's disk."""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import threading
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from leasehold.errors import StoreUnavailable
from leasehold.model.states import State
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import PATIENCE_SECONDS, claim, enqueue_one, finish, path_of

_fdatasync = os.fdatasync


@pytest.fixture
def store(sqlite_url: str) -> Iterator[SqliteStore]:
    with closing(SqliteStore(sqlite_url)) as opened:
        opened.check_schema()
        yield opened


class Disk:
    """What a power cut would leave: the files as they were when the disk was last waited for."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path = path
        self._folder = folder
        self.syncs = 0

    def sync(self, descriptor: int) -> None:
        _fdatasync(descriptor)
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        for suffix in ("", "-wal"):
            source = Path(f"{self._path}{suffix}")
            shutil.copy(source, self._folder / source.name)
        self.syncs += 1

    def state(self, job: object) -> State | None:
        """Say how a job stands on the machine that was switched off."""
        copied = self._folder / "after"
        shutil.rmtree(copied, ignore_errors=True)
        copied.mkdir()
        for file in self._folder.glob(f"{self._path.name}*"):
            shutil.copy(file, copied)
        with closing(SqliteStore(f"sqlite:///{copied / self._path.name}")) as store:
            with store._database.read() as connection:
                assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            found = store.get(job)  # type: ignore[arg-type]  # a job id
            return None if found is None else found.state


@pytest.fixture
def disk(
    store: SqliteStore, sqlite_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Disk:
    disk = Disk(Path(path_of(sqlite_url)), tmp_path / "disk")
    monkeypatch.setattr(os, "fdatasync", disk.sync)
    return disk


def test_what_was_answered_survives_a_power_cut(store: SqliteStore, disk: Disk) -> None:
    for _ in range(3):
        job = enqueue_one(store)
        assert disk.state(job) is State.QUEUED
        (taken,) = claim(store)
        assert disk.state(job) is State.RUNNING
        finish(store, [taken])
        assert disk.state(job) is State.SUCCEEDED
    assert disk.syncs == 9


def test_a_log_that_was_begun_anew_is_waited_for_as_well(store: SqliteStore, disk: Disk) -> None:
    for _ in range(3):
        found = store._database.checkpoint()
        assert found.copied == found.frames
        assert disk.state(enqueue_one(store)) is State.QUEUED


class Stuck:
    """A disk that keeps the first who waits for it."""

    def __init__(self) -> None:
        self.has_come = threading.Event()
        self.may_go = threading.Event()

    def sync(self, descriptor: int) -> None:
        if not self.has_come.is_set():
            self.has_come.set()
            assert self.may_go.wait(PATIENCE_SECONDS)
        _fdatasync(descriptor)


def test_others_write_while_one_waits_for_the_disk(
    store: SqliteStore, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    stuck = Stuck()
    monkeypatch.setattr(os, "fdatasync", stuck.sync)
    first = threading.Thread(target=enqueue_one, args=[store])
    first.start()
    assert stuck.has_come.wait(PATIENCE_SECONDS)
    with closing(SqliteStore(sqlite_url)) as another:  # as in another process: it has its own gate
        job = enqueue_one(another)
        assert len(claim(another)) == 2
    found = store.get(job)
    assert found is not None
    assert found.state is State.RUNNING
    assert first.is_alive()  # it has no answer yet
    stuck.may_go.set()
    first.join(PATIENCE_SECONDS)
    assert not first.is_alive()


def fail_once(monkeypatch: pytest.MonkeyPatch, name: str, code: int) -> None:
    """Let the next call of a function of `os` fail."""
    works: Callable[[int], object] = getattr(os, name)
    left = [OSError(code, os.strerror(code))]

    def call(descriptor: int) -> object:
        if left:
            raise left.pop()
        return works(descriptor)

    monkeypatch.setattr(os, name, call)


@pytest.mark.parametrize(("name", "code"), [("fdatasync", errno.EIO), ("dup", errno.EMFILE)])
def test_what_the_disk_refused_is_answered_once_it_is_in_the_database(
    store: SqliteStore, sqlite_url: str, monkeypatch: pytest.MonkeyPatch, name: str, code: int
) -> None:
    enqueued = enqueue_one(store)
    fail_once(monkeypatch, name, code)
    job = enqueue_one(store)
    alone = f"file:{path_of(sqlite_url)}?immutable=1"  # without the log
    with closing(sqlite3.connect(alone, uri=True)) as database:
        stored = {row[0] for row in database.execute("SELECT id FROM leasehold_job")}
    assert stored == {str(enqueued), str(job)}


def test_after_a_refusal_nothing_is_answered_until_the_log_is_in_the_database(
    store: SqliteStore, sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    fail_once(monkeypatch, "fdatasync", errno.EIO)
    with closing(sqlite3.connect(path_of(sqlite_url), isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM leasehold_job").fetchone()
        for _ in range(2):  # the second time the disk takes it, but not what was before
            with pytest.raises(StoreUnavailable, match="did not take"):
                enqueue_one(store)
        reader.execute("ROLLBACK")
    enqueue_one(store)
    assert len(claim(store)) == 3
