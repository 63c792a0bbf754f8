"""An immediate sync does the same in the request, and leaves no job."""

from __future__ import annotations

from collections.abc import Callable

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync.errors import AppBusy
from leasehold_sync.model.apps import App
from leasehold_sync.running.immediate import run_now
from leasehold_sync.servers import StripeServer
from tests.sync.kit import begin, kept, rows_of

MakeApp = Callable[..., App]


def test_it_brings_changes_and_deletes_and_writes_no_job(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    answer = run_now(queue, database, "shop", mode="full")
    (result,) = answer["results"]
    assert (answer["status"], answer["has_more"]) == ("completed", False)
    assert (result["entity_count"], result["created"], result["status"]) == (250, 250, "completed")
    names = stripe.ids("customers")
    stripe.delete("customers", names[0])
    (result,) = run_now(queue, database, "shop", mode="full")["results"]
    assert (result["unchanged"], result["deleted"]) == (249, 1)
    assert kept(database) == sorted(names[1:])
    assert queue.find() == []
    assert queue.batches.list() == []


def test_it_is_refused_while_a_job_of_the_app_runs(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job_id = begin(queue)
    with pytest.raises(AppBusy) as refused:
        run_now(queue, database, "shop")
    assert refused.value.job_id == job_id


def test_it_stops_when_its_time_is_over_and_deletes_nothing(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "subscriptions"))
    run_now(queue, database, "shop", mode="full")
    stripe.delete("customers", *stripe.ids("customers")[:3])
    before = len(stripe.seen())
    answer = run_now(
        queue,
        database,
        "shop",
        mode="full",
        is_stopping=lambda: len(stripe.seen()) > before,  # after one page
    )
    assert (answer["status"], answer["has_more"]) == ("processing", True)
    assert [each["status"] for each in answer["results"]] == ["pending", "pending"]
    assert len(kept(database)) == 250


def test_a_dry_run_counts_and_writes_nothing(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    run_now(queue, database, "shop", mode="full")
    before = rows_of(database, ("number", "payload_hash", "deleted_at", "updated_at"))
    names = stripe.ids("customers")
    stripe.update("customers", names[1], name="Somebody else")
    stripe.delete("customers", names[0])
    stripe.insert("customers")
    (result,) = run_now(queue, database, "shop", mode="full", dry_run=True)["results"]
    told = tuple(result[name] for name in ("created", "updated", "unchanged", "deleted"))
    assert told == (1, 1, 248, 1)
    assert rows_of(database, ("number", "payload_hash", "deleted_at", "updated_at")) == before


def test_a_failure_is_told_and_the_other_resources_are_read(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("customers", "subscriptions"))
    stripe.fail(500, path="/v1/customers")
    answer = run_now(queue, database, "shop", mode="full")
    assert [each["status"] for each in answer["results"]] == ["failed", "completed"]
    assert answer["status"] == "failed"
    assert "source_unavailable" in answer["results"][0]["error_message"]
