"""How a worker starts and ends: as a process of its own, or inside another program."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.errors import LeaseholdError, SchemaMismatch
from leasehold.model.states import State
from leasehold.worker import Reason
from tests.conformance.tables import open_tables
from tests.worker.kit import (
    drain,
    new_worker,
    outcomes,
    ready_count,
    running_count,
    wait_for_file,
    wait_for_state,
    wait_until,
)
from tests.worker.sample_tasks import LINGER, add_async, add_blocking

if TYPE_CHECKING:
    from leasehold.client import Client


def test_until_empty_ends_at_once_when_there_is_nothing(client: Client) -> None:
    report = drain(client, add_blocking)
    assert (report.reason, report.succeeded, report.exit_code) == (Reason.EMPTY, 0, 0)


def test_until_empty_runs_what_its_own_jobs_enqueue(client: Client) -> None:
    @lh.task(name="countdown")
    def countdown(n: int) -> None:
        if n:
            client.enqueue(countdown, n - 1)

    client.enqueue(countdown, 10)
    assert drain(client, countdown).succeeded == 11


def test_a_handler_enqueues_through_its_own_jobs_client(client: Client) -> None:
    @lh.task(name="countdown")
    def countdown(n: int) -> None:
        if n:
            lh.current_job().client.enqueue(countdown, n - 1)

    client.enqueue(countdown, 5)
    assert drain(client, countdown).succeeded == 6


def test_the_client_of_a_tenants_job_acts_for_that_tenant(client: Client) -> None:
    @lh.task(name="countdown")
    def countdown(n: int) -> None:
        if n:
            lh.current_job().client.enqueue(countdown, n - 1)

    client.enqueue(countdown.with_options(tenant="acme"), 2)
    drain(client, countdown)
    assert [job.tenant for job in client.find()] == ["acme"] * 3


def test_until_empty_leaves_nothing_that_is_due(client: Client) -> None:
    """A retry without delay stands before the place where the last claim ended."""

    @lh.task(name="stumble", retry=lh.fixed(0), max_attempts=3)
    def stumble() -> None:
        if lh.current_job().attempt < 3:
            raise ValueError

    for _ in range(5):
        client.enqueue_many(stumble.call() for _ in range(10))
        drain(client, stumble)
        assert client.counts() == []


def test_until_empty_does_not_wait_for_what_is_not_due(client: Client) -> None:
    client.enqueue(add_blocking.with_options(delay="1h"), 1, 1)
    assert drain(client, add_blocking).reason is Reason.EMPTY


def test_until_empty_leaves_other_queues_alone(client: Client) -> None:
    client.enqueue(add_blocking.with_options(queue="elsewhere"), 1, 1)
    assert drain(client, add_blocking).succeeded == 0
    assert ready_count(client) == 1


@pytest.mark.parametrize("sort", LINGER)
def test_a_budget_is_kept_and_the_unfinished_is_handed_back_uncharged(
    client: Client, sort: str, beacon: str
) -> None:
    job_id = client.enqueue(LINGER[sort], beacon).id
    started_at = time.monotonic()
    report = new_worker(client, [LINGER[sort]], grace="25s").run(budget="4s")
    elapsed = time.monotonic() - started_at

    assert (report.reason, report.exit_code) == (Reason.BUDGET, 0)
    assert elapsed < 6.0
    job = client.get(job_id)
    assert (job.state, job.failures) == (State.QUEUED, 0)
    assert set(outcomes(client, job_id)) == {"released"}


def test_a_run_with_a_budget_ends_early_when_nothing_is_left(client: Client) -> None:
    client.enqueue(add_blocking, 1, 1)
    report = new_worker(client, [add_blocking]).run(budget="60s")
    assert (report.reason, report.succeeded) == (Reason.EMPTY, 1)


def test_a_run_with_a_budget_may_wait_for_more_work(client: Client) -> None:
    report = new_worker(client, [add_blocking]).run(budget="4s", until_empty=False)
    assert report.reason is Reason.BUDGET


def test_a_run_is_stopped_from_another_thread(client: Client) -> None:
    worker = new_worker(client, [add_blocking])
    job_id = client.enqueue(add_blocking, 1, 1).id

    def stop() -> None:
        wait_for_state(client, job_id, State.SUCCEEDED)
        worker.stop()
        worker.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    report = worker.run()
    stopper.join()
    assert (report.reason, report.succeeded) == (Reason.STOPPED, 1)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_lets_jobs_end_and_puts_the_old_handler_back(
    client: Client, number: signal.Signals, beacon: str
) -> None:
    @lh.task(name="short")
    def short() -> str:
        Path(beacon).touch()
        time.sleep(0.3)
        return "ended"

    before = signal.getsignal(number)
    job_id = client.enqueue(short).id

    def send() -> None:
        wait_for_file(beacon)
        os.kill(os.getpid(), number)

    sender = threading.Thread(target=send)
    sender.start()
    report = new_worker(client, [short]).run()
    sender.join()
    assert (report.reason, client.get(job_id).result) == (Reason.STOPPED, "ended")
    assert signal.getsignal(number) is before


def test_what_outlives_the_grace_is_handed_back_uncharged(client: Client, beacon: str) -> None:
    job_id = client.enqueue(LINGER["blocking"], beacon).id
    worker = new_worker(client, [LINGER["blocking"]], grace="1s")
    with worker:
        wait_for_file(beacon)
        asked_at = time.monotonic()
    assert time.monotonic() - asked_at < 3.0
    assert outcomes(client, job_id) == ["released"]
    assert (client.get(job_id).state, client.get(job_id).failures) == (State.QUEUED, 0)
    assert worker.report.released == 1


def test_an_embedded_worker_works_until_its_block_ends(client: Client) -> None:
    with new_worker(client, [add_blocking]) as worker:
        was_running = worker.is_running
        job_id = client.enqueue(add_blocking, 1, 1).id
        wait_for_state(client, job_id, State.SUCCEEDED)
    assert (was_running, worker.is_running) == (True, False)
    assert worker.report.succeeded == 1
    later = client.enqueue(add_blocking, 1, 1).id
    assert client.get(later).state is State.QUEUED


def test_an_embedded_worker_leaves_signals_alone(client: Client) -> None:
    before = signal.getsignal(signal.SIGTERM)
    with new_worker(client, [add_blocking]):
        assert signal.getsignal(signal.SIGTERM) is before


def test_stop_is_safe_twice_and_from_two_threads(client: Client) -> None:
    worker = new_worker(client, [add_blocking])
    worker.stop()  # before it started
    with worker:
        stopper = threading.Thread(target=worker.stop)
        stopper.start()
        worker.stop()
        stopper.join()
        worker.stop()
    assert not worker.is_running


def test_a_worker_starts_once(client: Client) -> None:
    worker = new_worker(client, [add_blocking])
    with worker:
        with pytest.raises(LeaseholdError, match="make another one"):
            worker.run()
        was_running = worker.is_running
    # The second start has not kept it from stopping.
    assert (was_running, worker.is_running) == (True, False)
    with pytest.raises(LeaseholdError, match="make another one"):
        worker.run()


def test_there_is_no_report_before_the_start(client: Client) -> None:
    with pytest.raises(LeaseholdError, match="not been started"):
        _ = new_worker(client, [add_blocking]).report


def test_async_with_runs_async_handlers_on_the_callers_own_loop(client: Client) -> None:
    async def main() -> list[int]:
        job_id = client.enqueue(add_async, 1, 1).id
        blocking = client.enqueue(add_blocking, 1, 1).id
        async with new_worker(client, [add_async, add_blocking]):
            for each in (job_id, blocking):
                await asyncio.to_thread(wait_for_state, client, each, State.SUCCEEDED)
        return [client.get(each).result["thread"] for each in (job_id, blocking)]

    awaited, blocking = asyncio.run(main())
    assert awaited == threading.get_ident()
    assert blocking != threading.get_ident()


def test_async_with_hands_back_what_is_unfinished(client: Client, beacon: str) -> None:
    async def main() -> None:
        async with new_worker(client, [LINGER["async"]], grace="1s"):
            await asyncio.to_thread(wait_for_file, beacon)

    job_id = client.enqueue(LINGER["async"], beacon).id
    asyncio.run(main())
    assert outcomes(client, job_id) == ["released"]


FORK = """
import os, sys, threading, warnings
warnings.simplefilter("ignore", DeprecationWarning)  # about forking with threads: the point
import leasehold as lh
from leasehold.errors import LeaseholdError
from leasehold.model.states import State
from tests.worker.kit import new_worker, wait_for_state
from tests.worker.sample_tasks import add_blocking

client = lh.Client(sys.argv[1])
with new_worker(client, [add_blocking]) as worker:
    wait_for_state(client, client.enqueue(add_blocking, 1, 1).id, State.SUCCEEDED)
    child = os.fork()
    if child == 0:
        assert not worker.is_running
        assert threading.active_count() == 1
        worker.stop()
        try:
            worker.run()
        except LeaseholdError:
            job_id = client.enqueue(add_blocking, 2, 2).id
            wait_for_state(client, job_id, State.SUCCEEDED)  # the parent ran it
            os._exit(7)
        os._exit(8)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
    assert worker.is_running
    wait_for_state(client, client.enqueue(add_blocking, 3, 3).id, State.SUCCEEDED)
"""


def test_a_fork_leaves_a_stopped_worker_and_a_client_that_reopens(store_url: str) -> None:
    subprocess.run([sys.executable, "-c", FORK, store_url], check=True, timeout=60)


NEWER = {  # the tables of a release that does not serve this code any more
    "sqlite": "INSERT INTO leasehold_migration VALUES (999, '0999_later', 999, 0)",
    "postgres": "INSERT INTO leasehold.migration VALUES (999, '0999_later', 999, now())",
}
NOT_NEWER = {
    "sqlite": "DELETE FROM leasehold_migration WHERE version = 999",
    "postgres": "DELETE FROM leasehold.migration WHERE version = 999",
}


def test_a_worker_refuses_tables_that_do_not_fit(client: Client, store_url: str) -> None:
    kind = "sqlite" if store_url.startswith("sqlite") else "postgres"
    job_id = client.enqueue(add_blocking, 1, 1).id
    with open_tables(store_url) as tables:
        tables.execute(NEWER[kind])
        try:
            with pytest.raises(SchemaMismatch, match="upgrade leasehold"):
                drain(client, add_blocking)
        finally:
            tables.execute(NOT_NEWER[kind])
    assert client.get(job_id).state is State.QUEUED
    assert client.workers() == []


def test_a_worker_refuses_a_database_without_tables(postgres_url: str) -> None:
    with lh.Client(postgres_url) as empty, pytest.raises(SchemaMismatch, match="migrate"):
        drain(empty, add_blocking)


def test_a_second_worker_takes_over_what_the_first_handed_back(client: Client) -> None:
    @lh.task(name="relay")
    def relay() -> int:
        job = lh.current_job()
        while job.attempt == 1:
            time.sleep(0.01)
        return job.attempt

    job_id = client.enqueue(relay).id
    with new_worker(client, [relay], grace="500ms"):
        wait_until(lambda: running_count(client) == 1, "it runs")
    drain(client, relay)
    assert client.get(job_id).result == 2
