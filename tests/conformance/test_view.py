"""The people's view (`leasehold.jobs`, `leasehold_jobs`) shows each job in one row, plainly."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tests.conformance.kit import (
    FINAL_PLACES,
    HOST,
    RUNNING_PLACES,
    STATE_OF,
    Place,
    bring,
    claim_one,
    enqueue_one,
    fail,
    make_batch,
    pass_time,
    promote,
    settle,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Row, Tables

COLUMNS = [
    "id",
    "tenant_id",
    "queue",
    "type",
    "payload",
    "status",
    "priority",
    "attempts",
    "max_attempts",
    "failures",
    "run_at",
    "locked_by",
    "locked_at",
    "locked_until",
    "key",
    "throttle_key",
    "batch_id",
    "started_at",
    "finished_at",
    "result",
    "error_message",
    "created_by",
    "created_at",
    "updated_at",
    "share",
    "cost",
]
# What was spent: the failures, plus one while running or succeeded.
SPENT = {
    Place.RUNNING: 1,
    Place.CANCELLING: 1,
    Place.FAILED: 1,
    Place.SUCCEEDED: 1,
    Place.DEAD: 1,
}


def only(tables: Tables) -> Row:
    (row,) = tables.view()
    return row


def decoded(value: Any) -> Any:
    """JSON is a value of its own on one store and text on the other."""
    return json.loads(value) if isinstance(value, str) else value


def test_the_columns_are_the_published_ones(store: Store, tables: Tables) -> None:
    enqueue_one(store)
    assert list(only(tables)) == COLUMNS


@pytest.mark.parametrize("place", list(Place))
def test_each_state_has_one_row_with_what_was_asked(
    store: Store, tables: Tables, place: Place
) -> None:
    batch = make_batch(store, tenant="acme")
    job_id, _ = bring(
        store,
        place,
        kind="greet",
        priority=3,
        tenant="acme",
        batch=batch,
        created_by="Ada",
        max_attempts=4,
    )

    row = only(tables)
    assert (str(row["id"]), row["status"]) == (str(job_id), STATE_OF[place])
    assert (row["tenant_id"], row["queue"], row["type"]) == ("acme", "default", "greet")
    assert (decoded(row["payload"]), row["priority"]) == ({"name": "Ada"}, 3)
    assert (row["max_attempts"], str(row["batch_id"])) == (4, str(batch))
    assert (row["created_by"], row["key"]) == ("Ada", None)
    assert row["throttle_key"] == (HOST if place is Place.BLOCKED else None)
    assert row["created_at"] is not None
    assert row["updated_at"] >= row["created_at"]


@pytest.mark.parametrize("place", list(Place))
def test_attempts_are_what_was_spent(store: Store, tables: Tables, place: Place) -> None:
    bring(store, place)

    row = only(tables)
    assert row["attempts"] == SPENT.get(place, 0)
    assert row["failures"] == (place in {Place.FAILED, Place.DEAD})


@pytest.mark.parametrize("place", list(Place))
def test_only_a_running_job_is_locked(store: Store, tables: Tables, place: Place) -> None:
    bring(store, place)

    row = only(tables)
    locks = [row["locked_by"], row["locked_at"], row["locked_until"]]
    assert {lock is not None for lock in locks} == {place in RUNNING_PLACES}


@pytest.mark.parametrize("place", list(Place))
def test_only_an_ended_job_is_finished(store: Store, tables: Tables, place: Place) -> None:
    bring(store, place)

    row = only(tables)
    assert (row["finished_at"] is not None) == (place in FINAL_PLACES)
    assert decoded(row["result"]) == ({"sum": 3} if place is Place.SUCCEEDED else None)


@pytest.mark.parametrize(
    ("place", "error"),
    [
        (Place.READY, None),
        (Place.SUCCEEDED, None),
        (Place.FAILED, "Boom"),
        (Place.DEAD, "Boom"),
        (Place.CANCELLED, "cancelled by its handler"),
    ],
)
def test_the_last_error_is_shown(
    store: Store, tables: Tables, place: Place, error: str | None
) -> None:
    bring(store, place)
    assert only(tables)["error_message"] == error


def test_a_waiting_job_shows_when_it_will_run(store: Store, tables: Tables) -> None:
    enqueue_one(store, queue="a")
    enqueue_one(store, queue="b", delay_seconds=600.0)

    rows = {row["queue"]: row for row in tables.view()}
    assert rows["b"]["run_at"] > rows["b"]["created_at"]
    assert rows["a"]["run_at"] is None or rows["a"]["run_at"] == rows["a"]["created_at"]


def test_a_job_with_a_history_is_still_one_row(store: Store, tables: Tables) -> None:
    taken = start_one(store)
    fail(store, taken)
    pass_time(store, 1)
    promote(store)

    row = only(tables)
    assert (row["status"], row["attempts"], row["failures"]) == ("queued", 1, 1)


@pytest.mark.parametrize("place", list(Place))
def test_the_view_of_states_names_each_job_once(store: Store, tables: Tables, place: Place) -> None:
    bring(store, place)
    states = [(row["id"], row["status"]) for row in tables.rows("states")]
    assert states == [(row["id"], row["status"]) for row in tables.view()]


def test_a_job_that_ended_and_is_tried_again_has_its_new_state_only(
    store: Store, tables: Tables
) -> None:
    job_id, _ = bring(store, Place.DEAD)
    store.retry(job_id)
    assert [row["status"] for row in tables.rows("states")] == ["queued"]
    settle(store, claim_one(store), "succeeded")
    assert [row["status"] for row in tables.rows("states")] == ["succeeded"]


@pytest.mark.parametrize("place", list(Place))
def test_the_view_of_states_says_whose_a_job_is(store: Store, tables: Tables, place: Place) -> None:
    job_id, _ = bring(store, place, tenant="acme")

    name = "leasehold_states" if store.url.startswith("sqlite:") else "leasehold.states"
    (row,) = tables.execute(f"SELECT id, status, tenant_id FROM {name}")  # noqa: S608 - ours
    assert (str(row["id"]), row["status"], row["tenant_id"]) == (
        str(job_id),
        STATE_OF[place],
        "acme",
    )
