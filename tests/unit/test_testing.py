"""`leasehold.testing` does what the tests of a user's program need, on both stores."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import leasehold as lh
from leasehold import testing
from leasehold.store import open_store
from tests.conformance.tables import open_tables
from tests.postgres_server import PostgresServer


@lh.task(name="add")
def add(a: int, b: int = 1) -> int:
    return a + b


@lh.task(name="wait")
async def wait(name: str) -> str:
    await asyncio.sleep(0)
    return f"{name} {lh.current_job().attempt}"


@lh.task(name="boom", max_attempts=2, retry=lh.fixed("10m"))
def boom(why: str) -> None:
    raise RuntimeError(why)


@lh.task(name="note", queue="mail")
def note(when: datetime) -> None: ...


@lh.task(name="forever")
def forever() -> None:
    raise lh.Snooze(0)


TASKS: list[lh.Task[..., Any]] = [add, wait, boom, note, forever]


@pytest.fixture(scope="module")
def shared_postgres_url(postgres_server: PostgresServer) -> Iterator[str]:
    """One database for all tests here, emptied between them: making one takes long."""
    url = postgres_server.create_database()
    with contextlib.closing(open_store(url)) as store:
        store.migrate()
    yield url
    postgres_server.drop_database(url)


@pytest.fixture
def shared_sqlite_url(sqlite_url: str) -> str:
    with contextlib.closing(open_store(sqlite_url)) as store:
        store.migrate()
    return sqlite_url


@pytest.fixture(params=["sqlite", "postgres"])
def client(request: pytest.FixtureRequest) -> Iterator[lh.Client]:
    url: str = request.getfixturevalue(f"shared_{request.param}_url")
    with open_tables(url) as tables:
        tables.empty()
    with lh.Client(url) as opened:
        yield opened


def test_client_leaves_nothing_behind() -> None:
    with testing.client() as client:
        client.enqueue(add, 1)
        folder = Path(client.store.url.removeprefix("sqlite:///")).parent
        assert folder.is_dir()
    assert not folder.exists()


def test_drain_runs_what_is_ready_blocking_async_and_in_any_queue(client: lh.Client) -> None:
    sums, waits = client.enqueue(add, 1, b=2), client.enqueue(wait, "Ada")
    client.enqueue(note.with_options(queue="elsewhere"), when=datetime.now(UTC))
    assert testing.drain(client, TASKS).succeeded == 3
    assert client.get(sums.id).result == 3
    assert client.get(waits.id).result == "Ada 1"


def test_drain_works_inside_a_running_loop(client: lh.Client) -> None:
    async def main() -> lh.State:
        job = client.enqueue(wait, "Ada")
        testing.drain(client, TASKS)
        return client.get(job.id).state

    assert asyncio.run(main()) is lh.State.SUCCEEDED


def test_drain_runs_in_the_order_of_priority_then_age(client: lh.Client) -> None:
    seen: list[int] = []

    @lh.task(name="see")
    def see(number: int) -> None:
        seen.append(number)
        if number == 1:
            client.enqueue(see.with_options(priority=9), 4)

    for number in (1, 2, 3):
        client.enqueue(see.with_options(priority=int(number == 3)), number)
    testing.drain(client, [see])
    assert seen == [3, 1, 4, 2]


def test_what_is_due_later_runs_after_the_clock_was_advanced(client: lh.Client) -> None:
    client.enqueue(add.with_options(delay="1h"), 1)
    assert testing.drain(client, TASKS).succeeded == 0
    testing.advance(client, "61m")
    assert testing.drain(client, TASKS).succeeded == 1


def test_retries_come_when_the_clock_says_so_and_end_dead(client: lh.Client) -> None:
    job = client.enqueue(boom, "why not")
    assert testing.drain(client, TASKS).failed == 1
    assert testing.drain(client, TASKS).failed == 0
    testing.advance(client, "10m")
    assert testing.drain(client, TASKS).dead == 1
    assert client.get(job.id).error == "RuntimeError: why not"


def test_drain_raises_the_handlers_error_when_asked_to(client: lh.Client) -> None:
    client.enqueue(boom, "why not")
    with pytest.raises(RuntimeError, match="why not"):
        testing.drain(client, TASKS, raises=True)
    assert testing.assert_enqueued(client, boom).state is lh.State.FAILED


def test_drain_gives_up_on_jobs_without_end(client: lh.Client) -> None:
    client.enqueue(forever)
    with pytest.raises(AssertionError, match="5 attempts"):
        testing.drain(client, TASKS, most=5)


def test_drain_leaves_unknown_kinds_and_runs_them_once_they_are_known(client: lh.Client) -> None:
    job = client.enqueue(add, 1)
    testing.drain(client, [boom])
    assert client.get(job.id).state is lh.State.QUEUED
    assert testing.drain(client, [add]).succeeded == 1


def test_drain_lets_shares_of_tenants_run_too(client: lh.Client) -> None:
    @lh.task(name="shared", share=lh.TENANT)
    def shared() -> str:
        return lh.current_job().tenant

    for tenant in ("acme", "globex", "acme"):
        client.enqueue(shared.with_options(tenant=tenant))
    assert testing.drain(client, [shared]).succeeded == 3


def test_a_handlers_transaction_ends_its_job(client: lh.Client) -> None:
    @lh.task(name="own")
    def own() -> None:
        with lh.current_job().transaction() as connection:
            connection.execute("SELECT 1")

    client.enqueue(own)
    assert testing.drain(client, [own]).succeeded == 1
    assert testing.assert_enqueued(client, own).state is lh.State.SUCCEEDED


def test_run_inline_returns_what_the_handler_returns() -> None:
    total: int = testing.run_inline(add, 1, b=4)
    text: str = testing.run_inline(wait, "Ada")
    assert (total, text) == (5, "Ada 1")


def test_run_inline_runs_a_delayed_task_at_once_and_checks_arguments() -> None:
    assert testing.run_inline(add.with_options(delay="1h"), 1) == 2
    with pytest.raises(lh.BadArguments):
        testing.run_inline(add, "one")  # type: ignore[call-overload] # wrong on purpose


def test_run_inline_raises_what_the_handler_raises() -> None:
    with pytest.raises(RuntimeError, match="why not"):
        testing.run_inline(boom, "why not")
    with pytest.raises(lh.Snooze):
        testing.run_inline(forever)


def test_run_inline_refuses_a_result_that_is_not_json() -> None:
    @lh.task(name="bad")
    def bad() -> object:
        return object()

    with pytest.raises(lh.BadResult):
        testing.run_inline(bad)


def test_assert_enqueued_finds_a_job_by_some_of_its_arguments(client: lh.Client) -> None:
    moment = datetime(2030, 1, 31, 8, tzinfo=UTC)
    client.enqueue(note, when=moment)
    assert testing.assert_enqueued(client, note, when=moment).queue == "mail"
    assert testing.assert_enqueued(client, "note").kind == "note"
    testing.assert_not_enqueued(client, note, when=datetime(2031, 1, 31, 8, tzinfo=UTC))
    testing.assert_not_enqueued(client, add)


def test_failed_assertions_say_what_is_there(client: lh.Client) -> None:
    client.enqueue(add, 1)
    with pytest.raises(AssertionError, match=r"there are:\n  \{'a': 1\} \(queued\)"):
        testing.assert_enqueued(client, add, a=2)
    with pytest.raises(AssertionError, match="there are: none"):
        testing.assert_enqueued(client, boom)
    with pytest.raises(AssertionError, match="was enqueued"):
        testing.assert_not_enqueued(client, add, a=1)


def test_batches_end_and_callbacks_run(client: lh.Client) -> None:
    told: list[Any] = []

    @lh.task(name="batch.ended")
    def batch_ended(ended: lh.BatchEnded) -> None:
        told.append(("batch", ended.succeeded))

    @lh.task(name="job.ended")
    def job_ended(ended: lh.JobEnded) -> None:
        told.append((ended.kind, ended.state.value))

    with client.batches.create(on_end=batch_ended) as batch:
        batch.add(add, 1)
        batch.add(add.with_options(on_end=job_ended), 2)
    testing.drain(client, [*TASKS, batch_ended, job_ended])
    assert sorted(told) == [("add", "succeeded"), ("batch", 2)]


def test_encrypted_tasks_run_and_are_found_by_their_arguments() -> None:
    @lh.task(name="sealed", encrypted=True)
    def sealed(card: str) -> str:
        return card

    with testing.client() as client:
        client.enqueue(sealed, card="4711")
        assert testing.assert_enqueued(client, sealed, card="4711").args == {"card": "4711"}
        testing.assert_not_enqueued(client, sealed, card="0815")
        assert testing.drain(client, [sealed]).succeeded == 1
    assert testing.run_inline(sealed, "4711") == "4711"
