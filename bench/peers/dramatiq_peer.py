"""Dramatiq on Redis: two threads, 64 messages ahead, retries as the only middleware."""

from __future__ import annotations

import logging
import time

import dramatiq
from dramatiq.brokers.redis import RedisBroker

from bench.peers.job import URL, Stopwatch, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("dramatiq", "redis")
THREADS = 2
PREFETCH = 64

broker = RedisBroker(url=URL, middleware=[dramatiq.middleware.Retries()])
dramatiq.set_broker(broker)


@dramatiq.actor(queue_name="bench", actor_name="noop")
def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    """Nothing to do."""


def enqueue_each(jobs: int) -> float:
    noop.send(**payload(0))
    with Stopwatch() as watch:
        for number in range(jobs):
            noop.send(**payload(number))
    return watch.seconds


def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: one by one."""
    with Stopwatch() as watch:
        for number in range(jobs):
            noop.send(**payload(number))
    return watch.seconds


def pick_up(jobs: int) -> list[float]:
    return pace(jobs, lambda number: noop.send(**payload(number)))


def work(_prompt: int) -> None:
    logging.disable(logging.CRITICAL)
    worker = dramatiq.Worker(broker, worker_threads=THREADS)
    worker.queue_prefetch = PREFETCH
    PROBE.await_go()
    worker.start()
    while True:
        time.sleep(1)
