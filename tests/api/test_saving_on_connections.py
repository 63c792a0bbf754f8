"""`job.checkpoint(cursor, on=connection)`: saved with the caller's own commit, behind the fence."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.ids import WorkerId
from leasehold.model.values import Want
from leasehold.store import open_store
from leasehold.worker.attempt import attempt_of
from leasehold.worker.current import CurrentJob
from leasehold.worker.saver import Saver
from tests.api.conftest import empty
from tests.api.connections import INSERT, KINDS, PAIRS, Handle, open_psycopg, open_sqlite3
from tests.api.tasks import greet
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store

WORKER = WorkerId(7)


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-on-{pair[1]}")
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    kind, backend = request.param
    return kind, empty(request.getfixturevalue(f"api_{backend}_url"))


@pytest.fixture
def url(pair: tuple[str, str]) -> str:
    return pair[1]


@pytest.fixture
def store(url: str) -> Iterator[Store]:
    opened = open_store(url)
    yield opened
    opened.close()


@pytest.fixture
def job(store: Store) -> CurrentJob:
    """A job that runs here."""
    return start(store)


@pytest.fixture
def handle(pair: tuple[str, str], job: CurrentJob) -> Iterator[Handle]:
    """A caller's connection, opened when the job runs: on SQLite it may hold the write lock."""
    with KINDS[pair[0]][0](pair[1]) as opened:
        yield opened


def start(store: Store) -> CurrentJob:
    with lh.Client(store=store) as client:
        client.enqueue(greet, "a")
    (claim,) = store.claim(WORKER, [Want("default", 1)], limit=1, leases={"greet": 60.0})
    attempt = attempt_of(claim, greet, time.monotonic())
    return CurrentJob(attempt, store, WORKER, Saver(store, WORKER))


def save(handle: Handle, job: CurrentJob, cursor: Any, **units: Any) -> None:
    if handle.run is None:
        job.checkpoint(cursor, on=handle.target, **units)
    else:
        handle.call(job.checkpoint_async(cursor, on=handle.target, **units))


def own_rows(url: str) -> int:
    with open_tables(url) as tables:
        return len(tables.execute("SELECT id FROM own"))


def lose(store: Store) -> None:
    store.skew_seconds += 3600
    assert store.reclaim([(each, 60.0) for each in store.lapsed(limit=10)])


def test_what_is_saved_stands_when_the_caller_has_committed_and_not_before(
    handle: Handle, job: CurrentJob, store: Store, url: str
) -> None:
    handle.execute(INSERT)
    save(handle, job, {"page": "x@y :a %s"}, done=3, total=4, note="ü")
    assert store.checkpoint(job.id) is None
    handle.commit()

    found = store.checkpoint(job.id)
    assert found is not None
    assert (found.cursor, found.done, found.total) == ({"page": "x@y :a %s"}, 3, 4)
    assert (found.note, own_rows(url)) == ("ü", 1)
    assert job.cursor == {"page": "x@y :a %s"}


def test_what_is_rolled_back_was_never_saved(
    handle: Handle, job: CurrentJob, store: Store, url: str
) -> None:
    handle.execute(INSERT)
    save(handle, job, "page")
    handle.rollback()
    assert store.checkpoint(job.id) is None
    assert (own_rows(url), job.cursor) == (0, None)


def test_several_saves_in_one_transaction_count_in_their_order(
    handle: Handle, job: CurrentJob, store: Store
) -> None:
    for page in range(3):
        save(handle, job, page, done=page)
    handle.commit()
    found = store.checkpoint(job.id)
    assert found is not None
    assert (found.cursor, found.done) == (2, 2)


def test_a_caller_whose_lease_is_lost_is_told_and_saves_nothing(
    handle: Handle, job: CurrentJob, store: Store, url: str
) -> None:
    lose(store)
    with pytest.raises(lh.LeaseLost, match=str(job.id)):
        save(handle, job, "late")
    handle.rollback()
    assert store.checkpoint(job.id) is None


# -- what can't be ---------------------------------------------------------------------------------
def test_a_connection_of_the_other_sort_is_refused(
    handle: Handle, job: CurrentJob, pair: tuple[str, str]
) -> None:
    if handle.run is None:
        with pytest.raises(lh.BadOption, match="use checkpoint"):
            _run(job.checkpoint_async(1, on=handle.target))
    else:
        with pytest.raises(lh.BadOption, match="use checkpoint_async"):
            job.checkpoint(1, on=handle.target)


def _run(awaitable: Any) -> None:
    """Drive a coroutine that fails before it waits for anything."""
    awaitable.send(None)


def test_what_is_no_connection_is_refused(api_sqlite_url: str) -> None:
    store = open_store(empty(api_sqlite_url))
    with pytest.raises(lh.BadOption, match=r"can't save on a builtins\.int"):
        start(store).checkpoint(1, on=7)
    store.close()


def test_a_connection_to_the_other_kind_of_database_is_refused(
    api_sqlite_url: str, api_postgres_url: str
) -> None:
    store = open_store(empty(api_sqlite_url))
    job = start(store)
    with open_psycopg(api_postgres_url) as handle, pytest.raises(lh.BadOption, match="span both"):
        job.checkpoint(1, on=handle.target)
    store.close()


# -- how long a stopped caller holds the lease -----------------------------------------------------
def test_postgres_rolls_a_caller_back_that_does_nothing_for_as_long_as_the_lease(
    api_postgres_url: str,
) -> None:
    store = open_store(empty(api_postgres_url))
    job = start(store)
    with open_psycopg(api_postgres_url) as handle:

        def limit() -> str:
            row = handle.target.execute("SHOW idle_in_transaction_session_timeout").fetchone()
            return str(row[0])

        before = limit()
        job.checkpoint(1, on=handle.target)
        assert limit() == "1min"  # the lease
        handle.commit()
        assert limit() == before
        handle.commit()
        handle.execute("SET LOCAL idle_in_transaction_session_timeout = '5s'")
        job.checkpoint(2, on=handle.target)
        assert limit() == "5s"  # the caller's own is shorter
        handle.commit()
    store.close()


def test_sqlite_says_so_when_the_callers_transaction_can_not_write_any_more(
    api_sqlite_url: str,
) -> None:
    store = open_store(empty(api_sqlite_url))
    job = start(store)
    with open_sqlite3(api_sqlite_url, isolation_level=None) as handle:
        handle.execute("BEGIN")
        handle.target.execute("SELECT count(*) FROM own").fetchall()
        job.checkpoint("by itself")
        with pytest.raises(lh.StoreBusy, match="BEGIN IMMEDIATE"):
            job.checkpoint("too late", on=handle.target)
        handle.rollback()
    assert job.cursor == "by itself"
    store.close()
