"""Many processes on one file: writers, forks, and a writer that stands still."""

from __future__ import annotations

import os
import signal
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from leasehold.errors import StoreBusy, StoreRefused
from leasehold.store.sqlite.flock import FileLock
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import (
    WORKER,
    claim,
    end_program,
    enqueue_one,
    new_jobs,
    path_of,
    read_line,
    start_program,
    success,
    wait_until,
)

WRITERS = 8
ROUNDS = 40


def in_child(body: object) -> int:
    """Fork, run the callable in the child, and return the child's exit code."""
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            body()  # type: ignore[operator]
            code = 0
        except StoreRefused:
            code = 3
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def test_eight_writing_processes_never_find_the_file_locked(sqlite_url: str) -> None:
    body = f"""
print('here', flush=True)
sys.stdin.readline()
store = SqliteStore(url)
worker = WorkerId(int(sys.argv[2]))
longest = 0.0
settled = 0
for _ in range({ROUNDS}):
    started = time.monotonic()
    store.enqueue(new_jobs(5))
    longest = max(longest, time.monotonic() - started)
    settled += finish(store, claim(store, 5, worker), worker).count(Answer.SETTLED)
store.close()
print(longest, settled)
"""
    programs = [start_program(body, sqlite_url, str(number)) for number in range(WRITERS)]
    for program in programs:
        read_line(program)
    for program in programs:
        assert program.stdin is not None
        program.stdin.write("go\n")
        program.stdin.flush()
    reports = [end_program(program).split() for program in programs]

    with closing(SqliteStore(sqlite_url)) as store:
        left = sum(counts.ready for counts in store.counts())
    assert left + sum(int(settled) for _, settled in reports) == WRITERS * ROUNDS * 5
    assert max(float(longest) for longest, _ in reports) < 5.0, "a writer starved"


def test_a_forked_child_and_its_parent_both_go_on(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)

        def work() -> None:
            enqueue_one(store)
            assert len(claim(store)) == 2

        assert in_child(work) == 0
        assert store.counts()[0].running == 2
        enqueue_one(store)


@pytest.mark.skipif(not Path("/proc/locks").exists(), reason="Linux shows who holds which lock")
def test_a_forked_child_takes_locks_of_its_own(sqlite_url: str) -> None:
    """Without them the parent's last close would delete the log under the child."""
    store = SqliteStore(sqlite_url)
    enqueue_one(store)
    store.get(new_jobs(1)[0].id)
    inode = f":{path_of(sqlite_url).stat().st_ino}"

    def look() -> None:
        with store._database.read() as reader:
            reader.execute("SELECT count(*) FROM leasehold_job").fetchone()
            held = [line.split() for line in Path("/proc/locks").read_text().splitlines()]
            assert any(words[4] == str(os.getpid()) and words[5].endswith(inode) for words in held)

    assert in_child(look) == 0
    store.close()


def test_the_parents_close_does_not_take_the_childs_writes(sqlite_url: str) -> None:
    store = SqliteStore(sqlite_url)
    enqueue_one(store)
    hear, speak = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(speak)
        enqueue_one(store)
        os.read(hear, 1)  # until the parent has closed
        enqueue_one(store)
        os._exit(0)
    os.close(hear)
    wait_until(lambda: store.counts()[0].ready == 2, "the child has written")
    store.close()
    os.close(speak)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    with closing(SqliteStore(sqlite_url)) as again:
        assert again.counts()[0].ready == 3


def test_a_child_forked_amid_a_transaction_is_refused(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        enqueue_one(store)
        (taken,) = claim(store)
        with store.transaction(WORKER, lambda: success(taken), lease_seconds=60):
            assert in_child(lambda: enqueue_one(store)) == 3
        assert store.history(taken.job_id)[0].outcome == "succeeded"


def test_a_writer_that_stands_still_makes_others_busy_and_not_hang(sqlite_url: str) -> None:
    body = """
store = SqliteStore(url)
with store._database.write():
    print('inside', flush=True)
    sys.stdin.readline()
store.close()
"""
    with closing(SqliteStore(sqlite_url, busy_seconds=0.3)) as store:
        enqueue_one(store)
        holder = start_program(body, sqlite_url)
        read_line(holder)
        os.kill(holder.pid, signal.SIGSTOP)
        for _ in range(2):
            with pytest.raises(StoreBusy, match="another process"):
                enqueue_one(store)
        assert len(store.counts()) == 1  # readers wait for nobody
        waiting = [one for one in threading.enumerate() if one.name == "leasehold-flock"]
        assert len(waiting) == 1
        os.kill(holder.pid, signal.SIGCONT)
        assert holder.stdin is not None
        holder.stdin.write("go\n")
        end_program(holder)
        wait_until(lambda: not waiting[0].is_alive(), "the lock came to the one who waited")
        enqueue_one(store)


def test_a_lock_that_came_too_late_is_given_back(tmp_path: Path) -> None:
    first, second = (FileLock(str(tmp_path / "lock")) for _ in range(2))
    assert first.acquire(0)
    assert not second.acquire(0.01)
    first.release()

    def is_free() -> bool:
        is_taken = first.acquire(0)
        first.release()
        return is_taken

    wait_until(is_free, "the late one has given it back")
    assert second.acquire(1)
    second.release()
    first.close()
    second.close()


def test_threads_of_one_process_share_the_writer(sqlite_url: str) -> None:
    with closing(SqliteStore(sqlite_url)) as store:
        threads = [
            threading.Thread(target=lambda: [store.enqueue(new_jobs(2)) for _ in range(20)])
            for _ in range(6)
        ]
        started = time.monotonic()
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert time.monotonic() - started < 20
        assert store.counts()[0].ready == 6 * 20 * 2
