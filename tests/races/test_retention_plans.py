"""What a step of retention reads, counted in rows: its page, and nothing of the many others.

The statements are planned on empty tables; then come 50,000 ready jobs, as many keys and old jobs.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import psycopg
import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.keeping import Pruning
from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.store import PostgresStore
from tests.races.kit import _Given

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.postgres.connection import Connection

MANY = 50_000
PAGE = 100
MOST_READ = 30 * PAGE
GONE = {Pruning.JOBS: PAGE // 2, Pruning.KEYS: 0}  # half of the jobs are a batch's
LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, queue, kind,
    args, key, batch)
  SELECT ('018f0000-0000-7000-8000-' || lpad(n::text, 12, '0'))::uuid, now(), 3600, 0, 5, 'default',
    'greet', '{}', CASE WHEN n > %(many)s THEN 'key:' || n END,
    CASE WHEN n % 2 = 0 THEN '018f0000-0000-7000-8000-000000000000'::uuid END
  FROM generate_series(1, 2 * %(many)s) AS n
  RETURNING *
),
ready AS (
  INSERT INTO leasehold.ready (job_id, created_at, priority, queue, kind)
  SELECT id, created_at, priority, queue, kind FROM made WHERE key IS NOT NULL
),
ended AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at)
  SELECT id, 1, 'succeeded', 0, 0, now() - interval '20 days' FROM made WHERE key IS NULL
),
batch AS (
  INSERT INTO leasehold.batch (id, created_at, ended_at)
  VALUES ('018f0000-0000-7000-8000-000000000000', now(), now() - interval '20 days')
)
INSERT INTO leasehold.key (tenant, key, job_id, taken_at, series_at)
SELECT '', key, id, now(), now() FROM made WHERE key IS NOT NULL
"""
READ = b"""
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
FROM pg_stat_xact_user_tables
WHERE schemaname = 'leasehold'
"""


@pytest.fixture
def connection(postgres_url: str) -> Iterator[Connection]:
    with closing(open_store(postgres_url)) as store:
        store.migrate()
    with closing(connections.connect(postgres_url)) as opened:
        yield opened


def rows_read(connection: Connection) -> int:
    (count,) = connection.execute(READ).fetchone() or (0,)
    return int(count)


def test_a_step_reads_no_more_than_its_page(connection: Connection, postgres_url: str) -> None:
    store = PostgresStore(postgres_url, source=_Given(connection))
    for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
        for what in (Pruning.JOBS, Pruning.KEYS):
            store.prune(what, limit=PAGE)
        store.take_duty("retention", WorkerId(1), seconds=0.0)
    with psycopg.connect(postgres_url) as loader:
        loader.execute(LOAD.replace(b" % 2", b" %% 2"), {"many": MANY})

    connection.autocommit = False
    for what, gone in GONE.items():
        before = rows_read(connection)
        step = store.prune(what, limit=PAGE)
        assert (step.seen, step.gone) == (PAGE, gone)
        assert 0 < rows_read(connection) - before < MOST_READ, what
    connection.rollback()
