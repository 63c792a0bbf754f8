"""Jobs, claims and real processes for the tests of what is special to SQLite."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from leasehold.model.ids import JobId, WorkerId, uuid7
from leasehold.model.values import Claim, NewJob, Settlement, Want
from leasehold.store.base import Answer
from leasehold.store.sqlite.store import SqliteStore

WORKER = WorkerId(7)
PATIENCE_SECONDS = 30.0

_PRELUDE = "from tests.unit.sqlite_kit import *\nurl = sys.argv[1]\n"


def new_jobs(count: int, **options: Any) -> list[NewJob]:
    fields: dict[str, Any] = {"kind": "greet", "args": msgspec.Raw(b'{"name":"Ada"}')} | options
    return [
        NewJob(id=uuid7(time.time_ns() // 1_000_000, os.urandom(10)), **fields)
        for _ in range(count)
    ]


def enqueue_one(store: SqliteStore, **options: Any) -> JobId:
    (job,) = new_jobs(1, **options)
    store.enqueue([job])
    return job.id


def claim(store: SqliteStore, limit: int = 100, worker: WorkerId = WORKER) -> list[Claim]:
    wants = [Want("default", limit)]
    return store.claim(worker, wants, limit=limit, leases={"greet": 60.0})


def success(taken: Claim) -> Settlement:
    return Settlement(job_id=taken.job_id, fence=taken.fence, outcome="succeeded")


def finish(store: SqliteStore, taken: Sequence[Claim], worker: WorkerId = WORKER) -> list[Answer]:
    return store.finish(worker, [success(one) for one in taken])


def path_of(url: str) -> Path:
    return Path(url.removeprefix("sqlite:///"))


def wait_until(condition: Callable[[], bool], what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        assert time.monotonic() < deadline, f"waited in vain until {what}"
        time.sleep(0.002)


def start_program(body: str, url: str, *arguments: str, before: str = "") -> subprocess.Popen[str]:
    """Run Python code in a process of its own; it finds this module's names and `url`.

    `before` runs ahead of every import but that of `sys`.
    """
    return subprocess.Popen(
        [sys.executable, "-c", f"import sys\n{before}{_PRELUDE}{body}", url, *arguments],
        cwd=Path(__file__).parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def read_line(program: subprocess.Popen[str]) -> str:
    """Wait for the program to say something."""
    assert program.stdout is not None
    line = program.stdout.readline().strip()
    if not line:
        raise AssertionError(f"the program ended: {program.communicate()[1]}")
    return line


def end_program(program: subprocess.Popen[str]) -> str:
    """Let the program end and return what it printed; its failure is the test's."""
    printed, complained = program.communicate(timeout=PATIENCE_SECONDS)
    assert program.returncode == 0, complained
    return printed.strip()
