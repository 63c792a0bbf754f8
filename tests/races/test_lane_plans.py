"""What lanes cost, counted in rows that were read: jobs that may not start are not among them.

The statements are prepared on empty tables; then come 100,000 jobs of one closed key, and 1,000
keys more.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.model.lanes import Look, Rule
from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import (
    GREET,
    WORKER,
    claim_lanes,
    declare,
    enqueue_one,
    place_of,
    settle,
)
from tests.races.kit import _Given

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

BLOCKED = 100_000
LANES = 1_000
CLOSED = "closed:x"

LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, queue, kind,
    args, lane)
  SELECT gen_random_uuid(), now(), 3600, 0, 5, 'default', 'greet', '{}',
    CASE WHEN n <= %(blocked)s THEN 'closed:x' ELSE 'domain:' || n %% %(lanes)s END
  FROM generate_series(1, %(blocked)s + 4 * %(lanes)s) AS n
  RETURNING *
)
INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, lane)
SELECT id, created_at, priority, queue, kind, lane
FROM made
"""
READ = b"""
SELECT relname, seq_tup_read + coalesce(idx_tup_fetch, 0)
FROM pg_stat_xact_user_tables
WHERE schemaname = 'leasehold'
"""


class Worker:
    """A worker's connection, prepared while the tables were empty."""

    def __init__(self, url: str) -> None:
        self._connection = connections.connect(url, plans_once=True)
        self.store = PostgresStore(url, source=_Given(self._connection))
        declare(self.store, Rule(name="domain", running=2), Rule(name="closed", running=0))
        for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
            enqueue_one(self.store, lane="domain:0")
            self.look(8)
            (taken,) = claim_lanes(self.store, place_of("domain:0"))
            settle(self.store, taken, "succeeded")
            self.store.survey(["default"], [GREET])
            self.store.tend()

    def look(self, page: int, after: str = "") -> list[str]:
        party = place_of("").removesuffix("\x1f")
        seen = self.store.look_lanes(
            WORKER, [Look("default")], parties=64, page=page, after={party: after} if after else {}
        )
        return [lane.place for lane in seen]

    def rows_read(self, action: Callable[[], Any]) -> Counter[str]:
        """Count the rows that an action reads of each table, from a table or through an index."""
        with self._connection.transaction():
            before = self._read_so_far()
            action()
            return self._read_so_far() - before

    def _read_so_far(self) -> Counter[str]:
        return Counter(dict(self._connection.execute(READ, prepare=False).fetchall()))

    def close(self) -> None:
        self._connection.close()


@pytest.fixture(scope="module")
def worker(postgres_server: Any) -> Iterator[Worker]:
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    with contextlib.closing(Worker(url)) as worker:
        with psycopg.connect(url) as loader:
            loader.execute(LOAD, {"blocked": BLOCKED, "lanes": LANES})
        yield worker
    postgres_server.drop_database(url)


def test_a_look_reads_one_row_of_each_lane(worker: Worker) -> None:
    found: list[str] = []
    read = worker.rows_read(lambda: found.extend(worker.look(100)))
    assert len(found) == 100
    assert found[0] == place_of(CLOSED)
    assert read["waiting"] < 300, read
    assert read["throttle"] + read["lease"] < 300, read


def test_a_look_goes_on_where_the_last_one_ended(worker: Worker) -> None:
    found: list[str] = []
    read = worker.rows_read(lambda: found.extend(worker.look(100, after=place_of("domain:500"))))
    assert found[0] > place_of("domain:500")
    assert read["waiting"] < 300, read


def test_a_claim_reads_the_jobs_that_it_takes(worker: Worker) -> None:
    lanes = [place_of(f"domain:{n}") for n in range(100, 200)]
    taken: list[Any] = []
    read = worker.rows_read(lambda: taken.extend(claim_lanes(worker.store, *lanes, limit=200)))
    assert len(taken) == 200
    assert read["waiting"] < 1_000, read
    assert read["job"] < 300, read
    assert read["turnstile"] < 300, read
    assert sum(read[name] for name in ("throttle", "lease", "bucket", "charge")) < 500, read


def test_a_claim_of_a_closed_lane_reads_none_of_its_jobs(worker: Worker) -> None:
    read = worker.rows_read(lambda: claim_lanes(worker.store, place_of(CLOSED)))
    assert read["waiting"] == 0, read


def test_a_survey_reads_a_few_rows(worker: Worker) -> None:
    read = worker.rows_read(lambda: worker.store.survey(["default", "mail"], [GREET]))
    assert read.total() < 50, read
