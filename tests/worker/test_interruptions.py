"""What must not go on is stopped: at its deadline, when cancelled, when its lease is lost."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import Cancelling, LeaseGone, TimedOut
from leasehold.model.states import State
from tests.worker.kit import (
    ChangedStore,
    new_worker,
    outcomes,
    wait_for_file,
    wait_for_state,
    wait_until,
)
from tests.worker.sample_tasks import LINGER, SWALLOW

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Held, Renewal
    from leasehold.store.base import Store

FEW_SECONDS = 5.0


@pytest.mark.parametrize("sort", LINGER)
def test_a_handler_is_stopped_at_its_deadline_and_that_is_counted(
    client: Client, sort: str, beacon: str
) -> None:
    # Starting a child is part of its time.
    timeout = 3.0 if sort == "process" else 0.3
    job_id = client.enqueue(LINGER[sort].with_options(timeout=timeout), beacon).id
    with new_worker(client, [LINGER[sort]]) as worker:
        wait_for_state(client, job_id, State.FAILED)
        assert worker.is_healthy

    job = client.get(job_id)
    assert (job.failures, job.attempt) == (1, 1)
    assert job.error == f"TimedOut: ran longer than its timeout of {timeout:g} s"
    assert Path(beacon).exists()


@pytest.mark.parametrize("sort", LINGER)
def test_a_cancelled_job_is_stopped_within_a_few_seconds(
    client: Client, sort: str, beacon: str
) -> None:
    job_id = client.enqueue(LINGER[sort], beacon).id
    with new_worker(client, [LINGER[sort]], poll="1s") as worker:
        wait_for_file(beacon)
        asked_at = time.monotonic()
        assert client.cancel(job_id, by="ops") is State.RUNNING
        wait_for_state(client, job_id, State.CANCELLED)
        assert time.monotonic() - asked_at < FEW_SECONDS
        assert worker.is_healthy

    job = client.get(job_id)
    assert (job.failures, job.error) == (0, "cancelled by ops")


@pytest.mark.parametrize("sort", SWALLOW)
def test_a_handler_that_swallows_its_timeout_has_failed_all_the_same(
    client: Client, sort: str, beacon: str
) -> None:
    job_id = client.enqueue(SWALLOW[sort].with_options(timeout="200ms"), beacon).id
    with new_worker(client, [SWALLOW[sort]]) as worker:
        wait_for_state(client, job_id, State.DEAD)
        assert worker.is_healthy
    assert (client.get(job_id).error or "").startswith("TimedOut")


@pytest.mark.parametrize("sort", SWALLOW)
def test_a_handler_that_swallows_its_cancellation_is_cancelled_all_the_same(
    client: Client, sort: str, beacon: str
) -> None:
    job_id = client.enqueue(SWALLOW[sort], beacon).id
    with new_worker(client, [SWALLOW[sort]]):
        wait_for_file(beacon)
        client.cancel(job_id)
        wait_for_state(client, job_id, State.CANCELLED)
    assert client.get(job_id).result is None


def test_a_handler_may_clean_up_when_it_is_interrupted(client: Client) -> None:
    started, told = threading.Event(), list[object]()

    @lh.task(name="tidy")
    def tidy() -> None:
        try:
            started.set()
            while True:
                time.sleep(0.01)
        except Cancelling as error:
            told.append((type(error), lh.current_job().is_stopping))
            raise

    job_id = client.enqueue(tidy).id
    with new_worker(client, [tidy]):
        assert started.wait(10)
        client.cancel(job_id)
        wait_for_state(client, job_id, State.CANCELLED)
    assert told == [(Cancelling, True)]


def test_a_long_loop_is_told_by_check(client: Client) -> None:
    @lh.task(name="count", max_attempts=1, timeout="200ms")
    def count() -> None:
        for _ in range(10**9):
            with contextlib.suppress(TimedOut):
                time.sleep(0.005)
            lh.current_job().check()

    job_id = client.enqueue(count).id
    with new_worker(client, [count]) as worker:
        wait_for_state(client, job_id, State.DEAD)
        assert worker.is_healthy
    assert (client.get(job_id).error or "").startswith("TimedOut")


def test_an_interruption_that_meets_the_handlers_own_error_loses_nothing(client: Client) -> None:
    """The interruption waits while the handler is inside C, which then raises by itself."""
    with contextlib.ExitStack() as stack:
        ours, theirs = map(stack.enter_context, socket.socketpair())
        theirs.settimeout(1.0)

        @lh.task(name="listen", max_attempts=1, timeout="200ms")
        def listen() -> None:
            theirs.recv(1)

        @lh.task(name="after")
        def after() -> None:
            return

        job_id = client.enqueue(listen).id
        later = client.enqueue(after).id
        with new_worker(client, [listen, after], slots=1) as worker:
            wait_for_state(client, later, State.SUCCEEDED)
            assert worker.is_healthy
        assert ours.fileno() >= 0
    assert client.get(job_id).state is State.DEAD
    assert (client.get(job_id).error or "").startswith("TimedOut")


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_an_interruption_never_strikes_the_next_job(client: Client, sort: str) -> None:
    """Deadlines close to the handlers' own ends: whoever comes first, each job ends as its own."""

    async def handle_async(seconds: float) -> str:
        import asyncio

        await asyncio.sleep(seconds)
        return "done"

    def handle(seconds: float) -> str:
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            pass
        return "done"

    handler: Any = handle_async if sort == "async" else handle
    close = lh.task(name="close", max_attempts=1, timeout="50ms")(handler)
    calm = lh.task(name="calm", max_attempts=1)(handler)
    for number in range(12):
        client.enqueue(close, 0.04 + 0.01 * number)
        client.enqueue(calm, 0.002)
    with new_worker(client, [close, calm], slots=1):
        wait_until(lambda: not client.counts(), "all have ended")
    assert {job.state for job in client.each(kind=calm)} == {State.SUCCEEDED}
    assert {job.state for job in client.each(kind=close)} <= {State.SUCCEEDED, State.DEAD}


def lose(lost: set[object]) -> Any:
    """Make a `renew` that says that these leases are lost."""

    def renew(store: Store, worker: WorkerId, leases: Sequence[Held]) -> Renewal:
        from leasehold.model.values import Renewal

        renewal = store.renew(worker, leases)
        return Renewal(
            lost=renewal.lost | {each.job_id for each in leases if each.job_id in lost},
            cancelled=renewal.cancelled,
        )

    return renew


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_handler_whose_lease_is_lost_is_stopped(client: Client, sort: str, beacon: str) -> None:
    lost: set[object] = set()
    told: list[str] = []
    changed = lh.Client(store=ChangedStore(client.store, renew=lose(lost)))

    async def handle_async() -> None:
        import asyncio

        Path(beacon).touch()  # noqa: ASYNC240 - one quick touch
        try:
            await asyncio.sleep(3600)
        except asyncio.CancelledError as error:
            told.append(str(error))
            raise

    def handle() -> None:
        Path(beacon).touch()
        try:
            while True:
                time.sleep(0.01)
        except LeaseGone:
            told.append("LeaseGone")
            raise

    task = lh.task(name="bereft")(handle_async if sort == "async" else handle)
    job_id = client.enqueue(task).id
    with new_worker(changed, [task], lease="1s") as worker:
        wait_for_file(beacon)
        lost.add(job_id)
        wait_until(lambda: bool(told), "the handler was told")
        lost.clear()
        assert worker.is_healthy
    assert told[0] == "LeaseGone"
    assert set(outcomes(client, job_id)) == {"released"}  # its lease stood after all: no charge


def test_a_worker_that_can_not_renew_stops_its_jobs_before_the_lease_ends(
    client: Client, beacon: str
) -> None:
    def renew(*_: object) -> Renewal:
        raise lh.StoreUnavailable("no way through")

    ends: list[float] = []

    @lh.task(name="stranded")
    def stranded() -> None:
        Path(beacon).touch()
        try:
            while True:
                time.sleep(0.01)
        finally:
            ends.append(time.monotonic())

    client.enqueue(stranded)
    changed = lh.Client(store=ChangedStore(client.store, renew=renew))
    started_at = time.monotonic()
    with new_worker(changed, [stranded], lease="2s"):
        wait_for_file(beacon)
        claimed_by = time.monotonic()
        wait_until(lambda: bool(ends), "the handler was stopped")
    assert ends[0] < claimed_by + 2.0
    assert ends[0] > started_at + 1.0


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_job_whose_lease_was_lost_before_it_started_does_not_run(
    client: Client, sort: str, beacon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.worker.pace.Pace.room", lambda _self, held: 2 - held)
    # Nor is it handed back for having waited, which would come at nearly the same time.
    monkeypatch.setattr("leasehold.worker.attempt.Attempt.is_stale", lambda _self, _now: False)
    go_on = threading.Event()
    ran: list[int] = []

    async def handle_async(n: int) -> None:
        handle(n)

    def handle(n: int) -> None:
        ran.append(n)
        Path(beacon).touch()
        assert go_on.wait(20)

    task = lh.task(name="queue up")(handle_async if sort == "async" else handle)
    first, second = client.enqueue(task, 1).id, client.enqueue(task, 2).id
    lost: set[object] = {second}
    changed = lh.Client(store=ChangedStore(client.store, renew=lose(lost)))
    with new_worker(changed, [task], slots=1, lease="3s", poll="250ms") as worker:
        wait_for_file(beacon)
        (waiting,) = [each for each in worker._crew.book.held() if each.claim.job_id == second]  # type: ignore[union-attr]
        wait_until(lambda: waiting.interruption is LeaseGone, "the lost lease was noticed")
        monkeypatch.setattr("leasehold.worker.pace.Pace.room", lambda _self, _held: 0)
        go_on.set()
        wait_until(lambda: bool(outcomes(client, second)), "the second one ended")
        assert worker.is_healthy
    assert (ran, outcomes(client, first)) == ([1], ["succeeded"])
    assert outcomes(client, second) == ["released"]


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_handler_that_keeps_its_thread_for_three_leases_keeps_its_lease(
    client: Client, sort: str
) -> None:
    """An async one blocks the event loop, the other computes; renewals have their own thread."""

    async def handle_async() -> int:
        time.sleep(3.0)  # noqa: ASYNC251 - the point
        return lh.current_job().attempt

    def handle() -> int:
        end = time.monotonic() + 3.0
        while time.monotonic() < end:
            pass
        return lh.current_job().attempt

    task = lh.task(name="block")(handle_async if sort == "async" else handle)
    job_id = client.enqueue(task).id
    with new_worker(client, [task], lease="1s"), new_worker(client, [task], lease="1s"):
        wait_for_state(client, job_id, State.SUCCEEDED)
    assert (client.get(job_id).result, outcomes(client, job_id)) == (1, ["succeeded"])
