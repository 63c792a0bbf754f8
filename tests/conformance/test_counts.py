"""Counts say where the live jobs of each queue stand, and always add up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.model.values import QueueCounts
from tests.conformance.kit import FINAL_PLACES, HOST, Place, bring, new_jobs, pass_time, promote

if TYPE_CHECKING:
    from leasehold.store.base import Store


NOTHING = dict.fromkeys(("ready", "blocked", "scheduled", "failed", "running", "parked"), 0)


def live(store: Store) -> dict[str, QueueCounts]:
    """Leave out queues without any live job: a store may or may not list them."""
    return {
        counts.queue: counts
        for counts in store.counts()
        if counts != QueueCounts(queue=counts.queue, **NOTHING)
    }


def test_an_empty_store_has_nothing_to_count(store: Store) -> None:
    assert live(store) == {}


def test_each_place_is_counted_apart(store: Store) -> None:
    repeats = {
        Place.PARKED: 1,
        Place.RUNNING: 2,
        Place.CANCELLING: 1,
        Place.FAILED: 4,
        Place.SCHEDULED: 5,
        Place.SUCCEEDED: 2,
    }
    for place, count in repeats.items():
        for _ in range(count):
            bring(store, place)
    store.enqueue([*new_jobs(6), *new_jobs(7, lane=HOST)])

    counted = live(store)["default"]
    assert (counted.ready, counted.blocked, counted.scheduled) == (6, 7, 5)
    assert (counted.failed, counted.running, counted.parked) == (4, 3, 1)


def test_each_queue_is_counted_apart(store: Store) -> None:
    store.enqueue([*new_jobs(2, queue="a"), *new_jobs(3, queue="b")])
    counts = live(store)

    assert (counts["a"].ready, counts["b"].ready) == (2, 3)
    assert set(counts) == {"a", "b"}


def test_ended_jobs_are_not_counted(store: Store) -> None:
    for place in FINAL_PLACES:
        bring(store, place)
    assert live(store) == {}


def test_a_failed_job_that_fell_due_counts_as_ready(store: Store) -> None:
    bring(store, Place.FAILED)
    pass_time(store, 86_400)
    promote(store)

    assert (live(store)["default"].failed, live(store)["default"].ready) == (0, 1)
