"""An import under kills: its worker is killed again and again, and every line is counted once.

`python -m tests.faults.imported postgres|sqlite` is the long form: 100,000 links, 9 kills.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import ExitStack, closing
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.uploading import start_import
from tests.faults.fleet import Fleet
from tests.faults.target import postgres_target, sqlite_target
from tests.faults.worker_main import WorkerOptions
from tests.links.large import Large

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.faults.target import Target

_LOOK_SECONDS = 0.01
_COUNTED = {
    "folders": "SELECT count(*) AS n FROM links_folder",
    "canonicals": "SELECT count(*) AS n FROM links_canonical",
    "links": "SELECT count(*) AS n FROM links_link",
    "items": "SELECT count(*) AS n FROM links_import_item",
    "uploads": "SELECT count(*) AS n FROM links_upload",
    # A canonical link without its job would never be enriched.
    "enrichments": "SELECT count(*) AS n FROM enrichment_jobs WHERE status = 'queued'",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How large a file, and how often its worker dies."""

    file: Large
    kills: int
    workers: int = 2
    limit_seconds: float = 600.0

    @property
    def expected(self) -> dict[str, int]:
        file = self.file
        return {
            "total": file.lines,
            "imported": file.imported,
            "duplicate": file.duplicate,
            "skipped": file.skipped,
            "failed": 0,
            "folders": file.folders,
            "canonicals": file.imported,
            "links": file.imported,
            "items": file.duplicate + file.skipped,
            "uploads": 0,
            "enrichments": file.imported,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was seen: counts at the end, whether they ever went back, and how long it took."""

    counts: dict[str, int]
    went_back: list[tuple[int, int]]
    kills: int
    seconds: float


def run(target: Target, folder: Path, plan: Plan) -> Result:
    """Import the file; each time it has come a bit further, kill whoever does it."""
    options = WorkerOptions(
        url=target.url, tasks="leasehold_links.tasks", queues=["links-imports"], lease=6.0
    )
    with ExitStack() as opened:
        client = opened.enter_context(lh.Client(target.url))
        database = opened.enter_context(closing(Database(target.url)))
        MIGRATIONS.migrate(client)
        import_id = start_import(client, database, "ada", "large.html", plan.file.chunks())
        began = time.monotonic()
        fleet = opened.enter_context(Fleet(options, folder, plan.workers))
        seen = list(_strike(target, fleet, plan))
        seconds = time.monotonic() - began
        fleet.stop()
        assert client.get(import_id).state == "succeeded", client.get(import_id).error
    return Result(
        counts=_counts(target),
        went_back=[pair for pair in pairwise(seen) if pair[1] < pair[0]],
        kills=len(fleet.ended),
        seconds=round(seconds, 1),
    )


def _strike(target: Target, fleet: Fleet, plan: Plan) -> Iterator[int]:
    """Kill the worker of the import, spread over its lines; yields how far it was at each look."""
    give_up = time.monotonic() + plan.limit_seconds
    marks = [plan.file.lines * number // (plan.kills + 1) for number in range(plan.kills)]
    while True:
        (row,) = target.query("SELECT status, processed_items FROM import_jobs")
        done = int(row["processed_items"])
        yield done
        if row["status"] not in ("queued", "running"):
            return
        if marks and done >= marks[0] and _kill_holder(target, fleet):
            marks.pop(0)
        fleet.tend()
        assert time.monotonic() < give_up, f"{done} lines in {plan.limit_seconds} s"
        time.sleep(_LOOK_SECONDS)


def _kill_holder(target: Target, fleet: Fleet) -> bool:
    holders = target.count_leases()
    found = [member for member in fleet.living if member.name in holders and member.is_alive]
    for member in found:
        fleet.kill(member)
    return bool(found)


def _counts(target: Target) -> dict[str, int]:
    (row,) = target.query("SELECT * FROM links_import")
    names = ("total", "imported", "duplicate", "skipped", "failed")
    counts: dict[str, Any] = {name: row[f"{name}_items"] for name in names}
    return counts | {name: target.query(sql)[0]["n"] for name, sql in _COUNTED.items()}


def main() -> int:
    store = sys.argv[1]
    plan = Plan(file=Large(lines=100_000), kills=9)  # one more and the job is taken for poison
    folder = Path(tempfile.mkdtemp(prefix="leasehold-imported-"))
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        result = run(target, folder, plan)
    print(store, result, flush=True)
    return 0 if result.counts == plan.expected and not result.went_back else 1


if __name__ == "__main__":
    sys.exit(main())
