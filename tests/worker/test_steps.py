"""Durable steps: each runs once, and its result is remembered across attempts."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.states import State
from tests.conformance.tables import open_tables
from tests.worker.kit import drain
from tests.worker.saving_tasks import steps

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client
    from tests.conformance.tables import Tables

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


@dataclass
class Receipt:
    """What a step may return: it is read back as what it was."""

    number: int
    day: date


def run_once(client: Client, handler: Any, **options: Any) -> lh.Job:
    usual: dict[str, Any] = {"max_attempts": 3, "retry": lh.fixed(0)}
    task = lh.task(name="steps", **usual | options)(handler)
    job_id = client.enqueue(task).id
    drain(client, task)
    return client.get(job_id)


def test_a_step_runs_once_and_its_result_is_remembered(client: Client) -> None:
    ran: list[str] = []

    def work(word: str, *, times: int = 1) -> str:
        ran.append(word)
        return word * times

    def handler() -> Any:
        job = lh.current_job()
        found = [job.step("a", work, "a"), job.step("b", work, "b", times=2)]
        if job.attempt < 3:
            raise ValueError("again")
        return [*found, job.step("c", work, "c")]

    job = run_once(client, handler)
    assert (job.state, job.attempt, job.result) == (State.SUCCEEDED, 3, ["a", "bb", "c"])
    assert ran == ["a", "b", "c"]
    assert [(step.name, step.result) for step in client.steps(job.id)] == [
        ("a", "a"),
        ("b", "bb"),
        ("c", "c"),
    ]


def test_an_async_step_is_awaited_and_remembered(client: Client) -> None:
    ran: list[int] = []

    async def double(number: int) -> int:
        await asyncio.sleep(0)
        ran.append(number)
        return number * 2

    async def handler() -> Any:
        job = lh.current_job()
        found = await asyncio.gather(*(job.step(f"n{n}", double, n) for n in range(5)))
        found.append(job.step("plain", int, "7"))
        if job.attempt == 1:
            raise ValueError("again")
        return found

    job = run_once(client, handler)
    assert (job.attempt, job.result) == (2, [0, 2, 4, 6, 8, 7])
    assert sorted(ran) == [0, 1, 2, 3, 4]


def test_what_a_step_returns_is_the_same_in_every_attempt(client: Client) -> None:
    seen: list[Any] = []

    def receipt() -> Receipt:
        return Receipt(7, date(2026, 1, 2))

    def pairs() -> tuple[int, int]:
        return 1, 2

    def untyped():  # type: ignore[no-untyped-def] # on purpose # noqa: ANN202
        return (1, date(2026, 1, 2))

    def mistaken() -> int:
        return "not a number"  # type: ignore[return-value] # on purpose

    def handler() -> None:
        job = lh.current_job()
        seen.append(
            [
                job.step("receipt", receipt),
                job.step("pairs", partial(pairs)),
                job.step("untyped", untyped),
                job.step("mistaken", mistaken),
                job.step("nothing", lambda: None),
            ]
        )
        if job.attempt == 1:
            raise ValueError("again")

    run_once(client, handler)
    first, second = seen
    assert first == second
    assert first == [
        Receipt(7, date(2026, 1, 2)),
        (1, 2),
        [1, "2026-01-02"],
        "not a number",
        None,
    ]


def test_an_error_is_not_remembered(client: Client) -> None:
    ran: list[int] = []

    def fragile() -> str:
        ran.append(1)
        if len(ran) < 3:
            raise ValueError("not yet")
        return "done"

    def handler() -> str:
        job = lh.current_job()
        try:
            return job.step("fragile", fragile)
        except ValueError:
            return job.step("fragile", fragile)  # it may be tried again in the same attempt

    job = run_once(client, handler)
    assert (job.attempt, job.result, len(ran)) == (2, "done", 3)


@pytest.mark.parametrize("name", ["", "a\nb", "x" * 300, 7])
def test_a_step_needs_a_name(client: Client, name: Any) -> None:
    job = run_once(client, lambda: lh.current_job().step(name, int), max_attempts=1)
    assert (job.error or "").startswith("BadOption: step")


def test_a_name_is_used_once_in_an_attempt(client: Client) -> None:
    def handler() -> None:
        job = lh.current_job()
        job.step("same", int)
        job.step("same", int)

    job = run_once(client, handler, max_attempts=2)
    assert job.state is State.DEAD
    assert "step 'same' has been run in this attempt already" in (job.error or "")


def test_a_result_that_can_not_be_stored_is_refused(client: Client) -> None:
    job = run_once(client, lambda: lh.current_job().step("bad", object), max_attempts=1)
    assert (job.error or "").startswith("BadResult: result of 'steps, step bad'")
    assert client.steps(job.id) == []


def test_a_childs_steps_run_once(client: Client, tmp_path: Path) -> None:
    log = tmp_path / "log"
    job_id = client.enqueue(steps, str(log)).id
    drain(client, steps)
    job = client.get(job_id)
    assert (job.attempt, job.result) == (2, 11)
    assert log.read_text().split() == ["first", "second"]


# -- in a transaction ----------------------------------------------------------------------------
@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_step_in_a_transaction_and_its_memory_are_one_commit(
    client: Client, effects: Tables, sort: str
) -> None:
    def write(connection: Any, number: int) -> int:
        connection.execute(WRITE)
        assert client.steps(lh.current_job().id) == []
        return number

    async def write_async(connection: Any, number: int) -> int:
        cursor = connection.execute(WRITE)
        if hasattr(cursor, "__await__"):
            await cursor
        return number

    def handler() -> int:
        job = lh.current_job()
        found = job.step_in_transaction("write", write, 7)
        if job.attempt < 3:
            raise ValueError("again")
        return found

    async def handler_async() -> int:
        job = lh.current_job()
        found = await job.step_in_transaction("write", write_async, 7)
        if job.attempt < 3:
            raise ValueError("again")
        return found

    job = run_once(client, handler if sort == "blocking" else handler_async)
    assert (job.attempt, job.result, count(effects)) == (3, 7, 1)


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_step_that_fails_in_its_transaction_leaves_no_trace_and_is_tried_again(
    client: Client, effects: Tables, sort: str
) -> None:
    tries: list[int] = []

    def write(connection: Any) -> str:
        connection.execute(WRITE)
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("after the write")
        return "done"

    async def write_async(connection: Any) -> str:
        cursor = connection.execute(WRITE)
        if hasattr(cursor, "__await__"):
            await cursor
        tries.append(1)
        if len(tries) < 3:
            raise ValueError("after the write")
        return "done"

    def handler() -> str:
        return lh.current_job().step_in_transaction("write", write)

    async def handler_async() -> str:
        found: str = await lh.current_job().step_in_transaction("write", write_async)
        return found

    job = run_once(client, handler if sort == "blocking" else handler_async)
    assert (job.attempt, job.result, count(effects)) == (3, "done", 1)


def test_a_plain_step_inside_saving_is_remembered_with_its_commit(
    client: Client, effects: Tables
) -> None:
    def handler() -> int:
        job = lh.current_job()
        with suppress(ValueError), job.saving() as connection:
            connection.execute(WRITE)
            job.step("inside", int)
            raise ValueError("rolled back")
        assert client.steps(job.id) == []
        with job.saving() as connection:
            connection.execute(WRITE)
            found: int = job.step("inside", lambda: 5)
        return found

    job = run_once(client, handler)
    assert (job.result, count(effects)) == (5, 1)
    assert [step.result for step in client.steps(job.id)] == [5]
