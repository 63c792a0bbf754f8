"""`job.transaction()`: a handler's writes and its job's success are one commit."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import LeaseholdError, LeaseLost
from leasehold.model.states import State
from tests.conformance.tables import open_tables
from tests.worker.kit import ChangedStore, drain, new_worker, outcomes, wait_for_state, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from leasehold.client import Client
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

SORTS = ("async", "blocking")
WRITE = "INSERT INTO effect VALUES (1)"


@pytest.fixture
def effects(store_url: str) -> Iterator[Tables]:
    """An empty table of the application's own beside the queue's."""
    with open_tables(store_url) as tables:
        tables.execute("DROP TABLE IF EXISTS effect")
        tables.execute("CREATE TABLE effect (n integer)")
        yield tables
        tables.execute("DROP TABLE effect")


def count(effects: Tables) -> int:
    return len(effects.execute("SELECT n FROM effect"))


def writing(sort: str, after: Any = None, inside: Any = None, **options: Any) -> lh.Task[[], Any]:
    """Make a task that writes in its job's transaction; `inside` and `after` are called then."""

    async def write_async() -> Any:
        job = lh.current_job()
        async with job.transaction() as connection:
            cursor = connection.execute(WRITE)
            if hasattr(cursor, "__await__"):
                await cursor
            job.result = {"by": sort}
            if inside is not None:
                inside()
        return None if after is None else after()

    def write() -> Any:
        job = lh.current_job()
        with job.transaction() as connection:
            connection.execute(WRITE)
            job.result = {"by": sort}
            if inside is not None:
                inside()
        return None if after is None else after()

    return lh.task(name="write", **options)(write_async if sort == "async" else write)


def raise_value_error() -> None:
    raise ValueError("no good")


@pytest.mark.parametrize("sort", SORTS)
def test_writes_and_success_are_committed_together_with_the_result(
    client: Client, effects: Tables, sort: str
) -> None:
    task = writing(sort)
    job_id = client.enqueue(task).id
    report = drain(client, task)

    job = client.get(job_id)
    assert (job.state, job.result, count(effects)) == (State.SUCCEEDED, {"by": sort}, 1)
    assert report.succeeded == 1
    assert outcomes(client, job_id) == ["succeeded"]


@pytest.mark.parametrize("sort", SORTS)
def test_an_error_inside_rolls_the_writes_back_and_is_the_jobs_failure(
    client: Client, effects: Tables, sort: str
) -> None:
    task = writing(sort, inside=raise_value_error, max_attempts=1)
    job_id = client.enqueue(task).id
    drain(client, task)

    job = client.get(job_id)
    assert (job.state, job.error, count(effects)) == (State.DEAD, "ValueError: no good", 0)


@pytest.mark.parametrize("sort", SORTS)
def test_a_result_that_can_not_be_stored_rolls_the_writes_back(
    client: Client, effects: Tables, sort: str
) -> None:
    def spoil() -> None:
        lh.current_job().result = float("nan")

    task = writing(sort, inside=spoil, max_attempts=1)
    job_id = client.enqueue(task).id
    drain(client, task)

    assert (client.get(job_id).error or "").startswith("BadResult")
    assert count(effects) == 0


@pytest.mark.parametrize("sort", SORTS)
def test_a_lost_lease_refuses_the_commit_and_the_writes_are_gone(
    client: Client, effects: Tables, sort: str
) -> None:
    """Settling finds no lease: here because the fence is another one."""

    def transaction(name: str) -> Any:
        def opened(store: Store, worker: Any, settle: Any, **named: Any) -> Any:
            from msgspec.structs import replace

            return getattr(store, name)(worker, lambda: replace(settle(), fence=0), **named)

        return opened

    store = ChangedStore(
        client.store,
        transaction=transaction("transaction"),
        async_transaction=transaction("async_transaction"),
    )
    task = writing(sort, max_attempts=1)
    job_id = client.enqueue(task).id
    drain(lh.Client(store=store), task)

    assert count(effects) == 0
    assert (client.get(job_id).error or "").startswith(LeaseLost.__name__)


@pytest.mark.parametrize("sort", SORTS)
def test_a_cancelled_job_can_not_commit(client: Client, effects: Tables, sort: str) -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def wait_then_write() -> None:
        started.set()
        assert cancelled.wait(20)
        async with lh.current_job().transaction() as connection:
            cursor = connection.execute(WRITE)
            if hasattr(cursor, "__await__"):
                await cursor

    def wait_and_write() -> None:
        started.set()
        assert cancelled.wait(20)
        with lh.current_job().transaction() as connection:
            connection.execute(WRITE)

    task = lh.task(name="late")(wait_then_write if sort == "async" else wait_and_write)
    job_id = client.enqueue(task).id
    # With a long poll the worker has not heard of it yet: the commit itself must refuse.
    with new_worker(client, [task], poll="5s"):
        assert started.wait(10)
        client.cancel(job_id)
        cancelled.set()
        wait_for_state(client, job_id, State.CANCELLED)
    assert count(effects) == 0


@pytest.mark.parametrize("sort", SORTS)
def test_what_is_returned_after_the_transaction_is_dropped_with_a_warning(
    client: Client, effects: Tables, sort: str, caplog: pytest.LogCaptureFixture
) -> None:
    task = writing(sort, after=lambda: "too late")
    job_id = client.enqueue(task).id
    drain(client, task)

    assert client.get(job_id).result == {"by": sort}
    assert "return value dropped" in caplog.text


@pytest.mark.parametrize("sort", SORTS)
def test_an_error_after_success_changes_nothing_and_is_logged(
    client: Client, effects: Tables, sort: str, caplog: pytest.LogCaptureFixture
) -> None:
    task = writing(sort, after=raise_value_error)
    job_id = client.enqueue(task).id
    report = drain(client, task)

    assert (client.get(job_id).state, count(effects)) == (State.SUCCEEDED, 1)
    assert (report.succeeded, report.failed) == (1, 0)
    assert "error after success" in caplog.text


def test_a_job_ends_in_one_transaction_only(client: Client, effects: Tables) -> None:
    refused: list[str] = []

    def again() -> None:
        try:
            with lh.current_job().transaction():
                raise AssertionError
        except LeaseholdError as error:
            refused.append(str(error))

    task = writing("blocking", after=again)
    client.enqueue(task)
    drain(client, task)
    assert "once" in refused[0]


def test_a_transaction_that_failed_may_be_tried_again(client: Client, effects: Tables) -> None:
    @lh.task(name="again")
    def again() -> None:
        job = lh.current_job()
        try:
            with job.transaction() as connection:
                connection.execute(WRITE)
                raise_value_error()
        except ValueError:
            pass
        with job.transaction() as connection:
            connection.execute(WRITE)

    job_id = client.enqueue(again).id
    drain(client, again)
    assert (client.get(job_id).state, count(effects)) == (State.SUCCEEDED, 1)


def test_what_a_handler_does_after_its_transaction_is_not_cut_off_with_the_lease(
    client: Client, effects: Tables
) -> None:
    """The lease ended with the commit: renewals that do not find it mean nothing."""
    asked = threading.Event()

    def renew(store: Store, worker: Any, leases: Sequence[Any]) -> Any:
        asked.set()
        return store.renew(worker, leases)

    ends: list[bool] = []

    def tidy_up() -> None:
        job = lh.current_job()
        end = job.seconds_left - 1.5  # longer than the lease
        while job.seconds_left > end:
            pass
        ends.append(job.is_stopping)

    task = writing("blocking", after=tidy_up)
    job_id = client.enqueue(task).id
    changed = ChangedStore(client.store, renew=renew)
    with new_worker(lh.Client(store=changed), [task], lease="1s"):
        wait_until(lambda: bool(ends), "the handler came to its end")
    assert ends == [False]
    assert client.get(job_id).state is State.SUCCEEDED


def test_jobs_enqueued_inside_are_there_when_it_commits(client: Client, effects: Tables) -> None:
    @lh.task(name="child")
    def child() -> str:
        return "ran"

    @lh.task(name="parent")
    def parent(fails: bool) -> None:  # noqa: FBT001 - a job's argument
        with lh.current_job().transaction() as connection:
            client.on(connection).enqueue(child)
            if fails:
                raise_value_error()

    client.enqueue(parent.with_options(max_attempts=1), fails=True)
    client.enqueue(parent, fails=False)
    drain(client, parent, child)
    assert [job.result for job in client.find(kind=child)] == ["ran"]
