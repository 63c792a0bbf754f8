"""A worker process for the kills of batches: its jobs report units of work and may die."""

from __future__ import annotations

import os
import random
import sqlite3
import sys
import time
from typing import Any

import leasehold as lh

LEASE = "1s"
UNITS = 3
INSERT = "INSERT INTO called (batch, job, total, succeeded, live) VALUES (?, ?, ?, ?, ?)"


@lh.task(name="member", retry=lh.delays("0s"), max_attempts=50)
def member(seconds: float) -> None:
    """Report some units of work and then end; a kill may come at any moment."""
    job = lh.current_job()
    for unit in range(1, UNITS + 1):
        if seconds:
            time.sleep(seconds / UNITS)
        job.progress(unit, UNITS)


@lh.task(name="adder", retry=lh.delays("0s"), max_attempts=50)
def adder(count: int) -> None:
    """Add members from inside, in the transaction that ends it: all of them, or none."""
    job = lh.current_job()
    with job.transaction() as connection:
        batch = job.batch.on(connection)
        batch.add_many(member.call(0.0) for _ in range(count))


@lh.task(name="ended", retry=lh.delays("0s"), max_attempts=50)
def ended(ended: lh.BatchEnded) -> None:
    """Write down what the callback was told and what it saw, in its own transaction."""
    job = lh.current_job()
    live = _live(ended)
    with job.transaction() as connection:
        values = (str(ended.batch), str(job.id), ended.total, ended.succeeded, live)
        is_sqlite = isinstance(connection, sqlite3.Connection)
        connection.execute(INSERT.replace("?", "%s") if not is_sqlite else INSERT, values)


def _live(told: lh.BatchEnded) -> int:
    counts = _CLIENT[0].batches.get(told.batch).counts
    return counts.total - counts.ended


_CLIENT: list[lh.Client] = []


def main(url: str) -> None:
    random.seed(os.urandom(8))
    client = lh.Client(url)
    _CLIENT.append(client)
    tasks: list[lh.Task[..., Any]] = [member, adder, ended]
    lh.Worker(client, tasks, slots=8, lease=LEASE, poll="100ms", grace="1s").run()


if __name__ == "__main__":
    main(sys.argv[1])
