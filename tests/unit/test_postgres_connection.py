"""Connections of the store's own: steady plans, and no compiling of what runs for a millisecond."""

from __future__ import annotations

from contextlib import closing
from datetime import timedelta

import pytest

from leasehold.store.postgres.connection import Pool, connect, is_behind_pooler
from leasehold.store.postgres.leases import PACKAGE
from leasehold.store.postgres.store import PostgresStore
from leasehold.store.sql import load


@pytest.mark.parametrize(
    "setting", ["jit", "enable_seqscan", "enable_hashjoin", "enable_mergejoin"]
)
def test_what_would_make_plans_flip_is_off(postgres_url: str, setting: str) -> None:
    with closing(connect(postgres_url)) as connection:
        assert connection.execute(f"SHOW {setting}", prepare=False).fetchone() == ("off",)


def test_looking_for_lapsed_leases_compiles_nothing(postgres_url: str) -> None:
    with closing(PostgresStore(postgres_url)) as store:
        store.migrate()
    statement = f"EXPLAIN (ANALYZE) {load(PACKAGE, 'lapsed')}"
    parameters = {"skew": timedelta(0), "limit": 1_000}
    with closing(connect(postgres_url)) as connection:
        steady = connection.execute(statement, parameters, prepare=False).fetchall()
        connection.execute("SET jit = on", prepare=False)
        can_compile = connection.execute("SELECT pg_jit_available()", prepare=False).fetchone()
        mutant = connection.execute(statement, parameters, prepare=False).fetchall()
    assert "JIT" not in str(steady)
    assert ("JIT" in str(mutant),) == can_compile


def test_a_pooler_is_told_by_the_process_id_it_makes_up() -> None:
    assert is_behind_pooler(1, 2)
    assert not is_behind_pooler(7, 7)


def test_a_connection_that_comes_back_after_the_close_is_closed(postgres_url: str) -> None:
    """As from a thread that was left behind: nobody would close it later."""
    pool = Pool(postgres_url)
    with pool.connection() as lent:
        pool.close()
        assert not lent.closed
    assert lent.closed
