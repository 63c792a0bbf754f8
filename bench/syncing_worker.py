"""A worker that syncs: `python -m bench.syncing_worker URL`, until SIGTERM."""

from __future__ import annotations

import sys

import leasehold as lh
from leasehold_sync import tasks


def main() -> int:
    with lh.Client(sys.argv[1]) as client:
        worker = lh.Worker(client, tasks)
        print("ready", flush=True)
        return worker.run().exit_code


if __name__ == "__main__":
    sys.exit(main())
