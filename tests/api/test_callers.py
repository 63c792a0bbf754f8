"""Enqueueing on a caller's connection: with its commit the job is there, else it never was."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import psycopg
import pytest
import sqlalchemy as sa
from django.db import connection as django_connection
from django.db import transaction
from sqlalchemy import orm

import leasehold as lh
from leasehold.store import open_store
from tests.api.conftest import empty
from tests.api.connections import (
    INSERT,
    KINDS,
    PAIRS,
    Handle,
    alchemy_engine,
    async_engine,
    django_database,
    open_aiosqlite,
    open_async_psycopg,
    open_asyncpg,
    open_psycopg,
    open_session,
    open_sqlite3,
    path_of,
)
from tests.api.tasks import greet, mail
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.store.base import Store


@pytest.fixture(params=PAIRS, ids=lambda pair: f"{pair[0]}-on-{pair[1]}")
def pair(request: pytest.FixtureRequest) -> tuple[str, str]:
    kind, backend = request.param
    return kind, empty(request.getfixturevalue(f"api_{backend}_url"))


@pytest.fixture
def url(pair: tuple[str, str]) -> str:
    return pair[1]


@pytest.fixture
def handle(pair: tuple[str, str]) -> Iterator[Handle]:
    with KINDS[pair[0]][0](pair[1]) as opened:
        yield opened


@pytest.fixture
def caller(handle: Handle, url: str) -> Iterator[Any]:
    """The enqueue verbs on the connection; async ones are waited for."""
    client = handle.client(url)
    yield client.on(handle.target)
    handle.call(client.close())


@pytest.fixture
def postgres_caller_url(api_postgres_url: str) -> str:
    return empty(api_postgres_url)


@pytest.fixture
def sqlite_caller_url(api_sqlite_url: str) -> str:
    return empty(api_sqlite_url)


def jobs_at(url: str) -> list[lh.Job]:
    with lh.Client(url) as client:
        return client.find(limit=10_000)


def rows_at(url: str) -> int:
    with open_tables(url) as tables:
        return len(tables.execute("SELECT id FROM own"))


# -- each kind -----------------------------------------------------------------------------------
def test_a_job_is_there_when_the_caller_has_committed_and_not_before(
    handle: Handle, caller: Any, url: str
) -> None:
    enqueued = handle.call(caller.enqueue(mail.with_options(created_by="ada"), "x@y :a %s"))
    assert jobs_at(url) == []
    handle.commit()
    (job,) = jobs_at(url)
    assert enqueued.is_new
    assert (job.id, job.args, job.queue) == (enqueued.id, {"to": "x@y :a %s"}, "mail")
    assert (job.created_by, job.max_attempts) == ("ada", 2)


def test_a_job_that_is_rolled_back_never_existed(handle: Handle, caller: Any, url: str) -> None:
    handle.call(caller.enqueue(greet, "a"))
    handle.rollback()
    assert jobs_at(url) == []


def test_the_callers_own_rows_and_the_job_are_committed_together(
    handle: Handle, caller: Any, url: str
) -> None:
    handle.execute(INSERT)
    handle.call(caller.enqueue(greet, "a"))
    assert (rows_at(url), len(jobs_at(url))) == (0, 0)
    handle.commit()
    assert (rows_at(url), len(jobs_at(url))) == (1, 1)


def test_the_callers_own_rows_and_the_job_are_rolled_back_together(
    handle: Handle, caller: Any, url: str
) -> None:
    handle.call(caller.enqueue(greet, "a"))
    handle.execute(INSERT)
    handle.rollback()
    assert (rows_at(url), len(jobs_at(url))) == (0, 0)


def test_many_jobs_are_enqueued_in_the_callers_transaction(
    handle: Handle, caller: Any, url: str
) -> None:
    calls = [greet.call(f"{number}") for number in range(250)]
    assert handle.call(caller.enqueue_many(calls, chunk=100)) == 250
    assert jobs_at(url) == []
    handle.commit()
    assert len(jobs_at(url)) == 250


def test_a_job_is_enqueued_by_name_in_the_callers_transaction(
    handle: Handle, caller: Any, url: str
) -> None:
    handle.call(caller.enqueue_by_name("else.where", {"a": None}, queue="q"))
    handle.commit()
    assert [(job.kind, job.args, job.queue) for job in jobs_at(url)] == [
        ("else.where", {"a": None}, "q")
    ]


def test_the_same_job_again_is_not_new(handle: Handle, caller: Any, url: str) -> None:
    given = greet.with_options(id=uuid4())
    answers = [handle.call(caller.enqueue(given, "a")).is_new for _ in range(2)]
    handle.commit()
    assert answers == [True, False]
    assert len(jobs_at(url)) == 1


def test_a_conflict_is_named_and_writes_nothing(handle: Handle, caller: Any, url: str) -> None:
    with lh.Client(url) as client:
        taken = client.enqueue(greet, "a").id
    calls = [greet.call("b"), greet.with_options(id=taken).call("c")]
    with pytest.raises(lh.IdConflict) as caught:
        handle.call(caller.enqueue_many(calls))
    assert caught.value.job_ids == (taken,)
    with contextlib.suppress(Exception):  # some refuse to commit after an error, which is as good
        handle.commit()
    assert [job.id for job in jobs_at(url)] == [taken]


def test_bad_arguments_leave_the_callers_transaction_alone(
    handle: Handle, caller: Any, url: str
) -> None:
    handle.execute(INSERT)
    with pytest.raises(lh.BadArguments):
        handle.call(caller.enqueue(greet, 5))
    handle.commit()
    assert (rows_at(url), len(jobs_at(url))) == (1, 0)


# -- engines commit by themselves ----------------------------------------------------------------
def test_an_engine_commits_by_itself(store: Store, store_url: str, woken: list[Any]) -> None:
    taken = uuid4()
    with alchemy_engine(store_url) as engine:
        caller = lh.Client(store=store).on(engine)
        caller.enqueue(greet.with_options(id=taken), "a")
        assert woken == [{"default": 1}]
        with pytest.raises(lh.IdConflict):
            caller.enqueue_many([greet.call("b"), greet.with_options(id=taken).call("c")])
    assert [job.id for job in jobs_at(store_url)] == [taken]


def test_an_async_engine_commits_by_itself(store: Store, store_url: str, woken: list[Any]) -> None:
    async def scenario() -> None:
        async with async_engine(store_url) as engine:
            await lh.AsyncClient(store=store).on(engine).enqueue(greet, "a")

    asyncio.run(scenario())
    assert woken == [{"default": 1}]
    assert len(jobs_at(store_url)) == 1


# -- wake-ups ------------------------------------------------------------------------------------
@pytest.fixture
def woken(store: Store, monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The queues that the store was told to wake, call by call."""
    told: list[Any] = []
    monkeypatch.setattr(store, "notify", told.append)
    return told


def test_a_session_wakes_workers_after_its_commit_only(
    store: Store, store_url: str, woken: list[Any]
) -> None:
    with open_session(store_url) as handle:
        caller = lh.Client(store=store).on(handle.target)
        caller.enqueue(greet, "a")
        caller.enqueue(mail, "b")
        assert woken == []
        handle.commit()
        assert sorted(woken, key=sorted) == [{"default": 1}, {"mail": 1}]
        handle.execute(INSERT)
        handle.commit()
        assert len(woken) == 2


def test_a_savepoints_end_is_no_commit(store: Store, store_url: str, woken: list[Any]) -> None:
    with open_session(store_url) as handle:
        session: orm.Session = handle.target
        with session.begin_nested():
            lh.Client(store=store).on(session).enqueue(greet, "a")
        assert woken == []
        session.commit()
    assert woken == [{"default": 1}]
    assert len(jobs_at(store_url)) == 1


def test_a_savepoint_that_is_rolled_back_takes_its_job_with_it(
    store: Store, store_url: str
) -> None:
    with open_session(store_url) as handle:
        session: orm.Session = handle.target
        caller = lh.Client(store=store).on(session)
        caller.enqueue(greet, "kept")
        with session.begin_nested() as savepoint:
            caller.enqueue(greet, "dropped")
            savepoint.rollback()
        session.commit()
    assert [job.args["name"] for job in jobs_at(store_url)] == ["kept"]


def test_django_wakes_workers_on_commit_only(
    store: Store, store_url: str, woken: list[Any]
) -> None:
    with django_database(store_url):
        caller = lh.Client(store=store).on(django_connection)
        with transaction.atomic():
            caller.enqueue(greet, "a")
            assert woken == []
        assert woken == [{"default": 1}]
        with contextlib.suppress(ZeroDivisionError), transaction.atomic():
            caller.enqueue(mail, "b")
            raise ZeroDivisionError
        assert woken == [{"default": 1}]
    assert len(jobs_at(store_url)) == 1


def test_django_outside_of_a_transaction_commits_at_once(
    store: Store, store_url: str, woken: list[Any]
) -> None:
    taken = uuid4()
    with django_database(store_url):
        caller = lh.Client(store=store).on(django_connection)
        caller.enqueue(greet.with_options(id=taken), "a")
        assert woken == [{"default": 1}]
        with pytest.raises(lh.IdConflict):
            caller.enqueue_many([greet.call("b"), greet.with_options(id=taken).call("c")])
    assert [job.id for job in jobs_at(store_url)] == [taken]


# -- connections that commit each statement -------------------------------------------------------
def test_psycopg_in_autocommit_mode_commits_at_once_and_wakes(postgres_caller_url: str) -> None:
    with (
        open_psycopg(postgres_caller_url, autocommit=True) as handle,
        woken_store(postgres_caller_url) as (store, woken),
    ):
        caller = lh.Client(store=store).on(handle.target)
        caller.enqueue(greet, "a")
        assert woken == [{"default": 1}]
        with handle.target.transaction():
            caller.enqueue(greet, "b")
        assert len(woken) == 1
    assert len(jobs_at(postgres_caller_url)) == 2


def test_sqlite3_in_autocommit_mode_commits_all_or_nothing(sqlite_caller_url: str) -> None:
    taken = uuid4()
    with (
        open_sqlite3(sqlite_caller_url, isolation_level=None) as handle,
        woken_store(sqlite_caller_url) as (store, woken),
    ):
        caller = lh.Client(store=store).on(handle.target)
        caller.enqueue(greet.with_options(id=taken), "a")
        assert woken == [{"default": 1}]
        assert not handle.target.in_transaction
        with pytest.raises(lh.IdConflict):
            caller.enqueue_many([greet.call("b"), greet.with_options(id=taken).call("c")])
        assert not handle.target.in_transaction
    assert [job.id for job in jobs_at(sqlite_caller_url)] == [taken]


def test_sqlalchemy_in_autocommit_mode_commits_all_or_nothing(store_url: str) -> None:
    taken = uuid4()
    with (
        alchemy_engine(store_url) as engine,
        lh.Client(store_url) as client,
        engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection,
    ):
        client.on(connection).enqueue(greet.with_options(id=taken), "a")
        assert len(jobs_at(store_url)) == 1
        with pytest.raises(lh.IdConflict):
            client.on(connection).enqueue_many(
                [greet.call("b"), greet.with_options(id=taken).call("c")]
            )
    assert len(jobs_at(store_url)) == 1


@contextlib.contextmanager
def woken_store(url: str) -> Iterator[tuple[Store, list[Any]]]:
    told: list[Any] = []
    with contextlib.closing(open_store(url)) as store:
        store.notify = told.append  # type: ignore[method-assign, assignment] # to listen in
        yield store, told


# -- SQLite's locks ------------------------------------------------------------------------------
def test_a_transaction_that_read_before_another_wrote_is_store_busy(sqlite_caller_url: str) -> None:
    with open_sqlite3(sqlite_caller_url, isolation_level=None) as handle:
        handle.execute("BEGIN")
        handle.target.execute("SELECT count(*) FROM own").fetchall()
        with lh.Client(sqlite_caller_url) as client:
            client.enqueue(greet, "another")
            with pytest.raises(lh.StoreBusy, match="BEGIN IMMEDIATE"):
                client.on(handle.target).enqueue(greet, "a")
        handle.rollback()
    assert len(jobs_at(sqlite_caller_url)) == 1


def test_a_lock_that_another_holds_is_store_busy_through_frameworks_too(
    sqlite_caller_url: str,
) -> None:
    with contextlib.closing(
        sqlite3.connect(path_of(sqlite_caller_url), isolation_level=None)
    ) as other:
        other.execute("BEGIN IMMEDIATE")
        engine = sa.create_engine(sqlite_caller_url, connect_args={"timeout": 0})
        with lh.Client(sqlite_caller_url) as client, pytest.raises(lh.StoreBusy):
            client.on(engine).enqueue(greet, "a")
        engine.dispose()
        other.execute("ROLLBACK")
    assert jobs_at(sqlite_caller_url) == []


# -- what does not fit ---------------------------------------------------------------------------
def test_other_errors_stay_the_drivers_own(postgres_caller_url: str) -> None:
    with lh.Client(postgres_caller_url) as client, open_psycopg(postgres_caller_url) as handle:
        caller = client.on(handle.target)
        handle.target.close()
        with pytest.raises(psycopg.OperationalError):
            caller.enqueue(greet, "a")


@pytest.mark.parametrize("target", [None, 5, "postgresql://", sa.text("x"), greet])
def test_what_is_no_connection_is_refused_naming_what_is(target: object) -> None:
    client = lh.Client("sqlite:///nowhere.db")
    with pytest.raises(lh.BadOption, match=r"use one of: psycopg\.Connection"):
        client.on(target)
    with pytest.raises(lh.BadOption, match=r"use one of: psycopg\.AsyncConnection"):
        lh.AsyncClient("sqlite:///nowhere.db").on(target)


def test_a_connection_to_another_kind_of_database_is_refused(
    postgres_caller_url: str, sqlite_caller_url: str
) -> None:
    with (
        lh.Client(postgres_caller_url) as client,
        open_sqlite3(sqlite_caller_url) as handle,
        pytest.raises(lh.BadOption, match="leads to sqlite and the queue is on postgresql"),
    ):
        client.on(handle.target)
    with (
        lh.Client(sqlite_caller_url) as client,
        alchemy_engine(postgres_caller_url) as engine,
        pytest.raises(lh.BadOption, match="leads to postgresql and the queue is on sqlite"),
    ):
        client.on(engine)


def test_sync_and_async_are_not_mixed(postgres_caller_url: str, sqlite_caller_url: str) -> None:
    with (
        lh.Client(sqlite_caller_url) as client,
        open_aiosqlite(sqlite_caller_url) as handle,
        pytest.raises(lh.BadOption, match=r"use AsyncClient\.on"),
    ):
        client.on(handle.target)
    for opened in (open_asyncpg, open_async_psycopg):
        with (
            lh.Client(postgres_caller_url) as client,
            opened(postgres_caller_url) as handle,
            pytest.raises(lh.BadOption, match=r"use AsyncClient\.on"),
        ):
            client.on(handle.target)
    with (
        open_psycopg(postgres_caller_url) as handle,
        pytest.raises(lh.BadOption, match=r"use Client\.on"),
    ):
        lh.AsyncClient(postgres_caller_url).on(handle.target)
