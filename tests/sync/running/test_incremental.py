"""An incremental sync reads what has changed since the last one began."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_sync.data import states
from leasehold_sync.model.apps import App
from leasehold_sync.servers import StripeServer
from tests.sync.kit import counts, kept, look, sync

MakeApp = Callable[..., App]


def test_without_a_state_everything_is_read_and_then_only_changes(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    first = sync(queue, mode="incremental")
    assert counts(first) == (250, 0, 0, 0)
    names = stripe.ids("customers")
    stripe.update("customers", names[7], name="Somebody else")
    stripe.delete("customers", names[8])
    (fresh,) = stripe.insert("customers")
    asked = stripe.count("GET /v1/customers")

    second = sync(queue, mode="incremental")
    assert second["status"] == "completed"
    assert counts(second) == (1, 1, 0, 1)
    assert stripe.count("GET /v1/customers") == asked  # it read the events
    assert kept(database) == sorted({*names, fresh} - {names[8]})


def test_the_next_sync_goes_on_from_the_start_of_this_one_less_an_overlap(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    job = look(queue, sync(queue)["id"])
    with database.read() as connection:
        synced_to = states.get(connection, "shop", "customers")
    assert synced_to is not None
    assert timedelta(0) <= synced_to - job["started_at"] + timedelta(seconds=300)
    assert synced_to + timedelta(seconds=300) < job["completed_at"]


def test_a_sync_that_fails_moves_nothing_on(
    queue: lh.Client, database: Database, stripe: StripeServer, make_app: MakeApp
) -> None:
    make_app(stripe)
    stripe.fail(401)
    assert sync(queue)["status"] == "failed"
    with database.read() as connection:
        assert states.get(connection, "shop", "customers") is None
