"""A sync under kills: two workers compete, one after the other is killed, and nothing is lost.

`python -m tests.faults.synced sqlite|postgres` is the long form: 100,000 customers, 20 kills at
random; then some customers vanish, and the next sync is killed, too. The source counts its pages.
"""

from __future__ import annotations

import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch
from uuid import UUID

import leasehold as lh
from leasehold.kit.data import Database, close_databases, database_of
from leasehold_sync import apps, syncing
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.model.apps import App
from leasehold_sync.servers import ServerProcess
from tests.faults.fleet import Fleet
from tests.faults.target import Target, postgres_target, sqlite_target
from tests.faults.worker_main import WorkerOptions
from tests.sync.kit import counts, kept

PAGE = 100
_LOOK_SECONDS = 0.01
_KEY = "SYNC_FAULTS_KEY"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much there is, how often workers die, and what vanishes before the second sync."""

    customers: int
    kills: int
    more_kills: int
    vanished: int
    silence_seconds: float = 1.5
    limit_seconds: float = 900.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Pass:
    """One sync: what it counted, how many pages were asked for more than once, what was killed."""

    status: str
    counts: tuple[int, int, int, int]  # created, updated, unchanged, deleted
    refetched: int
    killed_readers: int  # … of all kills those that struck the worker that read
    kills: int
    seconds: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """Both syncs, and whether exactly what the source has is there."""

    first: Pass
    second: Pass
    lost: int
    too_many: int


class Campaign:
    """A source, an app, and workers that are killed."""

    def __init__(self, target: Target, folder: Path, plan: Plan, seed: int) -> None:
        self._target = target
        self._folder = folder
        self._plan = plan
        self._chance = random.Random(seed)

    def run(self) -> Result:
        with ExitStack() as opened:
            rows = {"customers": self._plan.customers}
            server = opened.enter_context(ServerProcess("stripe", rows=rows))
            environment = {
                _KEY: server.key,
                "LEASEHOLD_SYNC_SILENCE": str(self._plan.silence_seconds),
            }
            opened.enter_context(patch.dict(os.environ, environment))
            client = opened.enter_context(lh.Client(self._target.url))
            database = opened.enter_context(_opened(client, server.url))
            first = self._pass(client, database, server, self._plan.kills)
            there = server.ids("customers")
            vanished = self._chance.sample(there, self._plan.vanished)
            server.delete("customers", *vanished)
            second = self._pass(client, database, server, self._plan.more_kills)
            found, wanted = set(kept(database)), set(there) - set(vanished)
        return Result(
            first=first,
            second=second,
            lost=len(wanted - found),
            too_many=len(found - wanted),
        )

    def _pass(
        self, client: lh.Client, database: Database, server: ServerProcess, kills: int
    ) -> Pass:
        options = WorkerOptions(url=client.url, tasks="leasehold_sync.tasks", slots=1, lease=1.5)
        folder = Path(tempfile.mkdtemp(dir=self._folder))
        before, pages = server.count("GET /v1/customers"), _pages(len(server.ids("customers")))
        job_id = syncing.start(client, database, "shop", mode="full").job_id
        began = time.monotonic()
        with Fleet(options, folder, 2) as fleet:
            readers = self._strike(lambda: _entities(client, database, job_id), fleet, kills)
            seconds = time.monotonic() - began
            fleet.stop()
        job = syncing.status(client, database, job_id)
        return Pass(
            status=job["status"],
            counts=counts(job),
            refetched=server.count("GET /v1/customers") - before - pages,
            killed_readers=readers,
            kills=kills,
            seconds=round(seconds, 1),
        )

    def _strike(self, look: Callable[[], int | None], fleet: Fleet, kills: int) -> int:
        """Kill at random moments of the scan, mostly who reads; returns how many of those."""
        total = self._plan.customers
        marks = sorted(self._chance.randrange(total * 95 // 100) for _ in range(kills))
        give_up = time.monotonic() + self._plan.limit_seconds
        readers = 0
        while (done := look()) is not None:
            if marks and done >= marks[0] and (struck := self._kill_one(fleet)) is not None:
                marks.pop(0)
                readers += struck
            fleet.tend()
            assert time.monotonic() < give_up, f"{done} entities in {self._plan.limit_seconds} s"
            time.sleep(_LOOK_SECONDS)
        assert not marks, f"{len(marks)} kills came too late"
        return readers

    def _kill_one(self, fleet: Fleet) -> bool | None:
        """Kill the reader, or now and then the other one; None when nobody reads."""
        holders = self._target.count_leases()
        reading = [each for each in fleet.living if each.name in holders and each.is_alive]
        if not reading:
            return None
        idle = [each for each in fleet.living if each.name not in holders and each.is_alive]
        is_idle = bool(idle) and self._chance.random() < 0.2
        fleet.kill(self._chance.choice(idle if is_idle else reading))
        return not is_idle


@contextmanager
def _opened(client: lh.Client, url: str) -> Iterator[Database]:
    MIGRATIONS.migrate(client)
    database = database_of(client.url)
    said: dict[str, Any] = {"connector": "stripe", "credential": f"env:{_KEY}", "base_url": url}
    apps.save(client, database, App(app_key="shop", resources=("customers",), **said))
    try:
        yield database
    finally:
        close_databases()


def _entities(client: lh.Client, database: Database, job_id: UUID) -> int | None:
    """How many objects were seen so far; None when the job has ended."""
    job = syncing.status(client, database, job_id)
    is_live = job["status"] in {"pending", "processing"}
    return int(job["processed_entities"]) if is_live else None


def _pages(rows: int) -> int:
    return max(1, -(-rows // PAGE))


def faults_of(plan: Plan, result: Result) -> list[str]:
    """List what of the promise was broken."""
    left = plan.customers - plan.vanished
    promised = {
        "the first sync counts every customer once": result.first.counts
        == (plan.customers, 0, 0, 0),
        "the second one deletes exactly what vanished": result.second.counts
        == (0, 0, left, plan.vanished),
        "both complete": {result.first.status, result.second.status} == {"completed"},
        "a kill costs one page at most": result.first.refetched <= result.first.killed_readers
        and result.second.refetched <= result.second.killed_readers,
        "nothing is lost": result.lost == 0,
        "nothing stays that is gone": result.too_many == 0,
    }
    return [name for name, is_kept in promised.items() if not is_kept]


def main() -> int:
    plan = Plan(customers=100_000, kills=20, more_kills=5, vanished=500)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-synced-"))
    seed = random.randrange(2**32)
    with sqlite_target(folder) if sys.argv[1] == "sqlite" else postgres_target() as target:
        result = Campaign(target, folder, plan, seed).run()
    print(sys.argv[1], f"seed={seed}", plan)
    for name, value in asdict(result).items():
        print(f"  {name}: {value}")
    broken = faults_of(plan, result)
    for name in broken:
        print(f"  BROKEN: {name}")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
