"""Throttled jobs under kills: counts, in the handlers themselves, how many of a key run at once.

`python -m tests.faults.throttled postgres|sqlite` is the long form: 20,000 jobs on 500 keys; with
`tenants` as a third word they are of two tenants, who have the throttle each for itself.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import leasehold as lh
from tests.faults.forking import Forked
from tests.faults.target import postgres_target, sqlite_target
from tests.faults.throttled_worker import LIMIT, closed, hold, own
from tests.faults.turnout import ROWS, Turnout

_LOOK_SECONDS = 0.05
TENANTS = ("acme", "globex")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much of what; `blocked` jobs of one closed key stand before all others."""

    jobs: int
    keys: int
    kills: int
    blocked: int = 0
    workers: int = 4
    lease_seconds: float = 1.5
    limit_seconds: float = 300.0
    has_tenants: bool = False

    @property
    def seats(self) -> int:
        """How many keys are counted: each tenant's, and what both run of one."""
        return self.keys * 3 if self.has_tenants else self.keys


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was seen: the most of one key at once, how many ended well, how many are left."""

    most: int
    succeeded: int
    left: int
    seconds: float
    most_together: int = 0  # of one key, whosever


class Company:
    """Worker processes, each with a row of its own in the turnout; a killed one is replaced."""

    def __init__(self, url: str, file: Path, plan: Plan) -> None:
        self._url = url
        self._file = file
        self._plan = plan
        self.turnout = Turnout(file, plan.seats)
        self._rows = iter(range(ROWS))
        self._members: dict[int, Forked] = {}
        for _ in range(plan.workers):
            self._hire()

    def kill_one(self, chance: random.Random) -> None:
        row = chance.choice(list(self._members))
        process = self._members.pop(row)
        process.kill()
        process.wait()
        self.turnout.clear(row)
        self._hire()

    def dismiss(self) -> None:
        for process in self._members.values():
            process.terminate()
        for process in self._members.values():
            process.wait(30)

    def _hire(self) -> None:
        row = next(self._rows)
        self._members[row] = Forked(
            "tests.faults.throttled_worker",
            self._url,
            str(self._file),
            str(self._plan.seats),
            str(row),
            str(self._plan.lease_seconds),
        )


def run(url: str, folder: Path, plan: Plan, *, seed: int) -> Result:
    """Run the jobs while workers are killed, until all but the blocked ones have ended."""
    chance = random.Random(seed)
    with lh.Client(url) as client:
        client.enqueue_many(closed.call() for _ in range(plan.blocked))
        _enqueue(client, plan)
        company = Company(url, folder / "turnout", plan)
        started = time.monotonic()
        try:
            strike(client, company, plan, chance)
        finally:
            company.dismiss()
        ended = _ended(client, plan)
        left = sum(each.blocked for each in client.counts())
    seconds = time.monotonic() - started
    counted, both = company.turnout, 2 * plan.keys
    if not plan.has_tenants:
        return Result(most=counted.most(), succeeded=ended, left=left, seconds=seconds)
    together = counted.most(both)
    most = counted.most(0, both)
    return Result(most=most, succeeded=ended, left=left, seconds=seconds, most_together=together)


def _enqueue(client: lh.Client, plan: Plan) -> None:
    if not plan.has_tenants:
        client.enqueue_many(hold.call(number % plan.keys) for number in range(plan.jobs))
        return
    for place, tenant in enumerate(TENANTS):
        numbers = range(place, plan.jobs, len(TENANTS))
        client.for_tenant(tenant).enqueue_many(
            own.call(key, place * plan.keys + key, 2 * plan.keys + key)
            for key in (number // 2 % plan.keys for number in numbers)
        )


def strike(client: lh.Client, company: Company, plan: Plan, chance: random.Random) -> None:
    """Kill workers, spread over the jobs, until all but the blocked ones have ended."""
    give_up = time.monotonic() + plan.limit_seconds
    kills = 0
    while (ended := _ended(client, plan)) < plan.jobs:
        if kills < plan.kills and ended >= plan.jobs * 0.9 * kills / plan.kills:
            company.kill_one(chance)
            kills += 1
        if time.monotonic() > give_up:
            raise AssertionError(f"{ended} of {plan.jobs} jobs ended in {plan.limit_seconds} s")
        time.sleep(_LOOK_SECONDS)


def _ended(client: lh.Client, plan: Plan) -> int:
    """Count by what is left: reading each job would take longer than running it."""
    live = sum(
        each.ready + each.blocked + each.scheduled + each.failed + each.running + each.parked
        for each in client.counts()
    )
    return plan.jobs + plan.blocked - live


def main() -> int:
    store = sys.argv[1]
    has_tenants = "tenants" in sys.argv[2:]
    plan = Plan(jobs=20_000, keys=500, kills=40, blocked=100_000, has_tenants=has_tenants)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-throttled-"))
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        result = run(target.url, folder, plan, seed=random.randrange(2**32))
    print(store, plan, result)
    return 0 if result.most == LIMIT and result.succeeded == plan.jobs else 1


if __name__ == "__main__":
    sys.exit(main())
