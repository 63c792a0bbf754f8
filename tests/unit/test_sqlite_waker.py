"""Idle workers are woken at once, and not by what does not concern them."""

from __future__ import annotations

import signal
import threading
import time
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING

from leasehold.store.sqlite import inotify, waker
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import (
    claim,
    end_program,
    enqueue_one,
    read_line,
    start_program,
    wait_until,
)

if TYPE_CHECKING:
    import pytest

QUEUES = frozenset({"default"})
POLL_SECONDS = 20.0


def test_a_job_of_another_process_wakes_well_before_the_poll(sqlite_url: str) -> None:
    body = """
store = SqliteStore(url)
store.counts()
print('here', flush=True)
sys.stdin.readline()
print(time.monotonic(), flush=True)
enqueue_one(store)
sys.stdin.readline()
store.close()
"""
    with closing(SqliteStore(sqlite_url)) as store:
        store.counts()
        with closing(store.waker(QUEUES)) as idle:
            assert not idle.is_polling_only
            program = start_program(body, sqlite_url)
            read_line(program)
            idle.wait(0)
            assert program.stdin is not None
            program.stdin.write("go\n")
            program.stdin.flush()
            said_at = float(read_line(program))
            assert idle.wait(POLL_SECONDS)
            assert time.monotonic() - said_at < 2.0
            wait_until(lambda: len(claim(store)) == 1, "the job is claimed")
        end_program(program)


def test_a_notice_of_the_same_store_pokes_even_without_inotify(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waker, "open_watch", lambda _log, _bell: None)
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        assert idle.is_polling_only
        store.notify({"default": 1})
        assert idle.wait(POLL_SECONDS)
        assert not idle.wait(0)
        store.notify({"other": 1})
        assert not idle.wait(0)


def test_a_write_that_there_was_no_allowance_for_wakes_the_next_wait(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else a job that came just then would be found by the next poll."""
    monkeypatch.setattr(waker, "_WAKES_AT_ONCE", 1.0)
    monkeypatch.setattr(waker, "_WAKES_PER_SECOND", 1.0)
    with (
        closing(SqliteStore(sqlite_url)) as store,
        closing(SqliteStore(sqlite_url)) as other,
        closing(store.waker(QUEUES)) as idle,
    ):
        other.counts()
        wait_until(lambda: not idle.wait(1.2), "it falls silent")
        enqueue_one(other)
        assert idle.wait(POLL_SECONDS)
        enqueue_one(other)
        assert not idle.wait(0.01)
        assert idle.wait(POLL_SECONDS)


def test_a_poke_before_the_wait_is_not_lost(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        idle.poke()
        idle.poke()
        assert idle.wait(POLL_SECONDS)
        assert not idle.wait(0)


def test_a_poke_from_another_thread_ends_the_wait(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        timer = threading.Timer(0.05, idle.poke)
        timer.start()
        assert idle.wait(POLL_SECONDS)
        timer.join()


def test_a_poke_from_a_signal_handler_ends_the_wait(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        before = signal.signal(signal.SIGALRM, lambda _number, _frame: idle.poke())
        try:
            signal.setitimer(signal.ITIMER_REAL, 0.05)
            assert idle.wait(POLL_SECONDS)
        finally:
            signal.signal(signal.SIGALRM, before)


def test_other_files_of_the_folder_wake_nobody(sqlite_url: str, tmp_path: Path) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        store.counts()
        idle.wait(0)
        (tmp_path / "application.log").write_text("a line")
        assert not idle.wait(0.02)


def test_a_write_that_came_before_the_look_does_not_wake_again(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        enqueue_one(store)
        assert idle.wait(POLL_SECONDS)
        assert not idle.wait(0.03)


def test_a_notice_of_another_store_wakes_without_any_write(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(SqliteStore(sqlite_url)) as neighbour:
        store.counts()
        with closing(store.waker(QUEUES)) as idle:
            idle.wait(0)
            neighbour.notify({"default": 1})
            assert idle.wait(POLL_SECONDS)
            assert not idle.wait(0)


def test_whoever_finds_work_stays_all_ears(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waker, "_WAKES_PER_SECOND", 0.001)
    with closing(SqliteStore(sqlite_url)) as store, closing(store.waker(QUEUES)) as idle:
        for _ in range(30):
            enqueue_one(store)
            assert idle.wait(POLL_SECONDS)
            claim(store)


def test_whoever_is_woken_in_vain_listens_less_and_less(
    sqlite_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(waker, "_WAKES_PER_SECOND", 0.001)
    with closing(SqliteStore(sqlite_url)) as store, closing(SqliteStore(sqlite_url)) as neighbour:
        store.counts()
        with closing(store.waker(QUEUES)) as idle:
            wakes = 0
            for _ in range(30):
                enqueue_one(neighbour)
                wakes += idle.wait(0.01) is not None
            assert wakes == 10
            idle.poke()
            assert idle.wait(POLL_SECONDS)


def test_a_busy_neighbour_wakes_a_few_times_and_then_once_in_ten_milliseconds(
    sqlite_url: str,
) -> None:
    with closing(SqliteStore(sqlite_url)) as store, closing(SqliteStore(sqlite_url)) as neighbour:
        store.counts()
        with closing(store.waker(QUEUES)) as idle:
            is_over = threading.Event()

            def write() -> None:
                while not is_over.is_set():
                    enqueue_one(neighbour)

            thread = threading.Thread(target=write)
            thread.start()
            started = time.monotonic()
            wakes = sum(idle.wait(POLL_SECONDS) is not None for _ in range(20))
            elapsed = time.monotonic() - started
            is_over.set()
            thread.join()
        assert wakes == 20
        assert elapsed >= 9 * 0.010


def test_a_closed_waker_is_poked_in_vain(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        idle = store.waker(QUEUES)
        idle.close()
        idle.close()
        idle.poke()
        enqueue_one(store)
        assert not idle.wait(POLL_SECONDS)


def test_without_watches_left_a_folder_is_polled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log, bell = str(tmp_path / "q.db-wal"), str(tmp_path / "q.db-lock")
    assert inotify.open_watch(str(tmp_path / "nowhere" / "q.db-wal"), bell) is None
    monkeypatch.setattr("sys.platform", "darwin")
    assert inotify.open_watch(log, bell) is None
