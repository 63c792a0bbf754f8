"""`job.transaction()`: the caller's writes and the job's end are committed together, or neither."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import LeaseLost
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.kit import (
    LEASE_SECONDS,
    OTHER,
    WORKER,
    claim_one,
    lapse,
    look,
    pass_time,
    promote,
    raw,
    settle,
    settlement,
    start_one,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractAsyncContextManager, AbstractContextManager

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

WRITE = "INSERT INTO effect VALUES (1)"


class HandlerFailed(Exception):
    """What the handler raises inside its transaction."""


@pytest.fixture(autouse=True)
def effect(tables: Tables) -> Iterator[None]:
    """A table of the application's own, in the same database."""
    tables.execute("DROP TABLE IF EXISTS effect")
    tables.execute("CREATE TABLE effect (n integer)")
    yield
    tables.execute("DROP TABLE effect")


def effects(tables: Tables) -> int:
    return len(tables.execute("SELECT n FROM effect"))


def transaction(
    store: Store, taken: Claim, *, worker: WorkerId = WORKER
) -> AbstractContextManager[Any]:
    end = settlement(taken, "succeeded", result=raw("done"), elapsed_seconds=1.0)
    return store.transaction(worker, lambda: end, lease_seconds=LEASE_SECONDS)


def async_transaction(store: Store, taken: Claim) -> AbstractAsyncContextManager[Any]:
    end = settlement(taken, "succeeded", result=raw("done"), elapsed_seconds=1.0)
    return store.async_transaction(WORKER, lambda: end, lease_seconds=LEASE_SECONDS)


def write_and_fail(store: Store, taken: Claim) -> None:
    with transaction(store, taken) as connection:
        connection.execute(WRITE)
        raise HandlerFailed


def write_and_stumble(store: Store, taken: Claim) -> None:
    with transaction(store, taken) as connection:
        connection.execute(WRITE)
        connection.execute("INSERT INTO no_such_table VALUES (1)")


def assert_nothing_happened(store: Store, tables: Tables, taken: Claim) -> None:
    assert effects(tables) == 0
    assert look(store, taken.job_id).state is State.RUNNING
    assert store.history(taken.job_id) == []


def test_writes_and_completion_are_committed_together(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with transaction(store, taken) as connection:
        connection.execute(WRITE)
        assert_nothing_happened(store, tables, taken)

    assert effects(tables) == 1
    job = look(store, taken.job_id)
    assert (job.state, job.result) == (State.SUCCEEDED, "done")
    assert [end.outcome for end in store.history(taken.job_id)] == ["succeeded"]


def test_the_settlement_is_asked_for_last(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    results: list[str] = []
    with store.transaction(
        WORKER,
        lambda: settlement(taken, "succeeded", result=raw(results)),
        lease_seconds=LEASE_SECONDS,
    ) as connection:
        connection.execute(WRITE)
        results.append("made inside")

    assert look(store, taken.job_id).result == ["made inside"]


def test_an_exception_rolls_both_back_and_the_lease_stands(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with pytest.raises(HandlerFailed):
        write_and_fail(store, taken)

    assert_nothing_happened(store, tables, taken)
    assert settle(store, taken, "failed", error="x", delay_seconds=1.0) is Answer.SETTLED


def test_a_statement_that_fails_rolls_both_back(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with pytest.raises(Exception, match="no_such_table"):
        write_and_stumble(store, taken)

    assert_nothing_happened(store, tables, taken)


def test_a_rolled_back_transaction_may_be_tried_again(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with pytest.raises(HandlerFailed):
        write_and_fail(store, taken)
    with transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert effects(tables) == 1


def test_a_reclaimed_attempt_commits_nothing(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    lapse(store)
    with pytest.raises(LeaseLost) as caught, transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert caught.value.job_id == taken.job_id
    assert effects(tables) == 0
    assert look(store, taken.job_id).state is State.QUEUED


def test_an_older_attempt_commits_nothing_while_the_job_runs_again(
    store: Store, tables: Tables
) -> None:
    taken = start_one(store)
    lapse(store)
    promote(store)
    again = claim_one(store, suspects=True)
    with pytest.raises(LeaseLost), transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert effects(tables) == 0
    assert look(store, again.job_id).state is State.RUNNING


def test_an_attempt_that_was_settled_commits_nothing(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with transaction(store, taken) as connection:
        connection.execute(WRITE)
    with pytest.raises(LeaseLost), transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert effects(tables) == 1


def test_another_worker_commits_nothing(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    with pytest.raises(LeaseLost), transaction(store, taken, worker=OTHER) as connection:
        connection.execute(WRITE)

    assert_nothing_happened(store, tables, taken)


def test_a_cancelled_job_commits_nothing(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by="Ada")
    with pytest.raises(LeaseLost), transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert_nothing_happened(store, tables, taken)
    assert settle(store, taken, "succeeded") is Answer.SETTLED
    assert look(store, taken.job_id).state is State.CANCELLED


def test_a_lapsed_lease_that_nobody_took_back_still_commits(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 30)
    with transaction(store, taken) as connection:
        connection.execute(WRITE)

    assert effects(tables) == 1


def test_the_store_is_usable_after_a_lost_transaction(store: Store) -> None:
    taken = start_one(store)
    settle(store, taken, "dead", error="x")
    with pytest.raises(LeaseLost), transaction(store, taken):
        pass

    assert settle(store, start_one(store), "succeeded") is Answer.SETTLED


async def run(connection: Any, statement: str) -> None:
    """Execute on what the store yields: async on one store, blocking on the other."""
    result = connection.execute(statement)
    if inspect.isawaitable(result):
        await result


def test_the_async_form_commits_together(store: Store, tables: Tables) -> None:
    taken = start_one(store)

    async def handler() -> None:
        async with async_transaction(store, taken) as connection:
            await run(connection, WRITE)
            assert_nothing_happened(store, tables, taken)

    asyncio.run(handler())
    assert effects(tables) == 1
    assert look(store, taken.job_id).state is State.SUCCEEDED


def test_the_async_form_rolls_both_back(store: Store, tables: Tables) -> None:
    taken = start_one(store)

    async def handler() -> None:
        async with async_transaction(store, taken) as connection:
            await run(connection, WRITE)
            raise HandlerFailed

    with pytest.raises(HandlerFailed):
        asyncio.run(handler())
    assert_nothing_happened(store, tables, taken)


@pytest.mark.parametrize("loss", ["reclaimed", "cancelled"])
def test_the_async_form_refuses_when_the_lease_is_lost(
    store: Store, tables: Tables, loss: str
) -> None:
    taken = start_one(store)
    if loss == "cancelled":
        store.cancel(taken.job_id, by=None)
    else:
        lapse(store)

    async def handler() -> None:
        async with async_transaction(store, taken) as connection:
            await run(connection, WRITE)

    with pytest.raises(LeaseLost):
        asyncio.run(handler())
    assert effects(tables) == 0


def test_a_cancelled_coroutine_rolls_both_back(store: Store, tables: Tables) -> None:
    taken = start_one(store)

    async def handler(has_written: asyncio.Event) -> None:
        async with async_transaction(store, taken) as connection:
            await run(connection, WRITE)
            has_written.set()
            await asyncio.Event().wait()

    async def main() -> None:
        has_written = asyncio.Event()
        running = asyncio.create_task(handler(has_written))
        await asyncio.wait_for(has_written.wait(), 30)
        running.cancel()
        await asyncio.wait_for(asyncio.gather(running, return_exceptions=True), 30)

    asyncio.run(main())
    assert_nothing_happened(store, tables, taken)
