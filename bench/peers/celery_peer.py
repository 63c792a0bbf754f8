"""Celery on Redis: the solo pool, results ignored."""

from __future__ import annotations

import logging

from celery import Celery

from bench.peers.job import URL, WORKER, Stopwatch, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("celery", "kombu", "redis")

app = Celery("bench", broker=URL)
app.conf.update(
    broker_connection_retry_on_startup=True,
    task_acks_late=False,
    task_default_queue="bench",
    task_ignore_result=True,
    worker_enable_remote_control=False,
    worker_hijack_root_logger=False,
    worker_prefetch_multiplier=4,
    worker_send_task_events=False,
)


@app.task(name="noop", ignore_result=True)
def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    """Nothing to do."""


def enqueue_each(jobs: int) -> float:
    noop.delay(**payload(0))
    with Stopwatch() as watch:
        for number in range(jobs):
            noop.delay(**payload(number))
    return watch.seconds


def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: one producer held open, as its documentation says."""
    with app.producer_pool.acquire(block=True) as producer, Stopwatch() as watch:
        for number in range(jobs):
            noop.apply_async(kwargs=payload(number), producer=producer)
    return watch.seconds


def pick_up(jobs: int) -> list[float]:
    return pace(jobs, lambda number: noop.delay(**payload(number)))


def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    PROBE.await_go()
    app.worker_main(
        [
            *("worker", "--pool", "solo", "--concurrency", "1", "--loglevel", "CRITICAL"),
            *("--without-gossip", "--without-mingle", "--without-heartbeat"),
            *("--hostname", f"worker{WORKER}@bench"),
        ]
    )
