"""A worker of short jobs in a process of its own: `python -m tests.faults.counted URL`."""

from __future__ import annotations

import sys
import time

import leasehold as lh

LEASE_SECONDS = 2.0


@lh.task(name="tick", max_attempts=100, lease=LEASE_SECONDS)
def tick() -> None:
    time.sleep(0.01)


def main() -> None:
    lh.Worker(lh.Client(sys.argv[1]), [tick], slots=4, poll=0.1).run()


if __name__ == "__main__":
    main()
