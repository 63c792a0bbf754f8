"""Runs with a budget, of a batch, of a number of jobs: what they start, and how they end."""

from __future__ import annotations

import logging
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import BadOption, StoreUnavailable
from leasehold.model.states import State
from leasehold.worker import Reason, children
from leasehold.worker.children import Child
from leasehold.worker.crew import Crew
from tests.worker import budgets
from tests.worker.budget_kit import knows, long, shared, short
from tests.worker.kit import ChangedStore, new_worker, outcomes, ready_count, wait_until
from tests.worker.sample_tasks import LINGER

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.store.base import Store

WIDE_SECONDS = 5.0  # a busy machine is no failure


def thread_names() -> set[str]:
    return {thread.name for thread in threading.enumerate()}


# -- mixes -----------------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", range(4))
def test_a_run_never_outlasts_its_budget_by_more_than_the_longest_step(
    client: Client, seed: int, caplog: pytest.LogCaptureFixture
) -> None:
    """The long form is `python -m tests.worker.budgets`: 200 mixes, narrow bounds."""
    caplog.set_level(logging.CRITICAL)
    mix = budgets.draw_mix(seed)
    client.store.migrate()
    for ran in budgets.run_mix(client.store.url, mix):
        assert ran.seconds <= budgets.allowed_seconds(mix, slack=WIDE_SECONDS), ran
        assert ran.faults == []


# -- what fits -------------------------------------------------------------------------------------
def test_what_would_not_end_in_time_is_left_for_another_run(client: Client) -> None:
    knows(client, long=1_000.0)
    client.enqueue_many([*(long.call() for _ in range(20)), short.call(), short.call()])
    report = new_worker(client, [short, long], slots=4).run(budget=20)
    assert (report.reason, report.unfit) == (Reason.BUDGET, ("long",))
    assert report.succeeded == 2 + 1  # one of four slots was for what never fits
    assert ready_count(client) == 19


def test_laned_jobs_that_would_not_end_in_time_are_left_too(client: Client) -> None:
    knows(client, shared=1_000.0)
    client.enqueue_many([*(shared.call() for _ in range(8)), short.call()])
    report = new_worker(client, [short, shared], slots=4).run(budget=20)
    assert (report.reason, report.unfit) == (Reason.BUDGET, ("shared",))
    assert report.succeeded == 2


def test_a_run_ends_empty_when_only_the_kinds_that_do_not_fit_are_missing(client: Client) -> None:
    knows(client, long=1_000.0)
    client.enqueue(short)
    report = new_worker(client, [short, long], slots=4).run(budget=20)
    assert (report.reason, report.succeeded) == (Reason.EMPTY, 1)


def test_what_a_worker_measures_is_there_for_the_next_one(client: Client) -> None:
    @lh.task(name="nap")
    def nap() -> None:
        time.sleep(0.05)

    client.enqueue_many(nap.call() for _ in range(5))
    new_worker(client, [nap]).run(until_empty=True)
    known = client.store.durations(["nap"])["nap"]
    assert 0.05 <= known < WIDE_SECONDS

    client.enqueue(nap)
    report = new_worker(client, [nap], slots=4).run(budget=WIDE_SECONDS * 8)
    assert (report.reason, report.unfit) == (Reason.EMPTY, ())


def test_a_job_that_was_handed_back_says_nothing_about_how_long_it_takes(client: Client) -> None:
    @lh.task(name="endless")
    def endless() -> None:
        while True:
            lh.current_job().check()
            time.sleep(0.005)

    client.enqueue(endless)
    report = new_worker(client, [endless]).run(budget=4)
    assert (report.reason, report.released, report.abandoned) == (Reason.BUDGET, 1, 0)
    assert client.store.durations(["endless"]) == {}


def test_how_long_a_resumable_task_takes_keeps_no_run_from_taking_it(client: Client) -> None:
    @lh.task(name="scan", resumable=True)
    def scan() -> None:
        time.sleep(0.05)

    client.enqueue(scan)
    new_worker(client, [scan]).run(until_empty=True)
    assert client.store.durations(["scan"]) == {}


# -- the end ---------------------------------------------------------------------------------------
def test_a_blocking_handler_is_asked_before_it_is_interrupted(client: Client) -> None:
    """It has time to save where it is, and hands back by itself."""
    seen: list[str] = []

    @lh.task(name="sync")
    def sync() -> None:
        job = lh.current_job()
        while not job.is_stopping:
            time.sleep(0.005)
        seen.append("asked")
        time.sleep(0.05)
        seen.append("saved")
        job.check()

    job_id = client.enqueue(sync).id
    report = new_worker(client, [sync]).run(budget=6)
    assert (report.reason, report.released, report.abandoned) == (Reason.BUDGET, 1, 0)
    assert seen == ["asked", "saved"]
    assert outcomes(client, job_id) == ["released"]
    assert client.get(job_id).failures == 0


def test_a_handed_back_job_goes_on_from_its_checkpoint(client: Client) -> None:
    """Time-boxed workers share a long job: each does what it has time for."""
    pages: list[int] = []

    @lh.task(name="pages")
    def fetch_all() -> int:
        job = lh.current_job()
        page = job.cursor or 0
        while page < 220:
            pages.append(page)
            page += 1
            time.sleep(0.02)  # far less than what is left when it is asked
            job.checkpoint(page)
            job.check()
        return len(pages)

    job_id = client.enqueue(fetch_all).id
    runs = 0
    while client.get(job_id).state is not State.SUCCEEDED:
        new_worker(client, [fetch_all]).run(budget=4)
        runs += 1
        assert runs < 200
    assert pages == list(range(220))
    assert runs > 1
    assert client.get(job_id).failures == 0


def test_a_signal_or_stop_in_a_budget_run_lets_jobs_end(client: Client) -> None:
    started = threading.Event()

    @lh.task(name="brief")
    def brief() -> None:
        started.set()
        time.sleep(0.2)

    job_id = client.enqueue(brief).id
    worker = new_worker(client, [brief])

    def stop() -> None:
        started.wait(WIDE_SECONDS)
        worker.stop()

    stopper = threading.Thread(target=stop)
    stopper.start()
    report = worker.run(budget=60)
    stopper.join()
    assert (report.reason, report.succeeded) == (Reason.STOPPED, 1)
    assert client.get(job_id).state is State.SUCCEEDED


def test_a_database_that_does_not_answer_does_not_hold_up_a_budget(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    free = threading.Event()
    crews: list[Crew] = []
    monkeypatch.setattr(Crew, "start", crews.append)

    def stuck(store: Store, *args: Any, **named: Any) -> None:
        free.wait(WIDE_SECONDS * 4)
        store.register(*args, **named)

    worker = new_worker(lh.Client(store=ChangedStore(client.store, register=stuck)), [short])
    client.enqueue(short)
    started = time.monotonic()
    with pytest.raises(StoreUnavailable, match="within the budget"):
        worker.run(budget=0.3)
    assert time.monotonic() - started < WIDE_SECONDS
    free.set()
    wait_until(lambda: "leasehold-start" not in thread_names(), "the late start has ended")
    assert not worker.is_running
    assert (client.workers(), crews) == ([], [])
    assert ready_count(client) == 1


def test_a_farewell_that_must_wait_does_not_hold_up_a_budget(client: Client) -> None:
    free = threading.Event()

    def stuck(store: Store, *args: Any, **named: Any) -> None:
        free.wait(WIDE_SECONDS * 4)
        store.farewell(*args, **named)

    changed = lh.Client(store=ChangedStore(client.store, farewell=stuck))
    started = time.monotonic()
    report = new_worker(changed, [short]).run(budget=4)
    assert report.reason in {Reason.EMPTY, Reason.BUDGET}  # on a busy machine
    assert time.monotonic() - started < WIDE_SECONDS
    free.set()


def test_a_child_that_is_still_starting_at_the_end_never_runs_its_job(
    client: Client, beacon: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_start = threading.Event()

    class SlowChild(Child):
        def __init__(self, task: lh.Task[..., Any]) -> None:
            may_start.wait(WIDE_SECONDS * 4)
            super().__init__(task)

    monkeypatch.setattr(children, "Child", SlowChild)
    before = slot_threads()  # another test's, of a handler that hears nothing
    job_id = client.enqueue(LINGER["process"], beacon).id
    report = new_worker(client, [LINGER["process"]]).run(budget=4)
    may_start.set()
    assert report.reason is Reason.BUDGET
    wait_until(lambda: client.get(job_id).state is State.QUEUED, "it is handed back")
    wait_until(lambda: slot_threads() <= before, "the slot has ended")
    assert outcomes(client, job_id) == ["released"]
    assert not Path(beacon).exists()


def slot_threads() -> set[threading.Thread]:
    return {each for each in threading.enumerate() if each.name.startswith("leasehold-slot")}


def test_what_could_not_be_settled_in_time_is_settled_soon(client: Client) -> None:
    """The run returns; its last write is left to a thread, and no lease is left behind."""
    free = threading.Event()

    def away(store: Store, *args: Any, **named: Any) -> Any:
        if not free.is_set():
            raise StoreUnavailable("restarting")
        return store.finish(*args, **named)

    job_id = client.enqueue(short).id
    changed = lh.Client(store=ChangedStore(client.store, finish=away))
    started = time.monotonic()
    report = new_worker(changed, [short]).run(budget=4)
    assert time.monotonic() - started < 4 + WIDE_SECONDS
    assert (report.reason, report.succeeded) == (Reason.BUDGET, 0)
    free.set()
    wait_until(lambda: client.get(job_id).state is State.SUCCEEDED, "it is settled")


def test_a_claim_that_comes_too_late_is_handed_back(client: Client) -> None:
    """It was under way when the run's time was over: nobody waits for its thread."""
    free, asked = threading.Event(), threading.Event()

    def slow(store: Store, *args: Any, **named: Any) -> Any:
        asked.set()
        free.wait(WIDE_SECONDS * 4)
        return store.claim(*args, **named)

    job_id = client.enqueue(short).id
    report = new_worker(lh.Client(store=ChangedStore(client.store, claim=slow)), [short]).run(
        budget=4
    )
    assert asked.is_set()
    assert (report.reason, report.succeeded, report.released) == (Reason.BUDGET, 0, 0)
    free.set()
    wait_until(lambda: outcomes(client, job_id) == ["released"], "it is handed back")
    assert client.get(job_id).state is State.QUEUED


@pytest.mark.parametrize("budget", [0, -1, "soon"])
def test_a_budget_must_be_a_positive_time(client: Client, budget: Any) -> None:
    worker = new_worker(client, [short])
    with pytest.raises(BadOption, match="budget"):
        worker.run(budget=budget)


# -- a number --------------------------------------------------------------------------------------
@pytest.mark.parametrize("slots", [1, 16])
def test_no_more_jobs_are_started_than_asked_for(client: Client, slots: int) -> None:
    client.enqueue_many(short.call() for _ in range(50))
    report = new_worker(client, [short], slots=slots).run(max_jobs=7)
    assert (report.reason, report.succeeded) == (Reason.MAX_JOBS, 7)
    assert ready_count(client) == 43


def test_a_run_of_a_number_of_jobs_waits_for_them_to_come(client: Client) -> None:
    worker = new_worker(client, [short])
    runner = threading.Thread(target=worker.run, kwargs={"max_jobs": 2})
    runner.start()
    for _ in range(2):
        client.wait(client.enqueue(short), WIDE_SECONDS * 4)
    runner.join(WIDE_SECONDS * 4)
    assert not runner.is_alive()


def test_fewer_jobs_than_asked_for_end_a_run_until_empty(client: Client) -> None:
    client.enqueue(short)
    report = new_worker(client, [short]).run(max_jobs=7, until_empty=True)
    assert (report.reason, report.succeeded) == (Reason.EMPTY, 1)
