"""PgQueuer on PostgreSQL: asyncpg, uvloop, batches of 1,000."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from typing import Any

import asyncpg
from pgqueuer import PgQueuer
from pgqueuer.db import AsyncpgDriver
from pgqueuer.queries import Queries

from bench.peers.job import URL, Stopwatch, chunks, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("pgqueuer", "asyncpg", "uvloop")
USES_UVLOOP = True
BATCH = 1_000
MOST_TASKS = 4_000

logging.getLogger("pgqueuer").setLevel(logging.ERROR)


async def driver() -> Any:
    return AsyncpgDriver(await asyncpg.connect(URL))


def encoded(number: int) -> bytes:
    return json.dumps(payload(number)).encode()


async def prepare() -> None:
    await Queries(await driver()).install()


async def enqueue_each(jobs: int) -> float:
    queries = Queries(await driver())
    await queries.enqueue("noop", encoded(0))
    with Stopwatch() as watch:
        for number in range(jobs):
            await queries.enqueue("noop", encoded(number))
    return watch.seconds


async def enqueue_bulk(jobs: int, size: int) -> float:
    queries = Queries(await driver())
    with Stopwatch() as watch:
        for chunk in chunks(jobs, size):
            count = len(chunk)
            await queries.enqueue(["noop"] * count, [encoded(n) for n in chunk], [0] * count)
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    queries = Queries(await driver())
    return await pace_async(jobs, lambda number: queries.enqueue("noop", encoded(number)))


async def work(_prompt: int) -> None:
    queue = PgQueuer(await driver())

    @queue.entrypoint("noop")
    async def noop(job: Any) -> None:
        PROBE.hit(json.loads(job.payload)["n"])

    PROBE.await_go()
    await queue.run(
        batch_size=BATCH,
        dequeue_timeout=timedelta(seconds=30),
        max_concurrent_tasks=MOST_TASKS,
    )
