"""Handlers of each sort run, are given what was asked, and their results are stored."""

from __future__ import annotations

import asyncio
import os
import threading
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import LeaseholdError
from leasehold.model.states import State
from leasehold.worker import Reason
from tests.worker.kit import drain, outcomes
from tests.worker.sample_tasks import ADD, add_blocking

if TYPE_CHECKING:
    from leasehold.client import Client

_tenant_at_hand: ContextVar[str] = ContextVar("tenant_at_hand", default="nobody")


@pytest.mark.parametrize("sort", ADD)
def test_each_sort_of_handler_runs_and_its_result_is_stored(client: Client, sort: str) -> None:
    job_id = client.enqueue(ADD[sort], 2, b=3).id

    report = drain(client, ADD[sort])
    job = client.get(job_id)
    assert (job.state, job.result["sum"], job.result["attempt"]) == (State.SUCCEEDED, 5, 1)
    assert (job.result["pid"] == os.getpid()) is ("process" not in sort)
    assert (report.reason, report.succeeded, report.exit_code) == (Reason.EMPTY, 1, 0)
    assert job.started_at is not None
    assert job.finished_at is not None
    assert job.started_at <= job.finished_at


def test_async_handlers_share_one_thread_and_blocking_ones_have_others(client: Client) -> None:
    tasks = [ADD["async"], ADD["blocking"]]
    client.enqueue_many(task.call(n, n) for task in tasks for n in range(5))

    drain(client, *tasks)
    on_loop, on_threads = (
        {job.result["thread"] for job in client.each(kind=task)} for task in tasks
    )
    assert len(on_loop) == 1
    assert not on_loop & on_threads
    assert threading.get_ident() not in on_loop | on_threads


def test_none_is_a_result_too(client: Client) -> None:
    @lh.task(name="nothing")
    def nothing() -> None:
        return

    job_id = client.enqueue(nothing).id
    drain(client, nothing)
    assert (client.get(job_id).state, client.get(job_id).result) == (State.SUCCEEDED, None)


def test_the_current_job_says_what_runs(client: Client) -> None:
    @lh.task(name="introspect", queue="mirror", max_attempts=7, timeout="90s")
    def introspect() -> dict[str, Any]:
        job = lh.current_job()
        job.check()
        return {
            "id": str(job.id),
            "kind": job.kind,
            "queue": job.queue,
            "tenant": job.tenant,
            "attempt": job.attempt,
            "failures": job.failures,
            "max_attempts": job.max_attempts,
            "is_stopping": job.is_stopping,
            "has_time": 80 < job.seconds_left <= 90,
        }

    job_id = client.enqueue(introspect.with_options(tenant="acme")).id
    drain(client, introspect)
    assert client.get(job_id).result == {
        "id": str(job_id),
        "kind": "introspect",
        "queue": "mirror",
        "tenant": "acme",
        "attempt": 1,
        "failures": 0,
        "max_attempts": 7,
        "is_stopping": False,
        "has_time": True,
    }


def test_there_is_no_current_job_outside_a_handler() -> None:
    with pytest.raises(LeaseholdError, match="inside a running handler"):
        lh.current_job()


def test_what_an_async_handler_calls_sees_its_job(client: Client) -> None:
    @lh.task(name="deep")
    async def deep() -> list[str]:
        async def inner() -> str:
            return str(lh.current_job().id)

        return [await inner(), await asyncio.create_task(inner()), await asyncio.to_thread(_id)]

    def _id() -> str:
        return str(lh.current_job().id)

    job_id = client.enqueue(deep).id
    drain(client, deep)
    assert client.get(job_id).result == [str(job_id)] * 3


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_job_sees_nothing_of_the_context_of_the_one_before(client: Client, sort: str) -> None:
    @lh.task(name="tag.async")
    async def tag_async(name: str) -> str:
        await asyncio.sleep(0)
        return tag(name)

    @lh.task(name="tag.blocking")
    def tag_blocking(name: str) -> str:
        return tag(name)

    def tag(name: str) -> str:
        before = _tenant_at_hand.get()
        _tenant_at_hand.set(name)
        return before

    task = tag_async if sort == "async" else tag_blocking
    client.enqueue_many(task.call(f"tenant {n}") for n in range(4))
    drain(client, task, slots=1)
    assert [job.result for job in client.each(kind=task)] == ["nobody"] * 4


def test_many_jobs_run_once_each(client: Client) -> None:
    seen: list[int] = []

    @lh.task(name="collect")
    def collect(n: int) -> None:
        seen.append(n)

    client.enqueue_many(collect.call(n) for n in range(300))
    report = drain(client, collect)
    assert sorted(seen) == list(range(300))
    assert report.succeeded == 300


def test_a_handler_in_a_module_is_found_through_the_module(client: Client) -> None:
    from tests.worker import sample_tasks

    job_id = client.enqueue(add_blocking, 1, 1).id
    lh.Worker(client, sample_tasks, poll="100ms").run(until_empty=True)
    assert outcomes(client, job_id) == ["succeeded"]
