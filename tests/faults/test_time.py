"""Leases and deadlines hold whatever a handler does with its thread, its loop or its time."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.store.sqlite.gate import Gate
from tests.faults import odd_tasks
from tests.faults.fleet import Fleet
from tests.faults.history import read_history
from tests.faults.proxy import Proxy
from tests.faults.waiting import wait_for
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.task import Call
    from tests.faults.target import Target

LEASE_SECONDS = 1.5


@pytest.fixture
def fleet(target: Target, tmp_path: Path) -> Iterator[Fleet]:
    """Two workers: what one of them lets lapse, the other takes back."""
    options = WorkerOptions(
        url=target.url, tasks="tests.faults.odd_tasks", lease=LEASE_SECONDS, poll=0.1
    )
    with Fleet(options, tmp_path, 2) as started:
        yield started


@pytest.mark.parametrize(
    "call",
    [odd_tasks.block_loop.call(3 * LEASE_SECONDS), odd_tasks.compute.call(3 * LEASE_SECONDS)],
    ids=["blocks the loop", "computes in pure Python"],
)
def test_a_handler_that_lets_nothing_else_run_for_three_leases_keeps_its_lease(
    target: Target, client: lh.Client, fleet: Fleet, call: Call
) -> None:
    client.enqueue_many([call])
    wait_for("end of the job", lambda: target.count_ended() == 1, 30)
    ended = read_history(target.url, {}).outcomes
    assert [(each.state, each.attempt, each.lapses) for each in ended] == [("succeeded", 1, 0)]


@pytest.mark.parametrize("task", [odd_tasks.hang, odd_tasks.hang_async], ids=lambda task: task.name)
def test_a_hung_job_ends_at_its_deadline_and_is_charged(
    target: Target, client: lh.Client, fleet: Fleet, task: lh.Task[[], object]
) -> None:
    job_id = client.enqueue(task).id
    wait_for("death of the job", lambda: client.get(job_id).state is lh.State.DEAD, 30)
    first, last = sorted(read_history(target.url, {}).outcomes, key=lambda each: each.attempt)
    assert [(each.state, each.failures) for each in (first, last)] == [("failed", 1), ("dead", 2)]
    for each in (first, last):
        assert each.error == "TimedOut: ran longer than its timeout of 1 s"
        assert each.started_at is not None
        assert 0.9 < (each.finished_at - each.started_at) / 1_000_000 < 4


class Told:
    """What handlers were told, and when."""

    def __init__(self) -> None:
        self.started: set[str] = set()
        self.reasons: dict[str, tuple[type[BaseException], float]] = {}

    def note(self, name: str, reason: BaseException) -> None:
        self.reasons.setdefault(name, (type(reason), time.monotonic()))


def listening_tasks(told: Told) -> list[lh.Task[[], Any]]:
    """Handlers whose first attempt lasts until they are told to stop."""

    @lh.task(name="listen")
    def listen() -> None:
        try:
            while lh.current_job().attempt == 1:
                told.started.add("listen")
                time.sleep(0.01)
        except lh.Interrupted as reason:
            told.note("listen", reason)
            raise

    @lh.task(name="listen_async")
    async def listen_async() -> None:
        try:
            while lh.current_job().attempt == 1:
                told.started.add("listen_async")
                await asyncio.sleep(60)
        except asyncio.CancelledError as reason:
            told.note("listen_async", reason)
            raise

    return [listen, listen_async]


@contextlib.contextmanager
def renewals_blocked(target: Target, proxy: Proxy | None) -> Iterator[None]:
    """Let nobody through to the database: a silent network, or another process's write."""
    if proxy is not None:
        proxy.hold()
        try:
            yield
        finally:
            proxy.release()
        return
    with Gate(target.url.removeprefix("sqlite:///") + "-lock", 10).hold():
        yield


def test_when_renewals_do_not_get_through_handlers_are_stopped_before_their_lease_ends(
    target: Target, client: lh.Client
) -> None:
    told = Told()
    tasks = listening_tasks(told)
    with contextlib.ExitStack() as stack:
        proxy = stack.enter_context(Proxy(target.url)) if target.store == "postgres" else None
        url = target.url if proxy is None else proxy.url()
        far = stack.enter_context(lh.Client(url))
        stack.enter_context(lh.Worker(far, tasks=tasks, lease=LEASE_SECONDS, poll="0.1s"))
        ids = [client.enqueue(task).id for task in tasks]
        wait_for("both running", lambda: len(told.started) == len(tasks), 10)
        with renewals_blocked(target, proxy):
            blocked_at = time.monotonic()
            wait_for("word to both handlers", lambda: len(told.reasons) == len(tasks), 10)
        wait_for("end of both jobs", lambda: target.count_ended() == len(ids), 20)

    reasons = {name: reason for name, (reason, _) in told.reasons.items()}
    assert reasons == {"listen": lh.LeaseGone, "listen_async": asyncio.CancelledError}
    # The last renewal came before the block, so the leases end no later than this.
    latest = max(told_at for _, told_at in told.reasons.values())
    assert latest < blocked_at + LEASE_SECONDS
    jobs = [client.get(job_id) for job_id in ids]
    assert {(job.state, job.failures) for job in jobs} == {(lh.State.SUCCEEDED, 0)}
