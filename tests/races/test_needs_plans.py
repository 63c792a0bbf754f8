"""What waiting for others costs, counted in rows that were read: not all jobs, not all that wait.

The statements are planned on empty tables, on a worker's connection and on the pool's; then comes
a crowd of jobs that wait for as many others, and a fan-in of 5,000.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import new_job, new_jobs
from tests.conformance.needs_kit import NEEDED, end, enqueue_after, enqueue_needed, needs, sweep
from tests.races.kit import _Given, crowd
from tests.races.test_key_plans import READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.store.postgres.connection import Connection

MANY = crowd(50_000)
WIDE = 5_000
MOST_READ = 150  # by one operation on one job, of all tables together
LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, queue, kind,
    args, needs)
  SELECT gen_random_uuid(), now(), 3600, 0, 5, 'other', 'greet', '{}',
    CASE WHEN n > %(many)s THEN '{"jobs": []}'::json END
  FROM generate_series(1, 2 * %(many)s) AS n
  RETURNING *
),
ready AS (
  INSERT INTO leasehold.ready (job_id, created_at, priority, queue, kind)
  SELECT id, created_at, priority, queue, kind FROM made WHERE needs IS NULL
),
waiting AS (
  INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, stage)
  SELECT id, created_at, priority, queue, kind, '#' FROM made WHERE needs IS NOT NULL
),
marked AS (
  INSERT INTO leasehold.dependent (job_id)
  SELECT id FROM made WHERE needs IS NOT NULL
)
INSERT INTO leasehold.dependency (needs, job_id)
SELECT a.id, b.id
FROM (SELECT id, row_number() OVER () AS n FROM made WHERE needs IS NULL) AS a
JOIN (SELECT id, row_number() OVER () AS n FROM made WHERE needs IS NOT NULL) AS b USING (n)
"""


class Ground:
    """A connection that was used while there was nothing, and a store for all the rest."""

    def __init__(self, url: str, connection: Connection) -> None:
        self.store = PostgresStore(url)
        self.most_read = 0
        self._connection = connection
        self._own = PostgresStore(url, source=_Given(connection))

    def go_round(self) -> None:
        """Wait, be let go, be forsaken, be retried, be swept and deleted."""
        good, bad = enqueue_needed(self.store), enqueue_needed(self.store)
        ids = [new_job(needs=needs(good, bad)), new_job(needs=needs(good))]
        self.count(lambda: self._own.enqueue(ids))
        end(self.store, good)
        self.count(lambda: self._own.release_dependents([good]))
        end(self.store, bad, "dead")
        self.count(lambda: self._own.release_dependents([bad]))
        self.count(lambda: self._own.survey(["default"], ["greet"]))
        for job in ids:
            self.store.delete(job.id)

    def count(self, action: Callable[[], object]) -> int:
        """Note how much an action reads, in a transaction of its own."""
        self._connection.autocommit = False
        before = self._read()
        action()
        read = self._read() - before
        self._connection.commit()
        self._connection.autocommit = True
        self.most_read = max(self.most_read, read)
        return read

    def release(self, job_id: object) -> None:
        self._own.release_dependents([job_id])  # type: ignore[list-item] # an id

    def sweep(self, limit: int) -> None:
        sweep(self._own, limit)

    def _read(self) -> int:
        (count,) = self._connection.execute(READ).fetchone() or (0,)
        return int(count)


@pytest.fixture(params=["a worker's", "the pool's"])
def ground(postgres_url: str, request: pytest.FixtureRequest) -> Iterator[Ground]:
    with closing(open_store(postgres_url)) as store:
        store.migrate()
    opened = connections.connect(postgres_url, plans_once=request.param == "a worker's")
    with closing(opened):
        ground = Ground(postgres_url, opened)
        for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
            ground.go_round()
            ground.sweep(10)
        with psycopg.connect(postgres_url) as loader:
            loader.execute(LOAD, {"many": MANY})
        yield ground
        ground.store.close()


def test_waiting_for_others_reads_no_more_than_what_it_asks_for(ground: Ground) -> None:
    ground.most_read = 0
    for _ in range(2):
        ground.go_round()
    assert 0 < ground.most_read < MOST_READ
    assert ground.count(lambda: ground.sweep(10)) < 20 * MOST_READ


def test_a_fan_in_is_not_read_whole_at_each_end(ground: Ground) -> None:
    jobs = new_jobs(WIDE, queue=NEEDED)
    ground.store.enqueue(jobs)
    enqueue_after(ground.store, *(job.id for job in jobs))
    first = end(ground.store, jobs[0].id)
    assert ground.count(lambda: ground.release(first)) < MOST_READ
