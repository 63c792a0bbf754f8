"""A worker of throttled jobs in a process of its own: `… URL FILE KEYS ROW LEASE`."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import leasehold as lh
from leasehold.worker import durations
from tests.faults.turnout import Turnout

LIMIT = 2
LONGEST_SECONDS = 0.004
RATE, BURST = 200.0, 20.0
ENOUGH, RESERVED = 20.0, 10.0  # what there is to spend at all, and what a sparing job reserves
SCARCE_SECONDS = 86_400.0  # until one of it comes back
SLOW_RATE, SMALL_BURST = 20.0, 4.0

per_key = lh.Throttle("key", running=LIMIT)
each_tenants = lh.Throttle("key", running=LIMIT, per_tenant=True)
steady = lh.Throttle("steady", rate=RATE, burst=BURST)
scarce = lh.Throttle("scarce", rate=1, per=SCARCE_SECONDS, burst=ENOUGH)
slow = lh.Throttle("slow", rate=SLOW_RATE, burst=SMALL_BURST)
_seat: list[tuple[Turnout, int]] = []


@lh.task(name="throttled.hold", throttle=per_key.by("key"), max_attempts=100)
async def hold(key: int) -> None:
    turnout, row = _seat[0]
    turnout.enter(row, key)
    try:
        await asyncio.sleep(random.uniform(0, LONGEST_SECONDS))
    finally:
        turnout.leave(row, key)


@lh.task(name="throttled.own", throttle=each_tenants.by("key"), max_attempts=100)
async def own(key: int, seat: int, together: int) -> None:
    """One of a tenant's: counts itself among its tenant's, and among all of its key."""
    turnout, row = _seat[0]
    turnout.enter(row, seat)
    turnout.enter(row, together)
    try:
        await asyncio.sleep(random.uniform(0, LONGEST_SECONDS))
    finally:
        turnout.leave(row, together)
        turnout.leave(row, seat)


@lh.task(name="throttled.crowd", max_attempts=100)
async def crowd() -> None:
    """One of a queue with a limit."""
    turnout, row = _seat[0]
    turnout.enter(row, 0)
    try:
        await asyncio.sleep(random.uniform(0, LONGEST_SECONDS))
    finally:
        turnout.leave(row, 0)


@lh.task(name="throttled.closed", throttle="closed")
async def closed() -> None:
    raise AssertionError("its throttle was never opened")


@lh.task(name="throttled.pace", throttle=steady.key("all"), max_attempts=100)
async def pace() -> None:
    """Run long enough for some to be there when their worker is killed."""
    await asyncio.sleep(random.uniform(0, 0.1))


@lh.task(name="throttled.sparing", throttle=scarce.key("all"), cost=RESERVED)
async def sparing() -> None:
    lh.current_job().spend(1)


@lh.task(name="throttled.spending", throttle=slow.key("all"))
async def spending(amount: float) -> None:
    lh.current_job().spend(amount)


def main() -> None:
    url, file, keys, row, lease = sys.argv[1:]
    _seat.append((Turnout(Path(file), int(keys)), int(row)))
    durations.SHORT_SECONDS = 1.0  # so that they stand in lines
    known = (hold, own, crowd, closed, pace, sparing, spending)
    lh.Worker(lh.Client(url), known, slots=40, lease=float(lease), poll=0.2).run()


if __name__ == "__main__":
    main()
