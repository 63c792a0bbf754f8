"""What a save costs, counted in rows that were read: not the other jobs' checkpoints and steps.

Planned on empty tables, on a connection of a worker, the pool and a caller; then come 50,000 leases
with a checkpoint and two steps each.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.model.saving import Save
from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import WORKER, start_many
from tests.races.kit import _Given
from tests.races.test_key_plans import READ

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim

OTHERS = 50_000
MOST_READ = 10  # for each save, of all tables together
LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.lease (job_id, fence, worker, attempt, until, claimed_at, lease_seconds,
    priority, failures, lapses)
  SELECT gen_random_uuid(), n, 1, 1, now(), now(), 60, 0, 0, 0
  FROM generate_series(1000000, 1000000 + %(others)s) AS n
  RETURNING job_id
),
saved AS (
  INSERT INTO leasehold.checkpoint (job_id, saved_at, cursor)
  SELECT job_id, now(), '1' FROM made
)
INSERT INTO leasehold.step (job_id, name, done_at)
SELECT job_id, name, now() FROM made CROSS JOIN (VALUES ('a'), ('b')) AS step (name)
"""


@pytest.mark.parametrize("whose", ["a worker's", "the pool's", "a caller's"])
def test_a_save_reads_no_more_than_its_own_rows(postgres_url: str, whose: str) -> None:
    with closing(open_store(postgres_url)) as store:
        store.migrate()
        opened = (
            psycopg.connect(postgres_url, autocommit=True)
            if whose == "a caller's"
            else connections.connect(postgres_url, plans_once=whose == "a worker's")
        )
        with closing(opened):
            own = PostgresStore(postgres_url, source=_Given(opened))
            for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
                save_and_read(own, start_many(store, 1))
            with psycopg.connect(postgres_url) as loader:
                loader.execute(LOAD, {"others": OTHERS})
            jobs = start_many(store, 10)
            opened.autocommit = False
            read = counted(opened, lambda: save_and_read(own, jobs))
    assert 0 < read <= MOST_READ * len(jobs)


def save_and_read(store: PostgresStore, jobs: list[Claim]) -> None:
    for _ in range(2):  # the first time it inserts, then it updates
        saves = [
            Save(job_id=each.job_id, fence=each.fence, cursor="1", done=1, step="a", result="1")
            for each in jobs
        ]
        assert all(store.save(WORKER, saves))
    assert store.checkpoint(jobs[0].job_id) is not None
    assert len(store.steps(jobs[0].job_id)) == 1


def counted(connection: connections.Connection, action: Callable[[], None]) -> int:
    def rows() -> int:
        (count,) = connection.execute(READ).fetchone() or (0,)
        return int(count)

    before = rows()
    action()
    return rows() - before
