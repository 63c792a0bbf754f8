"""Huey on SQLite, synchronous=FULL as is its default: one thread, results off."""

from __future__ import annotations

import logging

from huey import SqliteHuey

from bench.peers.job import URL, Stopwatch, pace, payload
from bench.peers.probe import PROBE

DISTRIBUTIONS = ("huey",)

logging.getLogger("huey").setLevel(logging.CRITICAL)
huey = SqliteHuey("bench", filename=URL.removeprefix("sqlite:///"), results=False)


@huey.task(name="noop")
def noop(n: int, to: str, subject: str) -> None:
    PROBE.hit(n)


def prepare() -> None:
    """Nothing to do: it made its tables when it was made."""


def enqueue_each(jobs: int) -> float:
    with Stopwatch() as watch:
        for number in range(jobs):
            noop(**payload(number))
    return watch.seconds


def enqueue_bulk(jobs: int, _size: int) -> float:
    """No batch API: one by one."""
    return enqueue_each(jobs)


def pick_up(jobs: int) -> list[float]:
    return pace(jobs, lambda number: noop(**payload(number)))


def work(_prompt: int) -> None:
    consumer = huey.create_consumer(
        workers=1,
        worker_type="thread",
        periodic=False,
        initial_delay=0.001,
        max_delay=0.1,
        check_worker_health=False,
    )
    PROBE.await_go()
    consumer.run()
