"""Suspects and unknown kinds stand in lanes of their own, and still obey their throttle."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import SUSPECTS, Rule, parked
from leasehold.model.states import State
from tests.conformance.kit import (
    GREET,
    HOST,
    OTHER,
    OTHER_HOST,
    RULE,
    STRANGE,
    Place,
    bring,
    claim_lanes,
    declare,
    enqueue_one,
    fail,
    lapse,
    look,
    look_lanes,
    new_job,
    new_jobs,
    pass_time,
    place_of,
    promote,
    raw,
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


@pytest.fixture(autouse=True)
def one_at_a_time(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))


def counts(store: Store) -> QueueCounts:
    (found,) = store.counts()
    return found


def test_a_blocked_suspect_runs_alone(store: Store) -> None:
    declare(store, Rule(name=RULE, running=5))
    suspect = start_one(store, lane=HOST)
    lapse(store)
    promote(store)
    innocent = [job.id for job in new_jobs(2, lane=HOST)]
    store.enqueue([new_job(id=job_id, lane=HOST) for job_id in innocent])

    assert look(store, suspect.job_id).state is State.BLOCKED
    assert [lease.job_id for lease in take_lanes(store)] == innocent
    again = take_suspect(store)
    assert (again.job_id, again.lapses, again.attempt) == (suspect.job_id, 1, 2)
    assert again.place == place_of(HOST, stage=SUSPECTS)


def test_a_suspect_obeys_its_throttle(store: Store) -> None:
    start_one(store, lane=HOST)
    lapse(store)
    promote(store)
    running = start_one(store, lane=HOST)

    assert take_lanes(store, limit=1, stage=SUSPECTS) == []
    settle(store, running, "succeeded")
    assert take_suspect(store).lapses == 1


def test_a_suspect_handed_back_is_still_a_suspect(store: Store) -> None:
    taken = start_suspect(store, lane=HOST)
    settle(store, taken, "released")

    assert take_lanes(store) == []
    assert take_suspect(store).lapses == 1


@pytest.mark.parametrize("end", ["failed", "snoozed"])
def test_a_suspect_that_ran_to_an_end_is_none_any_more(store: Store, end: str) -> None:
    taken = start_suspect(store, lane=HOST)
    settle(store, taken, end, delay_seconds=0.0, error="x", is_counted=end == "failed")
    promote(store)
    assert take_one(store).lapses == 0


def test_a_suspect_comes_back_after_its_delay_only(store: Store) -> None:
    taken = start_one(store, lane=HOST)
    assert lapse(store, delay_seconds=500.0) == {taken.job_id: State.QUEUED}
    assert promote(store) == 0
    pass_time(store, 501)
    assert promote(store) == 1
    assert take_suspect(store).job_id == taken.job_id


def test_a_laned_job_that_lapses_to_the_last_dies(store: Store) -> None:
    taken = start_suspect(store, lane=HOST, max_attempts=1)
    assert lapse(store) == {taken.job_id: State.DEAD}
    assert look_lanes(store) == []


def test_an_unknown_kind_does_not_block_its_lane(store: Store) -> None:
    store.enqueue(new_jobs(25, lane=HOST, kind=STRANGE))
    pass_time(store, 1)
    known = enqueue_one(store, lane=HOST)

    taken = [lease for _ in range(26) for lease in take_lanes(store)]
    assert [lease.job_id for lease in taken] == [known]


def test_a_laned_job_that_is_set_aside_stays_blocked_and_counts_as_parked(
    store: Store, tables: Tables
) -> None:
    job_id, _ = bring(store, Place.PARKED, lane=HOST)

    job = look(store, job_id)
    assert (job.state, job.attempt) == (State.BLOCKED, 0)
    assert places(tables, job_id) == ["waiting"]
    assert store.parked_kinds() == {STRANGE: 1}
    assert (counts(store).parked, counts(store).blocked) == (1, 0)
    assert not store.survey(["default"], [GREET]).parked
    assert store.survey(["default"], [GREET, STRANGE]).parked


def test_a_laned_job_that_is_set_aside_still_obeys_its_throttle(store: Store) -> None:
    strange, _ = bring(store, Place.PARKED, lane=HOST)
    running = start_one(store, lane=HOST)

    aside = place_of(HOST, stage=parked(STRANGE))
    assert claim_lanes(store, aside, worker=OTHER, kinds=[STRANGE]) == []
    settle(store, running, "succeeded")
    (taken,) = claim_lanes(store, aside, worker=OTHER, kinds=[STRANGE])
    assert (taken.job_id, taken.place, taken.attempt) == (strange, aside, 1)
    assert take_lanes(store) == []


def test_what_was_set_aside_is_no_longer_asked_of_who_does_not_know_it(store: Store) -> None:
    bring(store, Place.PARKED, lane=HOST)
    assert look_lanes(store) == []
    assert take_lanes(store, kinds=[STRANGE, GREET]) == []


def test_a_suspect_that_was_set_aside_comes_alone_after_the_innocent(store: Store) -> None:
    declare(store, Rule(name=RULE, running=9))
    suspects = []
    for _ in range(2):
        suspects.append(start_one(store, lane=HOST).job_id)
        lapse(store)
        promote(store)
    take_lanes(store, stage=SUSPECTS, kinds=["other"])
    innocent = enqueue_one(store, lane=HOST)
    take_lanes(store, kinds=["other"])
    usual = enqueue_one(store, lane=OTHER_HOST)

    def take() -> list[JobId]:
        lanes = [place_of(HOST, stage=parked(GREET)), place_of(OTHER_HOST)]
        return [taken.job_id for taken in claim_lanes(store, *lanes)]

    assert take() == [innocent, usual]
    assert [take(), take(), take()] == [[suspects[0]], [suspects[1]], []]


def test_what_was_set_aside_and_handed_back_waits_for_anybody_again(store: Store) -> None:
    strange, _ = bring(store, Place.PARKED, lane=HOST)
    (taken,) = take_lanes(store, stage=parked(STRANGE), kinds=[STRANGE])
    settle(store, taken, "released")
    assert [lease.job_id for lease in take_lanes(store, kinds=[STRANGE])] == [strange]


def test_cancel_delete_and_retry_reach_what_was_set_aside(store: Store) -> None:
    cancelled, _ = bring(store, Place.PARKED, lane=HOST)
    deleted, _ = bring(store, Place.PARKED, lane=HOST)
    assert store.delete(deleted) is None
    assert store.cancel(cancelled, by=None) is State.CANCELLED
    assert store.parked_kinds() == {}
    assert store.retry(cancelled) is State.BLOCKED
    assert store.parked_kinds() == {}


def test_the_same_laned_job_again_is_known(store: Store) -> None:
    job = new_job(lane=HOST, args=raw({"n": 1}))
    store.enqueue([job])
    assert store.enqueue([job]).keys() == {job.id}
    taken = take_one(store)
    assert store.enqueue([job]).keys() == {job.id}
    fail(store, taken, delay_seconds=0.0)
    promote(store)
    assert store.enqueue([job]).keys() == {job.id}
    assert len(take_lanes(store)) == 1
