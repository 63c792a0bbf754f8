"""taskiq on Redis streams: 100 at a time, uvloop."""

from __future__ import annotations

import asyncio
import logging

from taskiq.api import run_receiver_task
from taskiq_redis import RedisStreamBroker

from bench.peers.job import URL, Stopwatch, chunks, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("taskiq", "taskiq-redis", "redis")
USES_UVLOOP = True
MOST_TASKS = 100
ENQUEUED_AT_ONCE = 50

broker = RedisStreamBroker(URL, queue_name="bench", xread_count=100, xread_block=2000)


@broker.task(task_name="noop")
async def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    """Nothing to do."""


async def enqueue_each(jobs: int) -> float:
    await broker.startup()
    with Stopwatch() as watch:
        for number in range(jobs):
            await noop.kiq(**payload(number))
    await broker.shutdown()
    return watch.seconds


async def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: concurrent enqueues."""
    await broker.startup()
    with Stopwatch() as watch:
        for chunk in chunks(jobs, ENQUEUED_AT_ONCE):
            await asyncio.gather(*[noop.kiq(**payload(number)) for number in chunk])
    await broker.shutdown()
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    await broker.startup()
    sent = await pace_async(jobs, lambda number: noop.kiq(**payload(number)))
    await broker.shutdown()
    return sent


async def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    PROBE.await_go()
    await run_receiver_task(broker, max_async_tasks=MOST_TASKS, run_startup=True)
