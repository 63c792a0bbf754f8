"""An enqueue that was planned on empty tables reads no table whole when many jobs have come.

Also over a caller's connection, whose settings are the caller's own.
"""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING, Any

import msgspec
import psycopg
import pytest

from leasehold.store import open_store
from tests.conformance.kit import new_jobs
from tests.races.test_hints import load_ready

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.values import NewJob

JOBS = 20_000
Caller = psycopg.Connection[Any]


@pytest.fixture
def caller(postgres_url: str) -> Iterator[Caller]:
    """A caller's connection that has enqueued, anew and again, while there was nothing."""
    with closing(open_store(postgres_url)) as store:
        store.migrate()
    with psycopg.connect(postgres_url, autocommit=True) as loader:
        loader.execute("VACUUM ANALYZE leasehold.job")  # known to be empty: a scan looks cheap
    with psycopg.connect(postgres_url) as connection:
        for _ in range(8):  # after five of them PostgreSQL keeps a generic plan
            jobs = new_jobs(2)
            enqueue(connection, jobs)
            enqueue(connection, jobs)
        connection.rollback()
        with psycopg.connect(postgres_url) as loader:
            load_ready(loader, JOBS)
        yield connection


def enqueue(connection: Caller, jobs: list[NewJob]) -> int:
    sql = "SELECT existing FROM leasehold.enqueue_many(%s)"
    return len(connection.execute(sql, (msgspec.json.encode(jobs).decode(),)).fetchall())


def whole_reads(connection: Caller) -> set[str]:
    """Name the tables that this transaction has read from one end to the other."""
    found = connection.execute(
        "SELECT relname FROM pg_stat_xact_user_tables WHERE schemaname = 'leasehold'"
        " AND seq_tup_read > 100"
    )
    return {row[0] for row in found}


def test_new_jobs_and_known_ones_are_found_by_their_key(caller: Caller) -> None:
    jobs = new_jobs(100)
    assert enqueue(caller, jobs) == 0
    assert enqueue(caller, jobs) == 100
    assert whole_reads(caller) == set()
