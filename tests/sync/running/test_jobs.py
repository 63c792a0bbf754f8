"""What people do with sync jobs: cancel, retry, schedule; and what is refused."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync import apps, retaining, syncing, tasks
from leasehold_sync.errors import (
    AppBusy,
    AppNotFound,
    BadApp,
    ConnectorNotFound,
    JobEnded,
    NothingToRetry,
    SyncNotFound,
    UnknownResource,
)
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.kit import begin, kept, look, sync, work

MakeApp = Callable[..., App]


def test_a_waiting_sync_is_cancelled_at_once_and_again_is_the_same(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job_id = begin(queue)
    syncing.cancel(queue, database, job_id)
    job = look(queue, job_id)
    assert (job["status"], job["tasks"][0]["status"]) == ("cancelled", "cancelled")
    syncing.cancel(queue, database, job_id)
    assert look(queue, job_id) == job
    with pytest.raises(NothingToRetry):
        syncing.retry(queue, database, job_id)
    assert begin(queue) != job_id  # it is in nobody's way


def test_a_running_sync_stops_at_its_next_page(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job_id = begin(queue)
    asked: list[int] = []

    def cancel_at_the_second_page(_request: Any) -> None:
        asked.append(1)
        if len(asked) == 2:
            syncing.cancel(queue, database, job_id)

    stripe.on_request = cancel_at_the_second_page
    work(queue)
    stripe.on_request = None
    job = look(queue, job_id)
    assert (job["status"], job["tasks"][0]["status"]) == ("cancelled", "cancelled")
    assert len(asked) == 2
    # The second page is kept, or the worker was told before it had come.
    assert job["processed_entities"] in {100, 200}
    assert len(kept(database)) == job["processed_entities"]


def test_what_has_ended_can_not_be_cancelled(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job = sync(queue)
    with pytest.raises(JobEnded) as refused:
        syncing.cancel(queue, database, job["id"])
    assert refused.value.status == "completed"
    with pytest.raises(SyncNotFound):
        syncing.cancel(queue, database, uuid4())


def test_a_failed_sync_is_not_retried_beside_another_one(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    stripe.fail(401)
    failed = sync(queue)
    running = begin(queue)
    with pytest.raises(AppBusy) as refused:
        syncing.retry(queue, database, failed["id"])
    assert refused.value.job_id == running


def test_unknown_apps_and_resources_are_refused_by_name(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "invoices"))
    with pytest.raises(AppNotFound):
        syncing.start(queue, database, "nobody")
    with pytest.raises(UnknownResource) as refused:
        syncing.start(queue, database, "shop", resource_types=["customers", "cats"])
    assert (refused.value.resources, refused.value.valid) == (("cats",), ("customers", "invoices"))
    with pytest.raises(ConnectorNotFound):
        make_app(stripe, "other", connector="fax")
    with pytest.raises(BadApp, match="env:NAME"):
        make_app(stripe, "other", credential="sk_live_secret")
    assert "sk_live" not in str(BadApp("credential", "x"))


def test_a_schedule_begins_incremental_syncs_and_goes_with_its_app(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, schedule="@hourly")
    queue.schedules.run_now("sync shop")
    work(queue)
    (run_id,) = (each.id for each in queue.batches.list(name="sync shop"))
    job = look(queue, run_id)
    assert (job["status"], job["mode"]) == ("completed", "incremental")
    make_app(stripe)
    assert queue.schedules.list() == [
        each for each in queue.schedules.list() if "shop" not in each.name
    ]
    with pytest.raises(BadApp, match="schedule"):
        make_app(stripe, schedule="now and then")
    apps.remove(queue, database, "shop")
    with pytest.raises(AppNotFound):
        apps.get(database, "shop")


def test_old_jobs_go_but_not_the_newest_nor_any_entity(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    jobs = [sync(queue)["id"] for _ in range(3)]
    assert retaining.clean(queue, database, days=7) == 0
    assert retaining.clean(queue, database, days=0) == 2
    for gone in jobs[:2]:
        with pytest.raises(SyncNotFound):
            look(queue, gone)
    assert look(queue, jobs[2])["status"] == "completed"
    assert len(kept(database)) == 250
    assert queue.enqueue(tasks.retain).is_new


def test_batches_that_a_killed_starter_left_open_are_closed(
    queue: lh.Client,
    database: Database,
    stripe: StripeServer,
    make_app: MakeApp,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    make_app(stripe)
    with monkeypatch.context() as killed:
        killed.setattr(syncing, "_fill", lambda *_, **__: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            syncing.start(queue, database, "shop")
    with monkeypatch.context() as killed:
        killed.setattr(lh.Batch, "seal", lambda _: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            syncing.start(queue, database, "shop")
    assert work(queue).succeeded == 1
    never_begun = queue.batches.create(name="somebody else's")
    retaining.close_left_open(queue, database, datetime.now(UTC) - timedelta(hours=1))
    assert len(queue.batches.list(status="open")) == 3  # somebody may be at it just now

    retaining.close_left_open(queue, database, datetime.now(UTC) + timedelta(minutes=1))
    assert [each.id for each in queue.batches.list(status="open")] == [never_begun.id]
    left = queue.batches.list(name="sync shop")
    assert {each.status: each.counts.total for each in left} == {"ended": 1, "cancelled": 0}


def test_an_app_is_read_from_toml(tmp_path: Any) -> None:
    file = tmp_path / "apps.toml"
    file.write_text(
        '[apps.stripe_main]\nconnector = "stripe"\ncredential = "env:STRIPE_KEY"\n'
        'sync_from = 2024-01-01\nresources = ["customers"]\nschedule = "0 * * * *"\n'
    )
    (app,) = apps.read_toml(file)
    assert (app.app_key, app.resources, app.schedule) == (
        "stripe_main",
        ("customers",),
        "0 * * * *",
    )
    assert app.sync_from is not None
    assert app.sync_from.isoformat() == "2024-01-01T00:00:00+00:00"
    file.write_text('[apps.x]\nconnector = "stripe"\nkey = "sk_live"\n')
    with pytest.raises(BadApp, match="key"):
        apps.read_toml(file)
