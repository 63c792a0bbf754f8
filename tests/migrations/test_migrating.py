"""Migrating: once, however many start at once, beside an application's own tables."""

from __future__ import annotations

import contextlib
import json
import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

from leasehold.store import open_store
from tests.conformance.kit import enqueue_one, look, settle, start_one

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

PROCESSES = 6
CHILD = """
import json, sys
from leasehold.store import open_store
store = open_store(sys.argv[1])
print("ready", flush=True)
sys.stdin.readline()
ran = store.migrate()
store.check_schema()
store.close()
print(json.dumps(ran))
"""


def start_child(url: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", CHILD, url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def migrate_in_processes(url: str) -> list[str]:
    """Start them, let all go at once, and return the names of everything that any of them ran."""
    with contextlib.ExitStack() as stack:
        children = [stack.enter_context(start_child(url)) for _ in range(PROCESSES)]
        for child in children:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
        for child in children:
            assert child.stdin is not None
            child.stdin.write("go\n")
            child.stdin.flush()
        ran: list[str] = []
        for child in children:
            out, err = child.communicate(timeout=60)
            assert child.returncode == 0, err
            ran += json.loads(out)
    return ran


def test_several_processes_migrate_at_once_and_each_step_runs_once(
    application: Tables, fresh_url: str
) -> None:
    ran = migrate_in_processes(fresh_url)

    with contextlib.closing(open_store(fresh_url)) as store:
        status = store.schema()
        assert (status.version, status.pending) == (status.code_version, ())
    assert len(ran) > 0
    assert set(Counter(ran).values()) == {1}


def test_several_processes_open_an_empty_database_at_once(fresh_url: str) -> None:
    ran = migrate_in_processes(fresh_url)

    assert set(Counter(ran).values()) <= {1}
    with contextlib.closing(open_store(fresh_url)) as store:
        assert settle(store, start_one(store), "succeeded") == "settled"


def test_what_is_pending_is_told_and_then_run_in_order(application: Tables, fresh_url: str) -> None:
    with contextlib.closing(open_store(fresh_url)) as store:
        before = store.schema()
        assert before.version == 0
        assert before.pending == tuple(sorted(before.pending))
        assert before.pending[-1].startswith(f"{before.code_version:04}_")

        assert store.migrate() == before.pending
        assert store.schema().pending == ()


def test_migrating_twice_is_migrating_once(store: Store) -> None:
    job_id = enqueue_one(store)

    assert store.migrate() == ()
    assert look(store, job_id).id == job_id


def test_an_applications_own_tables_are_left_alone(application: Tables, fresh_url: str) -> None:
    with contextlib.closing(open_store(fresh_url)) as store:
        store.migrate()
        enqueue_one(store)

    assert application.execute("SELECT n FROM invoice") == [{"n": 7}]
