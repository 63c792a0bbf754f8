"""Chancy on PostgreSQL: 5,000 at a time; for pick-up 100, polling eagerly."""

from __future__ import annotations

import logging
from typing import Any

from chancy import Chancy, Queue, Worker, job

from bench.peers.job import URL, Stopwatch, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("chancy", "psycopg")
CONCURRENCY = 5_000
PROMPT_CONCURRENCY = 100

quiet = logging.getLogger("chancy.bench")
quiet.setLevel(logging.ERROR)


@job(queue="default")
async def noop(*, n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def connected() -> Any:
    return Chancy(URL, log=quiet, max_connection_pool_size=10)


def numbered(number: int) -> Any:
    return noop.job.with_kwargs(**payload(number))


async def prepare() -> None:
    async with connected() as chancy:
        await chancy.migrate()


async def enqueue_each(jobs: int) -> float:
    async with connected() as chancy:
        await chancy.push(numbered(0))
        with Stopwatch() as watch:
            for number in range(jobs):
                await chancy.push(numbered(number))
    return watch.seconds


async def enqueue_bulk(jobs: int, size: int) -> float:
    async with connected() as chancy:
        with Stopwatch() as watch:
            batch = [numbered(number) for number in range(jobs)]
            async for _ in chancy.push_many(batch, batch_size=size):
                pass
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    async with connected() as chancy:
        return await pace_async(jobs, lambda number: chancy.push(numbered(number)))


async def work(prompt: int) -> None:
    async with connected() as chancy:
        queue = Queue(
            "default",
            concurrency=PROMPT_CONCURRENCY if prompt else CONCURRENCY,
            executor=Chancy.Executor.Async,
            polling_interval=1,
            eager_polling=bool(prompt),
        )
        await chancy.declare(queue, upsert=True)
        PROBE.await_go()
        async with Worker(chancy, register_signal_handlers=False) as worker:
            await worker.wait_for_shutdown()
