"""Procrastinate on PostgreSQL: 10 at a time, successful jobs deleted."""

from __future__ import annotations

import logging
from typing import Any

import procrastinate

from bench.peers.job import URL, Stopwatch, chunks, pace_async, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("procrastinate", "psycopg")
CONCURRENCY = 10

logging.getLogger("procrastinate").setLevel(logging.ERROR)
app = procrastinate.App(
    connector=procrastinate.PsycopgConnector(
        conninfo=URL, min_size=CONCURRENCY, max_size=CONCURRENCY
    )
)


@app.task(name="noop", queue="default")
async def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


async def prepare() -> None:
    async with app.open_async():
        await app.schema_manager.apply_schema_async()


async def enqueue_each(jobs: int) -> float:
    async with app.open_async():
        await noop.defer_async(**payload(0))
        with Stopwatch() as watch:
            for number in range(jobs):
                await noop.defer_async(**payload(number))
    return watch.seconds


async def enqueue_bulk(jobs: int, size: int) -> float:
    async with app.open_async():
        with Stopwatch() as watch:
            for chunk in chunks(jobs, size):
                await noop.batch_defer_async(*[payload(number) for number in chunk])
    return watch.seconds


async def pick_up(jobs: int) -> list[float]:
    def send(number: int) -> Any:
        return noop.defer_async(**payload(number))

    async with app.open_async():
        return await pace_async(jobs, send)


async def work(_prompt: int) -> None:
    async with app.open_async():
        PROBE.await_go()
        await app.run_worker_async(
            concurrency=CONCURRENCY,
            delete_jobs="successful",
            install_signal_handlers=False,
            wait=True,
        )
