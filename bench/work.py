"""One worker process: `python -m bench.work URL KIND (drain|serve)`.

It says "ready" when all is imported and connected, and starts when it reads a line.
"""

from __future__ import annotations

import json
import resource
import sys
import time

import leasehold as lh
from bench import tasks

SLOTS = 100


def main() -> None:
    url, kind, mode = sys.argv[1:4]
    task = tasks.BY_KIND[kind]
    with lh.Client(url) as client:
        client.store.check_schema()
        worker = lh.Worker(client, [task], slots=SLOTS)
        print("ready", flush=True)
        sys.stdin.readline()
        started = time.perf_counter()
        report = worker.run(until_empty=mode == "drain")
        usage = resource.getrusage(resource.RUSAGE_SELF)
        figures = {
            "seconds": time.perf_counter() - started,
            "succeeded": report.succeeded,
            "cpu_seconds": usage.ru_utime + usage.ru_stime,
            "memory_mb": usage.ru_maxrss / 1024,
        }
        print(json.dumps(figures), flush=True)


if __name__ == "__main__":
    main()
