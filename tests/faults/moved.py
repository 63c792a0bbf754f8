"""A queue with some of everything moves while its mover is killed: nothing is lost or doubled.

`python -m tests.faults.moved` is the long form, in both directions; it prints its figures.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from leasehold.model.ids import JobId
from leasehold.store import open_store
from leasehold.store.moving_tables import TABLES, hash_rows, key_of
from tests.conformance.tables import open_tables
from tests.faults.waiting import wait_for
from tests.moving import everything, fill, ids_by_table
from tests.postgres_binaries import find_binaries
from tests.postgres_server import PostgresServer

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ROOT = Path(__file__).parents[2]
PATIENCE_SECONDS = 600.0
SAMPLE = 400


@dataclass(slots=True)
class Figures:
    """What was moved, and how long it took."""

    jobs: int
    rows: int = 0
    kills: int = 0
    seconds: float = 0.0
    taken_back: int = 0
    states: dict[str, int] = field(default_factory=dict)


class Kills:
    """Starts movers and kills them once so many rows have arrived."""

    def __init__(self, command: list[str], target_url: str) -> None:
        self._command = command
        self._target_url = target_url
        self.count = 0

    def kill_after(self, rows: int) -> None:
        mover = self._start()
        try:
            with contextlib.closing(open_store(self._target_url)) as target:
                wait_for(
                    f"{rows} rows moved",
                    lambda: mover.poll() is not None or count_loaded(target) >= rows,
                    PATIENCE_SECONDS,
                )
            assert mover.poll() is None, "it ended before it could be killed"
        finally:
            mover.kill()
            mover.wait()
        self.count += 1

    def finish(self) -> None:
        mover = self._start()
        assert mover.wait(PATIENCE_SECONDS) == 0

    def _start(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._command, cwd=ROOT, stdout=subprocess.DEVNULL)


def count_loaded(target: Store) -> int:
    """Count the rows that have arrived, as the move itself has written down."""
    if target.schema().pending:
        return 0
    return sum(target.loaded(table.name).count for table in TABLES)


def check_moved(
    source: Store, target: Store, before: dict[str, list[str]], tables: tuple[Tables, Tables]
) -> int:
    """Compare both sides, and the target with what the source was; returns the rows."""
    here, there = (ids_by_table(each) for each in tables)
    assert there == here
    assert there["job"] == before["job"]
    ended = set(before["live"]) - set(there["live"])
    assert all(each in before["job"] for each in ended)  # those that were being cancelled
    step = max(1, len(here["job"]) // SAMPLE)
    sample = [JobId(UUID(each)) for each in here["job"][::step]]
    assert everything(target, sample) == everything(source, sample)
    return sum(_compare(source, target, table.name) for table in TABLES)


def _compare(source: Store, target: Store, name: str) -> int:
    table = next(each for each in TABLES if each.name == name)
    sums = []
    for store in (source, target):
        hashes: list[int] = []
        after = None
        while page := store.dump(name, after, limit=5_000):
            hashes += hash_rows(table, page)
            after = key_of(table, page[-1])
        sums.append(sorted(hashes))
    assert sums[0] == sums[1], name
    return len(sums[0])


def run(
    source_url: str, target_url: str, *, jobs: int, command: list[str], kill_at: tuple[float, ...]
) -> Figures:
    """Fill the source, move it with kills at these parts of the way, and compare."""
    figures = Figures(jobs)
    with contextlib.closing(open_store(source_url)) as source:
        source.migrate()
        fill(source, jobs)
        with open_tables(source_url) as tables:
            before = ids_by_table(tables)
            total = sum(source.count_rows(table.name) for table in TABLES)
            kills = Kills(command, target_url)
            began = time.monotonic()
            for part in kill_at:
                kills.kill_after(int(total * part))
            kills.finish()
            figures.seconds = time.monotonic() - began
            with (
                contextlib.closing(open_store(target_url)) as target,
                open_tables(target_url) as arrived,
            ):
                figures.rows = check_moved(source, target, before, (tables, arrived))
                target.check_schema()
        mark = source.move_mark()
        assert mark is not None
        assert mark.is_over
        figures.taken_back, figures.kills = mark.taken_back, kills.count
    return figures


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--jobs", type=int, default=200_000)
    given = parser.parse_args()
    with (
        tempfile.TemporaryDirectory(prefix="leasehold-move-") as folder,
        PostgresServer(binaries=find_binaries()) as server,
    ):
        sides = {
            "SQLite to PostgreSQL": (f"sqlite:///{folder}/a.db", server.create_database()),
            "PostgreSQL to SQLite": (server.create_database(), f"sqlite:///{folder}/b.db"),
        }
        for name, (source_url, target_url) in sides.items():
            command = [sys.executable, "-m", "leasehold.cli", "move", source_url, target_url]
            figures = run(
                source_url, target_url, jobs=given.jobs, command=command, kill_at=(0.25, 0.6)
            )
            print(f"{name}: {figures}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
