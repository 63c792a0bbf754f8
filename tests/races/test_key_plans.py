"""What keys cost, counted in rows that were read: not the other keys, and not the other jobs.

The statements are planned on empty tables, on a worker's connection and on a caller's; then comes
a crowd of keys whose jobs have ended, and as many jobs without one.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import psycopg
import pytest

from leasehold.store import open_store
from leasehold.store.postgres import connection as connections
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.key_kit import (
    DEBOUNCE,
    LATEST,
    REPLACE,
    SKIP,
    ask,
    hand_over,
    key_of,
    succeed,
)
from tests.conformance.kit import claim_one
from tests.races.kit import _Given, crowd

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold.model.keys import Mode
    from leasehold.store.postgres.connection import Connection

KEYS = crowd(100_000)
MOST_READ = 100  # by one operation, of all tables together
LOAD = b"""
WITH made AS (
  INSERT INTO leasehold.job (id, created_at, timeout_seconds, priority, max_attempts, queue, kind,
    args, key)
  SELECT gen_random_uuid(), now(), 3600, 0, 5, 'other', 'greet', '{}',
    CASE WHEN n <= %(keys)s THEN 'old:' || n END
  FROM generate_series(1, 2 * %(keys)s) AS n
  RETURNING *
),
ready AS (
  INSERT INTO leasehold.ready (job_id, created_at, priority, queue, kind)
  SELECT id, created_at, priority, queue, kind FROM made WHERE key IS NULL
),
ended AS (
  INSERT INTO leasehold.outcome (job_id, attempt, state, failures, lapses, finished_at)
  SELECT id, 1, 'succeeded', 0, 0, now() FROM made WHERE key IS NOT NULL
)
INSERT INTO leasehold.key (tenant, key, job_id, taken_at, series_at)
SELECT '', key, id, now(), now() FROM made WHERE key IS NOT NULL
"""
READ = b"""
SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint
FROM pg_stat_xact_user_tables
WHERE schemaname = 'leasehold'
"""


class Ground:
    """A connection that was used while there was nothing, and a store for all the rest."""

    def __init__(self, url: str, connection: Connection, *, is_workers: bool) -> None:
        self.store = PostgresStore(url)
        self.most_read = 0
        self._connection = connection
        self._own = PostgresStore(url, source=_Given(connection))
        self._is_workers = is_workers

    def go_round(self, key: str) -> None:
        """Take a key over, refuse, replace, stand behind, hand over, put off: all that keys do."""
        self.ask(key=key)
        self.ask(key=key, ever=True)
        self.ask(REPLACE, key=key)
        taken = claim_one(self.store)
        self.ask(LATEST, key=key)
        self.look_after()
        succeed(self.store, taken)
        self.look_after()
        succeed(self.store, claim_one(self.store))
        self.ask(DEBOUNCE, key=key)
        self.ask(DEBOUNCE, key=key)
        self.store.cancel(key_of(self.store, key).holder, by=None)

    def ask(self, mode: Mode = SKIP, **options: Any) -> None:
        self._count(lambda: ask(self._own, mode, **options))

    def look_after(self) -> None:
        if self._is_workers:
            self._count(lambda: self._own.survey(["default"], ["greet"]))
            self._count(lambda: hand_over(self._own))
        else:
            hand_over(self.store)

    def _count(self, action: Callable[[], object]) -> None:
        """Note how much an action reads, in a transaction of its own."""
        self._connection.autocommit = False
        before = self._read()
        action()
        read = self._read() - before
        self._connection.commit()
        self._connection.autocommit = True
        self.most_read = max(self.most_read, read)

    def _read(self) -> int:
        (count,) = self._connection.execute(READ).fetchone() or (0,)
        return int(count)


@pytest.fixture(params=["a worker's", "the pool's", "a caller's"])
def ground(postgres_url: str, request: pytest.FixtureRequest) -> Iterator[Ground]:
    with closing(open_store(postgres_url)) as store:
        store.migrate()
    is_workers = request.param == "a worker's"
    opened = (
        psycopg.connect(postgres_url, autocommit=True)
        if request.param == "a caller's"
        else connections.connect(postgres_url, plans_once=is_workers)
    )
    with closing(opened):
        ground = Ground(postgres_url, opened, is_workers=is_workers)
        for number in range(8):  # after five of them PostgreSQL keeps a generic plan
            ground.go_round(f"early:{number}")
        with psycopg.connect(postgres_url) as loader:
            loader.execute(LOAD, {"keys": KEYS})
        yield ground
        ground.store.close()


def test_keys_read_no_more_than_what_they_ask_for(ground: Ground) -> None:
    ground.most_read = 0
    for number in (1, 2):
        ground.go_round(f"old:{number}")
    assert 0 < ground.most_read < MOST_READ
