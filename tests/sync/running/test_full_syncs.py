"""A full sync brings everything, writes what has changed, and deletes what is gone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync import syncing
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.kit import begin, counts, kept, look, rows_of, sync, work

MakeApp = Callable[..., App]


def test_a_full_sync_brings_every_object_once(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job = sync(queue)
    assert (job["status"], job["progress"], job["error_message"]) == ("completed", 100.0, None)
    assert counts(job) == (250, 0, 0, 0)
    assert job["processed_entities"] == job["tasks"][0]["entity_count"] == 250
    assert kept(database) == sorted(stripe.ids("customers"))


def test_an_unchanged_resync_writes_no_row(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    sync(queue)
    before = rows_of(database, ("number", "payload_hash", "last_seen_run", "updated_at"))
    job = sync(queue)
    assert counts(job) == (0, 0, 250, 0)
    assert rows_of(database, ("number", "payload_hash", "last_seen_run", "updated_at")) == before


def test_a_resync_writes_what_has_changed_and_deletes_exactly_what_is_gone(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    sync(queue)
    names = stripe.ids("customers")
    stripe.update("customers", names[3], name="Somebody else")
    stripe.delete("customers", names[0], names[100], names[-1])
    (fresh,) = stripe.insert("customers")
    job = sync(queue)
    assert counts(job) == (1, 1, 246, 3)
    assert kept(database) == sorted({*names, fresh} - {names[0], names[100], names[-1]})


def test_what_comes_back_is_no_longer_deleted(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe, resources=("subscriptions",))
    sync(queue)
    with database.write() as connection:
        connection.exec_driver_sql("UPDATE entities SET deleted_at = updated_at")
    assert kept(database, collections=["subscriptions"]) == []
    job = sync(queue)
    assert counts(job, "subscriptions")[1] >= 40
    assert kept(database, collections=["subscriptions"]) == sorted(stripe.ids("subscriptions"))


def test_a_mass_delete_is_stopped_and_told_and_can_be_forced(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    sync(queue)
    names = stripe.ids("customers")
    stripe.delete("customers", *names[:126])
    job = sync(queue)
    assert job["status"] == "failed"
    assert "mass_delete: the source no longer shows 126 of 250 customers" in job["error_message"]
    assert len(kept(database)) == 250

    job = sync(queue, force=True)
    assert (job["status"], counts(job)) == ("completed", (0, 0, 124, 126))
    assert kept(database) == sorted(names[126:])


def test_half_of_it_may_go_and_so_may_twenty_of_a_few(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    with StripeServer(rows={"customers": 25}) as small:
        make_app(small, "small")
        sync(queue)
        sync(queue, "small")
        stripe.delete("customers", *stripe.ids("customers")[:125])
        small.delete("customers", *small.ids("customers")[:20])
        assert counts(sync(queue)) == (0, 0, 125, 125)
        assert counts(sync(queue, "small")) == (0, 0, 5, 20)


def test_what_is_older_than_sync_from_is_neither_read_nor_deleted(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    app = make_app(stripe)
    sync(queue)
    names = stripe.ids("customers")  # the oldest first
    (made,) = rows_of_one(database, names[200])
    make_app(stripe, sync_from=made)
    stripe.delete("customers", names[0], names[201])
    job = sync(queue)
    assert app.sync_from is None
    assert (job["status"], counts(job)) == ("completed", (0, 0, 49, 1))
    assert kept(database) == sorted(set(names) - {names[201]})


def rows_of_one(database: Database, external_id: str) -> list[Any]:
    found = rows_of(database, ("external_id", "source_created_at"))
    return [made for name, made in found if name == external_id]


@pytest.mark.parametrize("trouble", ["no_id", "nul"])
def test_an_object_without_an_id_is_counted_and_nothing_is_deleted_after_it(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp, trouble: str
) -> None:
    make_app(stripe)
    sync(queue)
    names = stripe.ids("customers")
    stripe.delete("customers", names[5])
    stripe.fail(trouble, path="/v1/customers")
    job = sync(queue)
    (task,) = job["tasks"]
    assert job["status"] == "completed"
    assert task["nameless"] == (1 if trouble == "no_id" else 0)
    is_kept = names[5] in kept(database)
    assert is_kept == (trouble == "no_id")
    assert (task["note"] is None) != is_kept


def test_one_app_is_synced_by_one_job_at_a_time(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    first = begin(queue)
    again = syncing.start(queue, database, "shop", mode="incremental")
    assert (again.job_id, again.deduplicated) == (first, True)
    assert look(queue, first)["status"] == "pending"
    work(queue)
    assert begin(queue) != first
