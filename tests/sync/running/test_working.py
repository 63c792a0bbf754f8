"""A run of a worker ends in time, hands back what it can't finish, and loses no page."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from typing import Any

from sqlalchemy import text

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from leasehold_sync.working import Run
from tests.sync.kit import begin, counts, look, sync
from tests.worker.kit import wait_until

MakeApp = Callable[..., App]


def test_a_run_takes_all_tasks_and_counts_them(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "subscriptions"))
    job_id = begin(queue)
    report = Run(queue, database).run()
    assert (report.tasks_processed, report.jobs_completed) == (2, 1)
    assert report.shutdown_reason == "no_pending_tasks"
    assert 0 < report.duration_ms < 45_000
    assert look(queue, job_id)["status"] == "completed"


def test_a_run_takes_one_jobs_tasks_only_and_no_more_than_asked(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "subscriptions"))
    make_app(stripe, "other")
    mine, others = begin(queue), begin(queue, "other")
    report = Run(queue, database, job_id=mine, max_tasks=1).run()
    assert (report.tasks_processed, report.shutdown_reason) == (1, "max_tasks")
    Run(queue, database, job_id=mine).run()
    assert look(queue, mine)["status"] == "completed"
    assert look(queue, others)["status"] == "pending"


def test_runs_end_in_time_whatever_pages_take_and_go_on_from_the_cursor(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    # 45 s are 2.7 s here: a run of 50 s is one of three, and pages take up to two thirds of it.
    make_app(stripe)
    chance = random.Random(9)
    stripe.on_request = lambda _request: time.sleep(chance.uniform(0.0, 1.8))
    job_id = begin(queue)
    reports = []
    while look(queue, job_id)["status"] in {"pending", "processing"}:
        reports.append(Run(queue, database, budget_seconds=2.7).run())
        assert reports[-1].duration_ms < 9_000  # a busy machine is no failure
        assert len(reports) < 40
    stripe.on_request = None
    job = look(queue, job_id)
    assert (job["status"], counts(job)) == ("completed", (250, 0, 0, 0))
    (task,) = queue.find(batch=job_id)
    assert task.failures == 0  # to be handed back is no failure


def test_a_task_whose_worker_died_at_its_last_attempt_is_orphaned(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    stripe.fail(401)
    job = sync(queue)
    outcome = "leasehold_outcome" if database.is_sqlite else "leasehold.outcome"
    with database.write() as connection:  # as reclaim writes it, after four deaths in a row
        told = {"error": "lapsed: its worker stopped renewing the lease"}
        connection.execute(text(f"UPDATE {outcome} SET error = :error"), told)  # noqa: S608
    assert look(queue, job["id"])["error_message"] == "orphaned"


def is_told(run: Run) -> bool:
    crew = run._worker._crew
    return crew is not None and all(each.interruption for each in crew.book.held())


def test_a_run_can_be_stopped_from_outside(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job_id = begin(queue)
    run = Run(queue, database)
    asked: list[Any] = []

    def stop_at_the_second_page(_request: Any) -> None:
        asked.append(1)
        if len(asked) == 2:
            run.stop(within=0)
            wait_until(lambda: is_told(run), "the task is told: else it may read all pages before")

    stripe.on_request = stop_at_the_second_page
    report = run.run()
    stripe.on_request = None
    assert report.shutdown_reason == "stopped"
    assert look(queue, job_id)["status"] == "processing"
    Run(queue, database).run()
    assert counts(look(queue, job_id)) == (250, 0, 0, 0)
