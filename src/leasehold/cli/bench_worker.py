"""One worker process of `leasehold bench`: `python -m leasehold.cli.bench_worker KIND`.

It says "ready" once it has connected, works from the first line on stdin to the end of stdin, and
then prints what it saw. Stdin also ends when the bench is killed, so it never stays behind alone.
The database is the one in LEASEHOLD_URL: a password has no place on a command line.
"""

from __future__ import annotations

import sys
import threading
import time
from typing import Any

import msgspec

from leasehold.client import Client
from leasehold.task import Task, task
from leasehold.worker import Worker

QUEUE = "leasehold-bench"
_LOOK_SECONDS = 0.005

_starts: dict[int, float] = {}


@task(name="leasehold.bench.async", queue=QUEUE)
async def do_nothing(number: int) -> None:
    """Be one of many."""


@task(name="leasehold.bench.blocking", queue=QUEUE)
def do_nothing_blocking(number: int) -> None:
    """Be one of many, on a thread."""


@task(name="leasehold.bench.start", queue=QUEUE)
async def note_start(number: int) -> None:
    """Write down when it was picked up."""
    _starts[number] = time.perf_counter()


BY_KIND: dict[str, Task[..., Any]] = {
    "async": do_nothing,
    "blocking": do_nothing_blocking,
    "start": note_start,
}


class Seen(msgspec.Struct, frozen=True):
    """What a process saw. Moments are of `perf_counter`, which all processes of a machine share."""

    succeeded: int
    last_settled_at: float
    starts: dict[int, float]


def main() -> None:
    with Client() as client:
        client.store.check_schema()
        worker = Worker(client, [BY_KIND[sys.argv[1]]])
        print("ready", flush=True)
        sys.stdin.readline()
        with worker:
            last_settled_at = _watch(worker)
    seen = Seen(worker.report.succeeded, last_settled_at, _starts)
    print(msgspec.json.encode(seen).decode(), flush=True)


def _watch(worker: Worker) -> float:
    """Return when the last job was settled, once stdin has ended."""
    ending = threading.Event()
    threading.Thread(target=_await_end, args=(ending,), daemon=True).start()
    settled, last_settled_at = 0, time.perf_counter()
    while not ending.wait(_LOOK_SECONDS):
        now_settled = worker.report.succeeded
        if now_settled != settled:
            settled, last_settled_at = now_settled, time.perf_counter()
    return last_settled_at


def _await_end(ending: threading.Event) -> None:
    sys.stdin.read()
    ending.set()


if __name__ == "__main__":
    main()
