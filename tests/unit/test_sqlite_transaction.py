"""A handler's transaction holds SQLite's one write lock: what that must not lead to."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing

import pytest

from leasehold.errors import LeaseLost, StoreBusy
from leasehold.model.states import State
from leasehold.model.values import Claim, Held
from leasehold.store.sqlite.store import SqliteStore
from tests.unit.sqlite_kit import PATIENCE_SECONDS, WORKER, claim, enqueue_one, success, wait_until


@pytest.fixture
def store(sqlite_url: str) -> Iterator[SqliteStore]:
    with closing(SqliteStore(sqlite_url)) as opened:
        with opened._database.write() as connection:
            connection.execute("CREATE TABLE effect (number INTEGER)")
        yield opened


@pytest.fixture
def taken(store: SqliteStore) -> Claim:
    store.migrate()
    enqueue_one(store)
    (only,) = claim(store)
    return only


def effects(store: SqliteStore) -> int:
    with store._database.read() as connection:
        count: int = connection.execute("SELECT count(*) FROM effect").fetchone()[0]
        return count


def state(store: SqliteStore, taken: Claim) -> State | None:
    job = store.get(taken.job_id)
    return None if job is None else job.state


def is_anyone_waiting() -> bool:
    return any(one.name.startswith("leasehold-transaction") for one in threading.enumerate())


END_BY_HAND: dict[str, Callable[[sqlite3.Connection], object]] = {
    "COMMIT": lambda connection: connection.execute("COMMIT"),
    "ROLLBACK": lambda connection: connection.execute("ROLLBACK"),
    "commit()": lambda connection: connection.commit(),
    "with": lambda connection: connection.__exit__(None, None, None),
}


@pytest.mark.parametrize("end", END_BY_HAND)
def test_the_handler_can_not_end_it_by_itself(store: SqliteStore, taken: Claim, end: str) -> None:
    def handle() -> None:
        with store.transaction(WORKER, lambda: success(taken), lease_seconds=60) as connection:
            connection.execute("INSERT INTO effect VALUES (1)")
            END_BY_HAND[end](connection)

    with pytest.raises(sqlite3.DatabaseError, match="not authorized"):
        handle()
    assert (effects(store), state(store, taken)) == (0, State.RUNNING)


def test_savepoints_are_the_handlers_own(store: SqliteStore, taken: Claim) -> None:
    with store.transaction(WORKER, lambda: success(taken), lease_seconds=60) as connection:
        connection.execute("SAVEPOINT a")
        connection.execute("INSERT INTO effect VALUES (1)")
        connection.execute("ROLLBACK TO a")
        connection.execute("INSERT INTO effect VALUES (2)")
        connection.execute("RELEASE a")
    assert (effects(store), state(store, taken)) == (1, State.SUCCEEDED)


def test_one_that_stays_open_too_long_is_rolled_back_and_lets_others_in(
    store: SqliteStore, taken: Claim
) -> None:
    other = threading.Thread(target=lambda: enqueue_one(store))

    def handle() -> None:
        with store.transaction(WORKER, lambda: success(taken), lease_seconds=0.6) as connection:
            connection.execute("INSERT INTO effect VALUES (1)")
            other.start()
            other.join()  # it can only write when this one's time is over
            assert not connection.in_transaction

    with pytest.raises(StoreBusy, match="a third of the lease"):
        handle()
    assert (effects(store), state(store, taken)) == (0, State.RUNNING)
    assert store.counts()[0].ready == 1


def test_after_its_time_nothing_the_handler_writes_is_kept(
    store: SqliteStore, taken: Claim
) -> None:
    def handle() -> None:
        with store.transaction(WORKER, lambda: success(taken), lease_seconds=0.1) as connection:
            wait_until(lambda: not connection.in_transaction, "its time is over")
            connection.execute("INSERT INTO effect VALUES (1)")

    with pytest.raises(StoreBusy, match="a third of the lease"):
        handle()
    assert effects(store) == 0


def test_a_long_statement_is_interrupted(store: SqliteStore, taken: Claim) -> None:
    endless = """
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted)
SELECT count(*) FROM counted
"""
    started = time.monotonic()
    with (
        pytest.raises(StoreBusy, match="a third of the lease"),
        store.transaction(WORKER, lambda: success(taken), lease_seconds=0.3) as connection,
    ):
        connection.execute(endless).fetchone()
    assert time.monotonic() - started < 10
    enqueue_one(store)


def test_the_same_thread_is_told_instead_of_waiting_for_itself(
    store: SqliteStore, taken: Claim
) -> None:
    started = time.monotonic()
    with (
        pytest.raises(StoreBusy, match=r"client\.on"),
        store.transaction(WORKER, lambda: success(taken), lease_seconds=60),
    ):
        enqueue_one(store)
    assert time.monotonic() - started < 5
    assert state(store, taken) is State.RUNNING
    enqueue_one(store)


def test_a_renewal_waits_for_it_and_then_goes_through(store: SqliteStore, taken: Claim) -> None:
    enqueue_one(store)
    (other,) = claim(store)
    renewals = []
    held = Held(other.job_id, other.fence, 60.0)
    renewer = threading.Thread(target=lambda: renewals.append(store.renew(WORKER, [held])))
    with store.transaction(WORKER, lambda: success(taken), lease_seconds=60) as connection:
        connection.execute("INSERT INTO effect VALUES (1)")
        renewer.start()
    renewer.join()
    assert renewals[0].lost == frozenset()
    assert (effects(store), state(store, taken)) == (1, State.SUCCEEDED)


def test_readers_go_on_beside_it(store: SqliteStore, taken: Claim) -> None:
    with store.transaction(WORKER, lambda: success(taken), lease_seconds=60):
        assert state(store, taken) is State.RUNNING


def test_a_lost_lease_rolls_back_and_frees_the_lock(store: SqliteStore, taken: Claim) -> None:
    store.cancel(taken.job_id, by="somebody")
    with (
        pytest.raises(LeaseLost, match="cancelled"),
        store.transaction(WORKER, lambda: success(taken), lease_seconds=60) as connection,
    ):
        connection.execute("INSERT INTO effect VALUES (1)")
    assert effects(store) == 0
    enqueue_one(store)


def test_an_async_handler_waits_for_the_lock_without_stopping_the_loop(
    store: SqliteStore, taken: Claim
) -> None:
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with store._database.write():
            is_held.set()
            may_end.wait(PATIENCE_SECONDS)

    async def handle() -> None:
        async with store.async_transaction(
            WORKER, lambda: success(taken), lease_seconds=60
        ) as connection:
            connection.execute("INSERT INTO effect VALUES (1)")

    async def run() -> None:
        handling = asyncio.create_task(handle())
        await asyncio.to_thread(wait_until, is_anyone_waiting, "it waits for the lock")
        assert not handling.done()
        may_end.set()  # the loop still runs, or this would never come
        await handling

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait(PATIENCE_SECONDS)
    asyncio.run(run())
    holder.join()
    assert (effects(store), state(store, taken)) == (1, State.SUCCEEDED)


def test_an_async_handler_cancelled_while_it_waits_leaves_no_lock_behind(
    store: SqliteStore, taken: Claim
) -> None:
    is_held, may_end = threading.Event(), threading.Event()

    def hold() -> None:
        with store._database.write():
            is_held.set()
            may_end.wait(PATIENCE_SECONDS)

    async def handle() -> None:
        async with store.async_transaction(WORKER, lambda: success(taken), lease_seconds=60):
            raise AssertionError("it must not begin")

    async def run() -> None:
        handling = asyncio.create_task(handle())
        await asyncio.to_thread(wait_until, is_anyone_waiting, "it waits for the lock")
        handling.cancel()
        await asyncio.sleep(0)
        may_end.set()
        with pytest.raises(asyncio.CancelledError):
            await handling

    holder = threading.Thread(target=hold)
    holder.start()
    is_held.wait(PATIENCE_SECONDS)
    asyncio.run(run())
    holder.join()
    enqueue_one(store)
    assert state(store, taken) is State.RUNNING
