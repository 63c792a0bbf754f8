"""leasehold itself, on PostgreSQL or SQLite: async handlers, 100 slots, defaults else."""

from __future__ import annotations

import leasehold as lh
from bench.peers.job import URL, Stopwatch, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("leasehold", "psycopg", "uvloop")
SLOTS = 100


@lh.task(name="bench.noop")
async def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    with lh.Client(URL) as client:
        client.store.migrate()


def enqueue_each(jobs: int) -> float:
    with lh.Client(URL) as client:
        client.enqueue(noop, **payload(0))
        with Stopwatch() as watch:
            for number in range(jobs):
                client.enqueue(noop, **payload(number))
    return watch.seconds


def enqueue_bulk(jobs: int, _size: int) -> float:
    with lh.Client(URL) as client:
        client.store.check_schema()  # connects
        with Stopwatch() as watch:
            client.enqueue_many(noop.call(**payload(number)) for number in range(jobs))
    return watch.seconds


def pick_up(jobs: int) -> list[float]:
    with lh.Client(URL) as client:
        return pace(jobs, lambda number: client.enqueue(noop, **payload(number)))


def work(_prompt: int) -> None:
    with lh.Client(URL) as client:
        worker = lh.Worker(client, [noop], slots=SLOTS)
        client.store  # noqa: B018 - imports the driver, as the others did; connects after the go
        PROBE.await_go()
        worker.run()
