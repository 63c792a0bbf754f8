"""A worker of throttled jobs in a process of its own: `… URL FILE KEYS ROW LEASE`."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import leasehold as lh
from tests.faults.turnout import Turnout

LIMIT = 2
LONGEST_SECONDS = 0.004

per_key = lh.Throttle("key", running=LIMIT)
_seat: list[tuple[Turnout, int]] = []


@lh.task(name="throttled.hold", throttle=per_key.by("key"), max_attempts=100)
async def hold(key: int) -> None:
    turnout, row = _seat[0]
    turnout.enter(row, key)
    try:
        await asyncio.sleep(random.uniform(0, LONGEST_SECONDS))
    finally:
        turnout.leave(row, key)


@lh.task(name="throttled.closed", throttle="closed")
async def closed() -> None:
    raise AssertionError("its throttle was never opened")


def main() -> None:
    url, file, keys, row, lease = sys.argv[1:]
    _seat.append((Turnout(Path(file), int(keys)), int(row)))
    lh.Worker(lh.Client(url), [hold, closed], slots=40, lease=float(lease), poll=0.2).run()


if __name__ == "__main__":
    main()
