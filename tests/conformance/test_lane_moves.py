"""What ends an attempt of a laned job: its slot is free, and it takes its old place in line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.model.values import Promotion
from tests.conformance.kit import (
    HOST,
    LATER_SECONDS,
    LEASE_SECONDS,
    RULE,
    WORKER,
    claim,
    declare,
    enqueue_one,
    held,
    look,
    look_lanes,
    new_jobs,
    pass_time,
    place_of,
    promote,
    settle,
    settlement,
    start_one,
    start_suspect,
    take_lanes,
    take_one,
    take_suspect,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

SHARED: dict[str, Any] = {"lane": "", "share": "ada"}
ASKED: dict[str, Any] = {"lane": HOST, "share": "ada", "cost": 2.5, "priority": 3}


@pytest.fixture(autouse=True)
def one_at_a_time(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))


@pytest.mark.parametrize(
    "outcome", ["succeeded", "failed", "dead", "snoozed", "released", "cancelled"]
)
def test_whatever_ends_an_attempt_frees_its_slot(store: Store, outcome: str) -> None:
    taken = start_one(store, lane=HOST)
    waiting = enqueue_one(store, lane=HOST, priority=5)
    assert take_lanes(store) == []

    assert settle(store, taken, outcome, delay_seconds=LATER_SECONDS) == "settled"
    assert take_one(store).job_id == waiting


def test_a_jobs_own_transaction_frees_its_slot(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    waiting = enqueue_one(store, lane=HOST)
    end = settlement(taken, "succeeded", elapsed_seconds=1.0)
    with store.transaction(WORKER, lambda: end, lease_seconds=LEASE_SECONDS):
        pass
    assert take_one(store).job_id == waiting


def test_release_frees_the_slot_and_keeps_the_place(store: Store, tables: Tables) -> None:
    first = start_one(store, **ASKED)
    pass_time(store, 1)
    enqueue_one(store, **ASKED)
    settle(store, first, "released")

    job = look(store, first.job_id)
    assert (job.state, job.priority, job.lane, job.share, job.cost) == (
        State.BLOCKED,
        3,
        HOST,
        "ada",
        2.5,
    )
    assert places(tables, first.job_id) == ["waiting"]
    again = take_one(store)
    assert (again.job_id, again.place, again.attempt) == (first.job_id, first.place, 2)


@pytest.mark.parametrize("outcome", ["failed", "snoozed"])
def test_what_comes_back_later_takes_its_old_place_in_its_lane(
    store: Store, tables: Tables, outcome: str
) -> None:
    first = start_one(store, **ASKED)
    pass_time(store, 1)
    newer = enqueue_one(store, **ASKED)
    settle(store, first, outcome, delay_seconds=60.0, is_counted=outcome == "failed", error="x")
    state = State.FAILED if outcome == "failed" else State.QUEUED
    assert look(store, first.job_id).state is state
    assert places(tables, first.job_id) == ["scheduled"]

    pass_time(store, 61)
    assert store.promote(limit=10) == Promotion(1, None, in_lanes=1)
    assert look(store, first.job_id).state is State.BLOCKED
    again = take_one(store)
    assert (again.job_id, again.place, again.attempt) == (first.job_id, first.place, 2)
    assert look(store, newer).state is State.BLOCKED


def test_a_delayed_job_falls_due_into_its_lane(store: Store, tables: Tables) -> None:
    throttled = enqueue_one(store, delay_seconds=60.0, **ASKED)
    shared = enqueue_one(store, delay_seconds=60.0, **SHARED)
    plain = enqueue_one(store, delay_seconds=60.0)
    assert {look(store, each).state for each in (throttled, shared, plain)} == {State.QUEUED}
    assert look_lanes(store) == []

    pass_time(store, 61)
    assert store.promote(limit=10) == Promotion(3, None, in_lanes=2)
    assert look(store, throttled).state is State.BLOCKED
    assert look(store, shared).state is State.QUEUED
    assert [lease.job_id for lease in claim(store)] == [plain]
    assert [lease.job_id for lease in take_lanes(store)] == [throttled, shared]


def test_a_promotions_limit_counts_lanes_and_ready_together(store: Store) -> None:
    store.enqueue(new_jobs(3, delay_seconds=10.0, lane=HOST))
    store.enqueue(new_jobs(3, delay_seconds=10.0))
    pass_time(store, 60)
    assert store.promote(limit=4).count == 4
    assert store.promote(limit=4).count == 2


def test_a_jobs_cost_and_share_last_over_all_its_attempts(store: Store) -> None:
    taken = start_one(store, **ASKED)
    for outcome in ("failed", "released", "snoozed"):
        settle(store, taken, outcome, delay_seconds=0.0, elapsed_seconds=1.0)
        promote(store)
        taken = take_one(store)
        job = look(store, taken.job_id)
        assert (job.lane, job.share, job.cost, job.priority) == (HOST, "ada", 2.5, 3)
        assert taken.place == place_of(HOST, share="ada", priority=3)


def test_a_claim_whose_answer_was_lost_goes_back_to_its_lane(store: Store, tables: Tables) -> None:
    declare(store, Rule(name=RULE, running=2))
    known, lost = start_one(store, **ASKED), start_one(store, **ASKED)
    shared = start_one(store, **SHARED)

    assert store.release_unknown(WORKER, [held(known)]) == 2
    assert places(tables, lost.job_id) == places(tables, shared.job_id) == ["waiting"]
    assert look(store, lost.job_id).state is State.BLOCKED
    assert look(store, shared.job_id).state is State.QUEUED
    again = {lease.job_id: lease for lease in take_lanes(store)}
    assert set(again) == {lost.job_id, shared.job_id}
    assert (again[lost.job_id].place, again[lost.job_id].attempt) == (lost.place, 2)


def test_a_released_suspect_of_a_lost_answer_stays_a_suspect(store: Store) -> None:
    start_suspect(store, lane=HOST)
    store.release_unknown(WORKER, [])
    assert take_lanes(store) == []
    assert take_suspect(store).lapses == 1
