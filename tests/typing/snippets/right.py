"""Calls that a type checker must accept, and the types that it must see."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any, assert_type
from uuid import UUID

import leasehold as lh
from leasehold.model.ids import JobId


@lh.task
def plain(a: int, b: str = "x") -> float:
    return a + len(b)


@lh.task(
    name="mail.send",
    queue="mail",
    priority=1,
    max_attempts=4,
    timeout="5m",
    retry=lh.per_exception({OSError: lh.delays("1m", 5, timedelta(minutes=9))}),
    lease="60s",
    isolation="process",
    limits=lh.Limits(memory="512MB", cpu=10, file_size=2**20, open_files=64, processes=0),
    network=False,
    on_lapse="dead",
    args_limit=1_000,
    result_limit=1_000,
)
async def send(to: str, *, copies: int = 1) -> bytes:
    return to.encode() * copies


class Methods:
    """Holds a task that needs no instance."""

    @lh.task
    @staticmethod
    def inside(a: int) -> None: ...


def own_policy(failure: lh.Failure) -> timedelta | None:
    return None if failure.failures > 3 else timedelta(seconds=failure.failures)


@lh.task(retry=own_policy)
def with_policy() -> None: ...


def run_directly() -> None:
    assert_type(plain(1, "y"), float)
    assert_type(plain(a=1), float)


async def run_directly_async() -> None:
    assert_type(await send("x", copies=2), bytes)


def enqueue(client: lh.Client) -> None:
    assert_type(client.enqueue(plain, 1, b="y"), lh.Enqueued[float])
    assert_type(client.enqueue(plain, a=1).id, JobId)
    client.enqueue(send.with_options(delay="5m", id=UUID(int=1), tenant="acme"), "x", copies=2)
    client.enqueue(plain.with_options(run_at=datetime.now(UTC), queue="q", priority=2), 1)
    client.enqueue(Methods.inside, 1)
    client.enqueue(with_policy)
    assert_type(client.enqueue_many([plain.call(1), send.call("x")], chunk=10), int)
    assert_type(client.enqueue_by_name("x", {"a": 1}, queue="q").is_new, bool)
    client.on(object()).enqueue(plain, 1)


def look(client: lh.Client) -> None:
    assert_type(client.get("…"), lh.Job)
    assert_type(client.find(state="queued", kind=plain, limit=5), list[lh.Job])
    assert_type([job.state for job in client.each(queue="q")], list[lh.State])
    assert_type(client.history(UUID(int=1)), list[lh.Attempt])
    assert_type(client.cancel("…", by="ada"), lh.State)


@lh.task
def report(ended: lh.BatchEnded) -> None: ...


def fill_batch(client: lh.Client) -> None:
    with client.batches.create(name="n", meta={"a": 1}, on_end=report) as batch:
        assert_type(batch.add(plain, 1, b="y"), lh.Enqueued[float])
        assert_type(batch.add_many([plain.call(1), send.call("x")]), int)
        assert_type(batch.nest(name="inner", on_failure=report), lh.Batch)
    assert_type(client.batches.get(batch.id).counts.total, int)
    client.enqueue(plain.with_options(batch=batch.id, on_end=report), 1)
    assert_type(lh.current_job().batch.add(plain, 1), lh.Enqueued[float])


async def fill_batch_async(client: lh.AsyncClient) -> None:
    async with await client.batches.create(name="n", on_end=report) as batch:
        assert_type(await batch.add(plain, 1), lh.Enqueued[float])
        await batch.nest(name="inner")
    assert_type(await client.batches.list(status="open", limit=5), list[lh.BatchInfo])


async def enqueue_async(client: lh.AsyncClient) -> None:
    assert_type(await client.enqueue(plain, 1, b="y"), lh.Enqueued[float])
    assert_type(await client.enqueue_many([plain.call(1)]), int)
    assert_type(await client.find(state=lh.State.DEAD), list[lh.Job])
    assert_type([job async for job in client.each(page=5)], list[lh.Job])
    await client.on(object()).enqueue(send, "x")


def wait_for_results(client: lh.Client, job_id: UUID) -> None:
    assert_type(client.wait(client.enqueue(plain, 1)), float)
    assert_type(client.wait(client.enqueue(send, "x"), timeout="30s"), bytes)
    assert_type(client.wait(job_id, 5), Any)
    assert_type(client.wait(str(job_id)), Any)
    assert_type(client.wait(client.enqueue_by_name("mail.send", {"to": "x"})), Any)
    both = [client.enqueue(plain, 1), client.enqueue(send, "x")]
    assert_type(client.wait_all(both, 5, return_errors=True), list[Any])
    for done in client.as_completed([*both, job_id]):
        assert_type(done.state, lh.State | None)


async def wait_for_results_async(client: lh.AsyncClient, job_id: UUID) -> None:
    assert_type(await client.wait(await client.enqueue(plain, 1)), float)
    assert_type(await client.wait(await client.enqueue(send, "x"), timeout=1), bytes)
    assert_type(await client.wait(job_id), Any)
    assert_type(await client.wait_all([job_id, "x"]), list[Any])
    async for done in client.as_completed([job_id]):
        assert_type(done.error, str | None)


def transfer(connection: Connection, amount: int, *, note: str = "") -> Invoice:
    raise NotImplementedError


async def transfer_async(connection: Connection, amount: int) -> Invoice:
    raise NotImplementedError


class Invoice: ...


class Connection: ...


def save() -> None:
    job = lh.current_job()
    job.checkpoint({"page": 1}, done=1, total=2.5, note="x", on=object())
    job.checkpoint(done=1)
    job.progress(1, 2, "x")
    assert_type(job.cursor_as(dict[str, int]), dict[str, int] | None)
    assert_type(job.step("plain", plain, 1, b="y"), float)
    assert_type(job.step_in_transaction("pay", transfer, 7, note="x"), Invoice)


async def save_async() -> None:
    job = lh.current_job()
    await job.checkpoint_async([1], done=1)
    assert_type(await job.step("send", send, "x", copies=2), bytes)
    assert_type(await job.step_in_transaction("pay", transfer_async, 7), Invoice)


def saved(client: lh.Client) -> None:
    assert_type(client.checkpoint("…"), lh.Checkpoint | None)
    assert_type(client.steps("…"), list[lh.Step])


def workflow(client: lh.Client) -> None:
    job = lh.current_job()
    assert_type(job.result_of(plain), float)
    assert_type(job.result_of(send), bytes)
    assert_type(job.results_of(send), list[bytes])
    assert_type(job.predecessors, tuple[lh.Predecessor, ...])
    flow = lh.Workflow("x")
    first = flow.add(plain.call(1, b="x"))
    flow.add(send.call("x"), after=[first, "other"], even_if_failed=True)
    assert_type(flow.chain(plain.call(1), plain.call(2), after=first), list[lh.WorkflowStep])
    assert_type(client.start(flow), lh.StartedWorkflow)
    client.enqueue(plain.with_options(after=[client.enqueue(plain, 1), "…"]), 2)
