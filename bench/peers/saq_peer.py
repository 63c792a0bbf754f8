"""saq on Redis: 100 at a time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from saq import Queue, Worker

from bench.peers.job import URL, Stopwatch, chunks, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("saq", "redis")
CONCURRENCY = 100
ENQUEUED_AT_ONCE = 50
FOREVER = -1


async def noop(context: Any, *, n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


@asynccontextmanager
async def connected() -> AsyncIterator[Any]:
    queue = Queue.from_url(URL, name="bench")
    await queue.connect()
    yield queue
    await queue.disconnect()


async def prepare() -> None:
    async with connected():
        pass


async def enqueue_each(jobs: int) -> float:
    async with connected() as queue:
        await queue.enqueue("noop", ttl=FOREVER, **payload(0))
        with Stopwatch() as watch:
            for number in range(jobs):
                await queue.enqueue("noop", ttl=FOREVER, **payload(number))
    return watch.seconds


async def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: concurrent enqueues."""
    async with connected() as queue:
        with Stopwatch() as watch:
            for chunk in chunks(jobs, ENQUEUED_AT_ONCE):
                await asyncio.gather(
                    *[queue.enqueue("noop", ttl=FOREVER, **payload(number)) for number in chunk]
                )
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    async with connected() as queue:
        return await pace_async(
            jobs, lambda number: queue.enqueue("noop", ttl=FOREVER, **payload(number))
        )


async def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    queue = Queue.from_url(URL, name="bench")
    worker = Worker(queue, functions=[noop], concurrency=CONCURRENCY, dequeue_timeout=0)
    worker.SIGNALS = []
    PROBE.await_go()
    await worker.start()
