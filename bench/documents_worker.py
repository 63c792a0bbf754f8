"""A worker that extracts, from a line of its input until SIGTERM: `bench.documents_worker URL`."""

from __future__ import annotations

import sys

import leasehold as lh
from leasehold_documents import tasks


def main() -> int:
    with lh.Client(sys.argv[1]) as client:
        worker = lh.Worker(client, tasks)
        print("ready", flush=True)
        sys.stdin.readline()
        return worker.run().exit_code


if __name__ == "__main__":
    sys.exit(main())
