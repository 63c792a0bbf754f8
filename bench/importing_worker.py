"""A worker that imports bookmark files: `python -m bench.importing_worker URL`, until SIGTERM."""

from __future__ import annotations

import sys

import leasehold as lh
from leasehold_links import tasks


def main() -> int:
    with lh.Client(sys.argv[1]) as client:
        worker = lh.Worker(client, tasks, queues=["links-imports"])
        print("ready", flush=True)
        return worker.run().exit_code


if __name__ == "__main__":
    sys.exit(main())
