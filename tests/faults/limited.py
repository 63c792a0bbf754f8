"""A queue's limit or a tenant's quota under kills: handlers count how many ever run at once.

The limit goes up and down meanwhile; nothing may ever exceed the highest. Then it stands still, and
nothing may exceed it. The long form: `python -m tests.faults.limited postgres|sqlite queue|tenant`.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

import leasehold as lh
from tests.faults.target import postgres_target, sqlite_target
from tests.faults.throttled import Company, Plan
from tests.faults.throttled_worker import crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LIMITS = (3, 5, 2, 4)  # in turns while workers are killed
LAST = 3
_LOOK_SECONDS = 0.05
QUEUE, TENANT = "default", "acme"


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The most that ever ran at once, while the limit changed and after that; how many are left."""

    most: int
    most_at_last: int
    left: int
    seconds: float


def run(url: str, folder: Path, plan: Plan, *, what: str, seed: int) -> Result:
    """Run jobs while workers are killed and the limit changes, then some more with one limit."""
    started = time.monotonic()
    chance = random.Random(seed)
    with lh.Client(url) as client:
        limit = _limit_queue(client) if what == "queue" else _limit_tenant(client)
        jobs = crowd if what == "queue" else crowd.with_options(tenant=TENANT)
        parts = []
        for name, limits in (("changing", LIMITS), ("steady", (LAST,))):
            changes = [partial(limit, running) for running in limits]
            changes[0]()
            client.enqueue_many(jobs.call() for _ in range(plan.jobs))
            company = Company(client.store.url, folder / name, plan)
            try:
                _strike(client, company, plan, cycle(changes), chance)
            finally:
                company.dismiss()
            parts.append(company.turnout.most())
        most, at_last = parts
        left = _left(client)
    seconds = time.monotonic() - started
    return Result(most=most, most_at_last=at_last, left=left, seconds=seconds)


def _limit_queue(client: lh.Client) -> Callable[[int], None]:
    return lambda running: client.queues.limit(QUEUE, running=running)


def _limit_tenant(client: lh.Client) -> Callable[[int], None]:
    return lambda running: client.quotas.set(TENANT, running=running)


def _strike(
    client: lh.Client,
    company: Company,
    plan: Plan,
    limit: Iterator[Callable[[], None]],
    chance: random.Random,
) -> None:
    """Kill workers, spread over the jobs, and change the limit after each, until all have ended."""
    give_up = time.monotonic() + plan.limit_seconds
    kills = 0
    while (left := _left(client)) > 0:
        if kills < plan.kills and plan.jobs - left >= plan.jobs * 0.9 * kills / plan.kills:
            company.kill_one(chance)
            kills += 1
            next(limit)()
        if time.monotonic() > give_up:
            raise AssertionError(f"{left} of {plan.jobs} are left after {plan.limit_seconds} s")
        time.sleep(_LOOK_SECONDS)


def _left(client: lh.Client) -> int:
    return sum(
        each.ready + each.blocked + each.scheduled + each.failed + each.running + each.parked
        for each in client.counts()
    )


def main() -> int:
    store, what = sys.argv[1:]
    plan = Plan(jobs=10_000, keys=1, kills=25)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-limited-"))
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        result = run(target.url, folder, plan, what=what, seed=random.randrange(2**32))
    print(store, what, plan, result)
    return 0 if (result.most, result.most_at_last, result.left) == (max(LIMITS), LAST, 0) else 1


if __name__ == "__main__":
    sys.exit(main())
