"""Enqueues at a constant pace: `python -m bench.pace URL STAMPS COUNT PER_SECOND`.

Each job's due moment counts from the start, so that a slow one does not slow down the rest.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import leasehold as lh
from bench.tasks import Stamps, noop


def main() -> None:
    url, path, count, per_second = sys.argv[1:5]
    sent = Stamps(Path(path))
    with lh.Client(url) as client:
        client.store.check_schema()
        started = time.perf_counter()
        for number in range(int(count)):
            due = started + number / float(per_second)
            time.sleep(max(0.0, due - time.perf_counter()))
            client.enqueue(noop, number, f"user{number:06}@example.com", "hello")
            sent.note(number)


if __name__ == "__main__":
    main()
