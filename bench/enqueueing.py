"""Enqueues: through the client, in bulk and one by one, and with the plain driver."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import leasehold as lh
from bench.fleet import BenchFailed
from bench.tasks import noop
from leasehold.model.values import DEFAULT_QUEUE

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size


def bulk_enqueue(database: Database, size: Size) -> Figures:
    """`client.enqueue_many` of small jobs, in its own chunks."""
    with lh.Client(database.url) as client:
        client.store.check_schema()
        started = time.perf_counter()
        client.enqueue_many(
            noop.call(number, f"user{number:06}@example.com", "hello")
            for number in range(size.jobs)
        )
        seconds = time.perf_counter() - started
    return _figures(database, size.jobs, seconds)


def single_enqueue(database: Database, size: Size) -> Figures:
    """`client.enqueue`, one after the other, each durable when it returns."""
    with lh.Client(database.url) as client:
        client.enqueue(noop, 0, "user000000@example.com", "hello")
        started = time.perf_counter()
        for number in range(size.jobs):
            client.enqueue(noop, number, f"user{number:06}@example.com", "hello")
        seconds = time.perf_counter() - started
    return _figures(database, size.jobs, seconds, warm_up=1)


def raw_insert(database: Database, size: Size) -> Figures:
    """The rows of `single_enqueue` and their commits, without us: the least it could take."""
    ids = lh.Client(database.url).ids
    rows: list[dict[str, object]] = [
        {
            "id": ids.next(),
            "queue": DEFAULT_QUEUE,
            "kind": noop.name,
            "args": {"n": number, "subject": "hello", "to": f"user{number:06}@example.com"},
        }
        for number in range(size.jobs + 1)
    ]
    database.insert_raw(rows[:1])
    return _figures(database, size.jobs, database.insert_raw(rows[1:]), warm_up=1)


def _figures(database: Database, jobs: int, seconds: float, *, warm_up: int = 0) -> Figures:
    standing = database.count_standing()
    if standing != jobs + warm_up:
        raise BenchFailed(f"{standing} jobs were written, not {jobs + warm_up}")
    return {"jobs_per_second": jobs / seconds}
