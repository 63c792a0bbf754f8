"""What narrowed claims cost, in rows that were read: jobs of other batches are not among them.

The statements are prepared on empty tables; then comes a crowd of jobs of other batches, ready
and in lanes.
"""

from __future__ import annotations

import contextlib
from collections import Counter
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.model.lanes import Ask, Look, Rule
from leasehold.model.values import Only, Want
from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres import narrow
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import GREET, WORKER, declare, enqueue_one, make_batch, new_id, settle
from tests.races.kit import _Given, crowd
from tests.races.test_lane_plans import READ

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.model.values import Claim

LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, queue, kind,
    args, lane, batch)
  SELECT gen_random_uuid(), now() - interval '1 day', 3600, 0, 5, 'default', 'greet', '{}',
    CASE WHEN n %% 3 = 0 THEN 'domain:x' END,
    ('00000000-0000-7000-8000-' || lpad((n %% 7)::text, 12, '0'))::uuid
  FROM generate_series(1, %(jobs)s) AS n
  RETURNING *
),
ready AS (
  INSERT INTO leasehold.ready (job_id, created_at, priority, queue, kind, batch)
  SELECT id, created_at, priority, queue, kind, batch
  FROM made
  WHERE lane IS NULL
)
INSERT INTO leasehold.waiting (job_id, created_at, priority, queue, kind, lane, batch)
SELECT id, created_at, priority, queue, kind, lane, batch
FROM made
WHERE lane IS NOT NULL
"""
JOBS = crowd(300_000)
LEASES = {GREET: 60.0, "short": 60.0}


class Worker:
    """A worker's connection, prepared while the tables were empty."""

    def __init__(self, url: str) -> None:
        self._connection = connections.connect(url, plans_once=True)
        self.store = PostgresStore(url, source=_Given(self._connection))
        declare(self.store, Rule(name="domain", running=50), Rule(name="mine", running=50))
        for _ in range(8):
            batch = make_batch(self.store)
            for lane in (None, "mine:x"):
                enqueue_one(self.store, batch=batch, lane=lane)
            for taken in (*self.claim(Only(batch=batch)), *self.take_lanes(batch)):
                settle(self.store, taken, "succeeded")
            self.claim(Only(kinds=frozenset({"short"})))
            self.claim_parked(Only(batch=batch))

    def claim(self, only: Only) -> list[Claim]:
        return self.store.claim(WORKER, [Want("default", 10)], limit=10, leases=LEASES, only=only)

    def claim_parked(self, only: Only) -> list[Claim]:
        wants = [Want("default", 10)]
        return self.store.claim_parked(WORKER, wants, limit=10, leases=LEASES, only=only)

    def take_lanes(self, batch: Any) -> list[Claim]:
        seen = self.look(batch)
        asks = [Ask(lane.place, 10) for lane in seen]
        only = Only(batch=batch)
        return self.store.claim_lanes(WORKER, asks, limit=10, leases=LEASES, only=only).claims

    def look(self, batch: Any) -> list[Any]:
        looks = [Look("default")]
        return self.store.look_lanes(WORKER, looks, parties=1, page=1, after={}, batch=batch)

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
    opened = Worker(url)
    with psycopg.connect(url) as loader:
        loader.execute(LOAD, {"jobs": JOBS})
    yield opened
    opened.close()
    postgres_server.drop_database(url)


def test_a_batchs_claim_reads_its_own_members_only(worker: Worker) -> None:
    batch = make_batch(worker.store)
    for _ in range(20):
        enqueue_one(worker.store, batch=batch)
    claims: list[Claim] = []
    read = worker.rows_read(lambda: claims.extend(worker.claim(Only(batch=batch))))
    assert len(claims) == 10
    assert read["ready"] <= 40, read


def test_a_batch_without_ready_members_costs_nothing(worker: Worker) -> None:
    read = worker.rows_read(lambda: worker.claim(Only(batch=new_id())))
    assert read["ready"] == 0, read
    read = worker.rows_read(lambda: worker.claim_parked(Only(batch=new_id())))
    assert read["parked"] == 0, read


def test_a_batchs_look_at_lanes_reads_its_own_members_only(worker: Worker) -> None:
    batch = make_batch(worker.store)
    for _ in range(5):
        enqueue_one(worker.store, batch=batch, lane="mine:x")
    claims: list[Claim] = []
    read = worker.rows_read(lambda: claims.extend(worker.take_lanes(batch)))
    assert len(claims) == 5
    assert read["waiting"] <= 40, read


def test_a_claim_for_kinds_looks_a_bounded_way_ahead(worker: Worker) -> None:
    enqueue_one(worker.store, kind="short")  # behind two thirds of the crowd
    read = worker.rows_read(lambda: worker.claim(Only(kinds=frozenset({"short"}))))
    assert read["ready"] <= 3 * narrow.LOOK_AHEAD, read
