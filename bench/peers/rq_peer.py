"""rq on Redis: its SimpleWorker, which does not fork for each job."""

from __future__ import annotations

import logging

from redis import Redis
from rq import Queue, SimpleWorker

from bench.peers.job import URL, Stopwatch, chunks, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("rq", "redis")
NOT_KEPT = 0

connection = Redis.from_url(URL)
queue = Queue("bench", connection=connection)


def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    """Nothing to do."""


def enqueue(number: int) -> None:
    queue.enqueue(noop, kwargs=payload(number), result_ttl=NOT_KEPT)


def enqueue_each(jobs: int) -> float:
    enqueue(0)
    with Stopwatch() as watch:
        for number in range(jobs):
            enqueue(number)
    return watch.seconds


def enqueue_bulk(jobs: int, size: int) -> float:
    with Stopwatch() as watch:
        for chunk in chunks(jobs, size):
            queue.enqueue_many(
                [
                    Queue.prepare_data(noop, kwargs=payload(number), result_ttl=NOT_KEPT)
                    for number in chunk
                ]
            )
    return watch.seconds


def pick_up(jobs: int) -> list[float]:
    return pace(jobs, enqueue)


def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    worker = SimpleWorker([queue], connection=connection)
    PROBE.await_go()
    worker.work(with_scheduler=False, logging_level="CRITICAL")
