"""What people do to a laned job: cancel, delete, retry and reprioritise, and what they see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import Rule, parked
from leasehold.model.states import State
from leasehold.model.values import Filter
from tests.conformance.kit import (
    GREET,
    HOST,
    LATER_SECONDS,
    OTHER_HOST,
    RULE,
    STRANGE,
    Place,
    bring,
    claim_lanes,
    declare,
    enqueue_apart,
    enqueue_one,
    lapse,
    look,
    look_lanes,
    new_job,
    place_of,
    settle,
    start_one,
    start_suspect,
    take_lanes,
    take_one,
    take_suspect,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.model.values import QueueCounts
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

SHARED: dict[str, Any] = {"lane": "", "share": "ada"}
ASKED: dict[str, Any] = {"lane": HOST, "share": "ada", "cost": 2.5, "priority": 3}


@pytest.fixture(autouse=True)
def one_at_a_time(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))


def counts(store: Store) -> QueueCounts:
    (found,) = store.counts()
    return found


def find(store: Store, state: State) -> list[JobId]:
    return [job.id for job in store.find(Filter(state=state), before=None, limit=100)]


def test_a_cancelled_blocked_job_never_runs(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, lane=HOST)
    assert store.cancel(job_id, by="ops") is State.CANCELLED

    assert places(tables, job_id) == []
    assert look_lanes(store) == []
    assert claim_lanes(store, place_of(HOST)) == []
    assert look(store, job_id).error == "cancelled by ops"
    assert [end.outcome for end in store.history(job_id)] == ["cancelled"]


def test_a_cancelled_running_job_holds_its_slot_until_it_ends(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    waiting = enqueue_one(store, lane=HOST)
    assert store.cancel(taken.job_id, by="ops") is State.RUNNING
    assert take_lanes(store) == []

    settle(store, taken, "succeeded")
    assert look(store, taken.job_id).state is State.CANCELLED
    assert take_one(store).job_id == waiting


def test_a_deleted_blocked_job_leaves_nothing(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, lane=HOST)
    assert store.delete(job_id) is None

    assert store.get(job_id) is None
    assert tables.rows("waiting") == tables.rows("job") == []
    assert store.enqueue([new_job(id=job_id, lane=HOST)]) == {}
    assert take_one(store).job_id == job_id


def test_a_reprioritised_blocked_job_stands_elsewhere_in_its_lane(store: Store) -> None:
    first, second, third = enqueue_apart(store, 3, lane=HOST, share="ada")
    assert store.reprioritise(third, 7) is State.BLOCKED
    assert store.reprioritise(first, -7) is State.BLOCKED

    order = []
    for _ in range(3):
        taken = take_one(store, limit=1)
        order.append((taken.job_id, taken.priority))
        assert taken.place == place_of(HOST, share="ada", priority=taken.priority)
        settle(store, taken, "succeeded")
    assert order == [(third, 7), (second, 0), (first, -7)]


def test_a_reprioritised_job_keeps_its_stage(store: Store) -> None:
    taken = start_suspect(store, lane=HOST)
    settle(store, taken, "released")
    assert store.reprioritise(taken.job_id, 7) is State.BLOCKED
    strange, _ = bring(store, Place.PARKED, lane=HOST)
    assert store.reprioritise(strange, 7) is State.BLOCKED

    assert take_lanes(store) == []
    again = take_suspect(store)
    assert (again.job_id, again.priority) == (taken.job_id, 7)
    settle(store, again, "succeeded")
    (known,) = take_lanes(store, stage=parked(STRANGE), kinds=[STRANGE])
    assert (known.job_id, known.priority) == (strange, 7)


@pytest.mark.parametrize("place", [Place.FAILED, Place.DEAD, Place.CANCELLED])
@pytest.mark.parametrize("options", [ASKED, SHARED])
def test_a_retry_by_hand_puts_a_job_into_its_lane(
    store: Store, tables: Tables, place: Place, options: dict[str, Any]
) -> None:
    job_id, before = bring(store, place, **options)
    assert before is not None

    wanted = State.BLOCKED if options["lane"] else State.QUEUED
    assert store.retry(job_id) is wanted
    assert places(tables, job_id) == ["waiting"]
    job = look(store, job_id)
    assert (job.state, job.failures, job.lapses) == (wanted, 0, 0)
    assert store.retry(job_id) is wanted  # that it is so already is fine
    taken = take_one(store)
    assert (taken.job_id, taken.attempt, taken.place) == (job_id, 2, before.place)


def test_a_job_cancelled_while_blocked_can_be_retried_into_its_place(store: Store) -> None:
    first, second = enqueue_apart(store, 2, lane=HOST)
    store.cancel(first, by=None)
    assert store.retry(first) is State.BLOCKED
    assert take_one(store).job_id == first
    assert look(store, second).state is State.BLOCKED


def test_a_suspect_is_none_any_more_after_a_retry(store: Store) -> None:
    taken = start_suspect(store, lane=HOST)
    lapse(store, delay_seconds=LATER_SECONDS)
    assert store.retry(taken.job_id) is State.BLOCKED
    assert take_one(store).lapses == 0


def test_counts_and_find_know_blocked(store: Store, tables: Tables) -> None:
    running = start_one(store, lane=HOST).job_id
    blocked = [enqueue_one(store, lane=lane) for lane in (HOST, HOST, OTHER_HOST)]
    shared, plain = enqueue_one(store, **SHARED), enqueue_one(store)
    later = enqueue_one(store, lane=HOST, delay_seconds=60.0)

    seen = counts(store)
    assert (seen.blocked, seen.ready, seen.running, seen.scheduled) == (3, 2, 1, 1)
    assert find(store, State.BLOCKED) == sorted(blocked, reverse=True)
    assert find(store, State.QUEUED) == sorted([shared, plain, later], reverse=True)
    assert find(store, State.RUNNING) == [running]
    shown = {str(row["id"]): (row["status"], row["throttle_key"]) for row in tables.view()}
    assert shown[str(blocked[2])] == ("blocked", OTHER_HOST)
    assert shown[str(plain)] == ("queued", None)


def test_a_survey_tells_of_lanes_open_or_not(store: Store) -> None:
    assert not store.survey(["default"], [GREET]).lanes
    enqueue_one(store, lane="nobody:x", queue="mail")
    seen = store.survey(["default", "mail"], [GREET])
    assert (seen.lanes, seen.ready, seen.suspects, seen.parked) == (True, False, False, False)
    assert not store.survey(["default"], [GREET]).lanes
    start_one(store, lane=HOST)
    assert not store.survey(["default"], [GREET]).lanes
