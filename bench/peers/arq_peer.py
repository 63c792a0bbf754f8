"""arq on Redis: 100 at a time, polling every 10 ms, results not kept."""

from __future__ import annotations

import asyncio
import logging
from typing import Any

from arq import create_pool
from arq.connections import RedisSettings
from arq.worker import Worker

from bench.peers.job import URL, Stopwatch, chunks, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("arq", "redis")
MOST_JOBS = 100
POLL_SECONDS = 0.01
ENQUEUED_AT_ONCE = 50


async def noop(context: Any, n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def settings() -> Any:
    return RedisSettings.from_dsn(URL)


def prepare() -> None:
    """Nothing to do."""


async def enqueue_each(jobs: int) -> float:
    pool = await create_pool(settings())
    await pool.enqueue_job("noop", **payload(0))
    with Stopwatch() as watch:
        for number in range(jobs):
            await pool.enqueue_job("noop", **payload(number))
    return watch.seconds


async def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: concurrent enqueues."""
    pool = await create_pool(settings())
    with Stopwatch() as watch:
        for chunk in chunks(jobs, ENQUEUED_AT_ONCE):
            await asyncio.gather(*[pool.enqueue_job("noop", **payload(n)) for n in chunk])
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    pool = await create_pool(settings())
    return await pace_async(jobs, lambda number: pool.enqueue_job("noop", **payload(number)))


async def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    worker = Worker(
        [noop],
        redis_settings=settings(),
        max_jobs=MOST_JOBS,
        poll_delay=POLL_SECONDS,
        keep_result=0,
        handle_signals=False,
    )
    PROBE.await_go()
    await worker.async_run()
