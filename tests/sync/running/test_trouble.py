"""What a source does wrong ends a task as the specification says, and never loses its place."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sqlalchemy import delete, select, table

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync import syncing
from leasehold_sync.data.tables import task
from leasehold_sync.errors import NothingToRetry
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.kit import begin, counts, kept, look, sync, work

MakeApp = Callable[..., App]


def test_a_429_is_no_failure_and_lets_other_apps_go_on(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    with StripeServer(rows={"customers": 120}) as other:
        make_app(other, "other")
        stripe.fail(429, path="/v1/customers", skip=1, retry_after=3600)
        limited, free = begin(queue), begin(queue, "other")
        work(queue)
    (task,) = look(queue, limited)["tasks"]
    assert (task["status"], task["entity_count"], task["error_message"]) == ("pending", 100, None)
    assert "rate_limited" in task["snooze_reason"]
    assert (task["snoozed_until"] - task["started_at"]).total_seconds() == pytest.approx(
        3600, abs=60
    )
    assert look(queue, free)["status"] == "completed"

    (waiting,) = queue.find(batch=limited)
    assert waiting.failures == 0
    (paused,) = [each for each in queue.throttles.list() if each.name == "sync:shop"]
    assert paused.paused_until is not None


def test_a_refused_credential_fails_the_task_at_once_and_its_siblings_fast(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "subscriptions", "invoices"))
    stripe.fail(401, times=1)
    job = sync(queue)
    assert (job["status"], job["failed_tasks"]) == ("failed", 3)
    assert all(each.startswith("unauthorised:") for each in job["error_message"].split("; "))
    assert stripe.count() == 1  # nobody asked again

    assert syncing.retry(queue, database, job["id"]) == 3
    work(queue)
    assert look(queue, job["id"])["status"] == "completed"


@pytest.mark.parametrize("how", ["html", "truncated", 500, "empty_page", "stuck_cursor"])
def test_a_bad_page_fails_the_attempt_and_the_next_one_goes_on_from_its_cursor(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp, how: str | int
) -> None:
    make_app(stripe)
    stripe.fail(how, path="/v1/customers", skip=1)
    job_id = begin(queue)
    work(queue)
    (task,) = look(queue, job_id)["tasks"]
    assert (task["status"], task["entity_count"]) == ("pending", 100)
    assert task["error_message"]
    (waiting,) = queue.find(batch=job_id)
    assert waiting.failures == 1

    before = stripe.count()
    queue.cancel(waiting.id)
    queue.retry(waiting.id)  # now, not in half a minute
    work(queue)
    job = look(queue, job_id)
    assert counts(job) == (250, 0, 0, 0)
    assert stripe.count() - before == 2  # the pages that were missing


def test_a_task_that_fails_three_times_is_failed_and_can_be_retried_from_its_cursor(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    stripe.fail(500, path="/v1/customers", skip=1, times=3)
    job_id = begin(queue)
    for _ in range(3):
        work(queue)
        queue.store.skew_seconds += 150  # delays of half a minute and of two
    job = look(queue, job_id)
    assert (job["status"], job["failed_tasks"]) == ("failed", 1)
    assert "source_unavailable" in job["error_message"]

    assert syncing.retry(queue, database, job_id) == 1
    work(queue)
    job = look(queue, job_id)
    assert (job["status"], counts(job)) == ("completed", (250, 0, 0, 0))
    with pytest.raises(NothingToRetry):
        syncing.retry(queue, database, job_id)


def test_a_request_that_is_refused_for_good_is_not_tried_again(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, credential="env:NOT_THERE")
    job = sync(queue)
    assert job["status"] == "failed"
    assert "env:NOT_THERE" in job["error_message"]
    assert kept(database) == []


@pytest.mark.parametrize("status", [401, 429])
def test_an_attempt_whose_lease_is_gone_changes_nothing_any_more(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp, status: int
) -> None:
    make_app(stripe)
    schema = None if database.is_sqlite else "leasehold"
    lease = table("leasehold_lease" if database.is_sqlite else "lease", schema=schema)

    def take_lease(_request: object) -> None:
        with database.write() as connection:
            connection.execute(delete(lease))

    job_id = begin(queue)
    stripe.fail(status, retry_after=60)
    stripe.on_request = take_lease
    assert work(queue).lost == 1
    with database.read() as connection:
        told = select(task.c.refused, task.c.snooze_reason).where(task.c.run_id == job_id)
        assert connection.execute(told).one() == (None, None)
    assert not [each for each in queue.throttles.list() if each.paused_until is not None]
