"""`job.saving()`: the caller's writes and what is saved are one commit, and the lease stands on."""

from __future__ import annotations

import asyncio
import inspect
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import LeaseLost
from leasehold.model.saving import Save
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.kit import (
    LEASE_SECONDS,
    OTHER,
    WORKER,
    lapse,
    look,
    settle,
    settlement,
    start_one,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from contextlib import AbstractAsyncContextManager

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

WRITE = "INSERT INTO effect VALUES (1)"
SORTS = ("blocking", "async")


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


def said(taken: Claim, **fields: Any) -> Save:
    return Save(job_id=taken.job_id, fence=taken.fence, **fields)


class Transactions:
    """Both sorts of transactions behind one blocking face; what it yields writes an effect."""

    def __init__(self, store: Store, sort: str) -> None:
        self._store = store
        self._is_async = sort == "async"

    @contextmanager
    def saving(self, saves: list[Save], *, worker: WorkerId = WORKER) -> Iterator[Any]:
        with self._run("saving", worker, lambda: saves) as write:
            yield write

    @contextmanager
    def settling(self, taken: Claim, saves: list[Save]) -> Iterator[Any]:
        end = settlement(taken, "succeeded")
        with self._run("transaction", WORKER, lambda: end, saves=lambda: saves) as write:
            yield write

    @contextmanager
    def _run(self, name: str, *args: Any, **named: Any) -> Iterator[Any]:
        operation = getattr(self._store, f"async_{name}" if self._is_async else name)
        opened = operation(*args, lease_seconds=LEASE_SECONDS, **named)
        if not self._is_async:
            with opened as connection:
                yield lambda: connection.execute(WRITE)
            return
        with asyncio.Runner() as runner:
            yield from _wait(runner, opened)


def _wait(runner: asyncio.Runner, opened: AbstractAsyncContextManager[Any]) -> Iterator[Any]:
    async def enter() -> Any:
        return await opened.__aenter__()

    async def leave(error: BaseException | None) -> None:
        await opened.__aexit__(type(error) if error else None, error, None)

    async def write(connection: Any) -> None:
        answer = connection.execute(WRITE)
        if inspect.isawaitable(answer):
            await answer

    connection = runner.run(enter())
    try:
        yield lambda: runner.run(write(connection))
    except BaseException as error:
        with suppress(type(error)):
            runner.run(leave(error))
        raise
    runner.run(leave(None))


@pytest.fixture(params=SORTS)
def transactions(store: Store, request: pytest.FixtureRequest) -> Transactions:
    return Transactions(store, request.param)


def test_writes_and_saves_are_one_commit_and_the_job_goes_on(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    taken = start_one(store)
    for page in (1, 2):
        with transactions.saving([said(taken, cursor=str(page), step=f"s{page}")]) as write:
            write()
            assert effects(tables) == page - 1
        found = store.checkpoint(taken.job_id)
        assert found is not None
        assert (found.cursor, effects(tables)) == (page, page)
    assert [step.name for step in store.steps(taken.job_id)] == ["s1", "s2"]
    assert look(store, taken.job_id).state is State.RUNNING
    assert settle(store, taken, "succeeded") is Answer.SETTLED


def test_an_exception_rolls_both_back_and_the_lease_stands(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    taken = start_one(store)
    with pytest.raises(HandlerFailed):
        write_and_fail(transactions, taken)
    assert (effects(tables), store.checkpoint(taken.job_id)) == (0, None)
    assert settle(store, taken, "succeeded") is Answer.SETTLED


def write_and_fail(transactions: Transactions, taken: Claim) -> None:
    with transactions.saving([said(taken, cursor="1")]) as write:
        write()
        raise HandlerFailed


@pytest.mark.parametrize("what", ["something", "nothing"])
def test_who_has_lost_the_lease_commits_nothing(
    store: Store, tables: Tables, transactions: Transactions, what: str
) -> None:
    taken = start_one(store)
    lapse(store)
    save = said(taken, cursor="1", step="a") if what == "something" else said(taken)
    with pytest.raises(LeaseLost, match=str(taken.job_id)), transactions.saving([save]) as write:
        write()
    assert (effects(tables), store.checkpoint(taken.job_id)) == (0, None)
    assert store.steps(taken.job_id) == []


def test_another_worker_commits_nothing(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    save = said(start_one(store), cursor="1")
    with pytest.raises(LeaseLost), transactions.saving([save], worker=OTHER) as write:
        write()
    assert effects(tables) == 0


def test_a_job_that_is_to_be_cancelled_may_still_save(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by=None)
    with transactions.saving([said(taken, cursor="1")]) as write:
        write()
    assert effects(tables) == 1


def test_what_is_saved_is_asked_for_last(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    saves: list[Save] = []
    with store.saving(WORKER, lambda: saves, lease_seconds=LEASE_SECONDS):
        saves.append(said(taken, cursor="7"))
    found = store.checkpoint(taken.job_id)
    assert found is not None
    assert found.cursor == 7


def test_a_transaction_that_ends_the_job_saves_with_it(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    taken = start_one(store)
    with transactions.settling(taken, [said(taken, done=9, total=9)]) as write:
        write()
    found = store.checkpoint(taken.job_id)
    assert found is not None
    assert (found.done, effects(tables)) == (9, 1)
    assert look(store, taken.job_id).state is State.SUCCEEDED


def test_a_transaction_that_may_not_end_the_job_saves_nothing(
    store: Store, tables: Tables, transactions: Transactions
) -> None:
    taken = start_one(store)
    store.cancel(taken.job_id, by=None)
    saves = [said(taken, done=9)]
    with pytest.raises(LeaseLost), transactions.settling(taken, saves) as write:
        write()
    assert (effects(tables), store.checkpoint(taken.job_id)) == (0, None)
    assert look(store, taken.job_id).state is State.RUNNING
