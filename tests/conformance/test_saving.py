"""Checkpoints and progress: what a running job saves, its next attempt finds, and nobody else's."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

from leasehold.model.saving import Checkpoint, Save
from leasehold.model.states import State
from tests.conformance.kit import (
    FINAL_PLACES,
    LATER_SECONDS,
    OTHER,
    WORKER,
    Place,
    bring,
    claim_one,
    enqueue_one,
    fail,
    lapse,
    look,
    new_id,
    pass_time,
    promote,
    settle,
    start_many,
    start_one,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId, WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables


def saved(taken: Claim, **said: Any) -> Save:
    if "cursor" in said:
        said["cursor"] = msgspec.json.encode(said["cursor"]).decode()
    return Save(job_id=taken.job_id, fence=taken.fence, **said)


def save(store: Store, taken: Claim, *, worker: WorkerId = WORKER, **said: Any) -> bool:
    (stands,) = store.save(worker, [saved(taken, **said)])
    return stands


def checkpoint(store: Store, job_id: JobId) -> Checkpoint:
    found = store.checkpoint(job_id)
    assert found is not None
    return found


def cursor_of(store: Store, taken: Claim) -> Any:
    return checkpoint(store, taken.job_id).cursor


def test_a_job_that_has_saved_nothing_has_no_checkpoint(store: Store) -> None:
    assert store.checkpoint(start_one(store).job_id) is None
    assert store.checkpoint(new_id()) is None
    assert store.save(WORKER, []) == []


def test_what_was_saved_is_read_back(store: Store) -> None:
    taken = start_one(store)
    before = datetime.now(UTC) - timedelta(seconds=5)
    cursor = {"page": 7, "after": ["ü", None, 1.5, True]}
    assert save(store, taken, cursor=cursor, done=3, total=10.5, note="page 7")

    found = checkpoint(store, taken.job_id)
    assert (found.cursor, found.done, found.total, found.note) == (cursor, 3.0, 10.5, "page 7")
    assert before < found.saved_at < before + timedelta(minutes=1)


def test_the_moment_is_the_stores(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, done=1)
    first = checkpoint(store, taken.job_id).saved_at
    pass_time(store, 30)
    save(store, taken, done=2)
    assert 29 < (checkpoint(store, taken.job_id).saved_at - first).total_seconds() < 40


def test_what_is_not_given_stays(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, cursor="a", done=1, total=4, note="first")
    save(store, taken, cursor="b")
    save(store, taken, done=2)
    save(store, taken, note="second")

    found = checkpoint(store, taken.job_id)
    assert (found.cursor, found.done, found.total, found.note) == ("b", 2, 4, "second")


def test_a_cursor_can_be_null_again(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, cursor={"page": 1}, done=1)
    assert save(store, taken, cursor=None)
    found = checkpoint(store, taken.job_id)
    assert (found.cursor, found.done) == (None, 1)


def test_done_never_goes_back_but_the_total_may(store: Store) -> None:
    taken = start_one(store)
    for done, total in ((5, 10), (3, 8), (6, 7)):
        save(store, taken, done=done, total=total)
    found = checkpoint(store, taken.job_id)
    assert (found.done, found.total) == (6, 7)
    save(store, taken, done=1)
    assert checkpoint(store, taken.job_id).done == 6


def test_several_saves_of_one_job_count_in_their_order(store: Store) -> None:
    taken = start_one(store)
    saves = [saved(taken, cursor=1, note="a"), saved(taken, cursor=2), saved(taken, done=5)]
    assert store.save(WORKER, saves) == [True, True, True]
    found = checkpoint(store, taken.job_id)
    assert (found.cursor, found.note, found.done) == (2, "a", 5)


def test_many_jobs_are_saved_at_once_and_each_is_answered(store: Store) -> None:
    jobs = start_many(store, 20)
    settle(store, jobs[3], "succeeded")
    foreign = msgspec.structs.replace(jobs[5], fence=jobs[5].fence + 1)
    saves = [
        saved(foreign if taken is jobs[5] else taken, cursor=n) for n, taken in enumerate(jobs)
    ]
    assert store.save(WORKER, saves) == [n not in {3, 5} for n in range(20)]
    assert [cursor_of(store, taken) for taken in jobs[6:]] == list(range(6, 20))
    assert store.checkpoint(jobs[3].job_id) is None
    assert store.checkpoint(jobs[5].job_id) is None


def test_a_save_of_nothing_says_whether_the_lease_stands(store: Store) -> None:
    taken = start_one(store)
    assert save(store, taken)
    assert not save(store, taken, worker=OTHER)
    assert store.checkpoint(taken.job_id) is None


def test_another_workers_save_is_refused(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, cursor="mine")
    assert not save(store, taken, worker=OTHER, cursor="theirs", step="a", result="1")
    assert cursor_of(store, taken) == "mine"
    assert store.steps(taken.job_id) == []


@pytest.mark.parametrize("place", FINAL_PLACES)
def test_a_job_that_has_ended_saves_no_more(store: Store, place: Place) -> None:
    standing = bring(store, place)
    assert standing.claim is not None
    assert not save(store, standing.claim, cursor="late", step="late", result="1")
    assert store.checkpoint(standing.job_id) is None
    assert store.steps(standing.job_id) == []


def test_after_a_reclaim_the_late_save_is_refused(store: Store) -> None:
    first = start_one(store)
    save(store, first, cursor="first", done=1)
    lapse(store)
    assert not save(store, first, cursor="late", done=9, step="late", result="1")
    promote(store)
    second = claim_one(store, worker=OTHER, suspects=True)
    assert not save(store, first, cursor="later", done=9, step="late", result="1")
    assert save(store, second, worker=OTHER, cursor="second")

    found = checkpoint(store, first.job_id)
    assert (found.cursor, found.done) == ("second", 1)
    assert store.steps(first.job_id) == []


def test_the_same_worker_is_refused_too_when_its_lease_is_another(store: Store) -> None:
    first = start_one(store)
    lapse(store)
    promote(store)
    second = claim_one(store, suspects=True)
    assert not save(store, first, cursor="late")
    assert save(store, second, cursor="now")
    assert cursor_of(store, second) == "now"


def test_a_lease_that_lapsed_and_was_not_taken_back_still_saves(store: Store) -> None:
    taken = start_one(store)
    pass_time(store, 3600)
    assert save(store, taken, cursor="late, but mine")


def test_a_job_that_is_to_be_cancelled_may_still_save(store: Store) -> None:
    standing = bring(store, Place.CANCELLING)
    assert standing.claim is not None
    assert save(store, standing.claim, cursor="as far as it came")


@pytest.mark.parametrize("outcome", ["failed", "snoozed", "released"])
def test_the_next_attempt_finds_it_however_the_last_one_ended(store: Store, outcome: str) -> None:
    first = start_one(store)
    save(store, first, cursor={"page": 2}, done=20)
    settle(store, first, outcome, delay_seconds=None if outcome == "released" else 0.0)
    pass_time(store, 1)
    promote(store)
    second = claim_one(store)
    assert second.attempt == 2
    assert cursor_of(store, second) == {"page": 2}
    assert save(store, second, done=30)
    assert checkpoint(store, first.job_id).done == 30


def test_it_outlives_the_end_and_a_retry_by_hand(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, cursor=4, done=4, total=4)
    settle(store, taken, "dead", error="x", is_counted=True)
    assert cursor_of(store, taken) == 4
    assert store.retry(taken.job_id) is State.QUEUED
    assert cursor_of(store, claim_one(store)) == 4


def test_a_deleted_job_leaves_nothing_behind(store: Store, tables: Tables) -> None:
    ended, waiting, kept = start_many(store, 3)
    for taken in (ended, waiting, kept):
        save(store, taken, cursor=1, step="a", result="1")
    settle(store, ended, "succeeded")
    fail(store, waiting, delay_seconds=LATER_SECONDS)
    assert store.delete(kept.job_id) is State.RUNNING
    assert store.delete(ended.job_id) is None
    assert store.delete(waiting.job_id) is None

    left = {str(row["job_id"]) for row in [*tables.rows("checkpoint"), *tables.rows("step")]}
    assert left == {str(kept.job_id)}


def test_jobs_that_are_deleted_many_at_once_leave_nothing_behind(
    store: Store, tables: Tables
) -> None:
    jobs = start_many(store, 4)
    store.save(WORKER, [saved(taken, cursor=1, step="a", result="1") for taken in jobs])
    for taken in jobs[:2]:
        settle(store, taken, "succeeded")
    fail(store, jobs[2], delay_seconds=LATER_SECONDS)
    ids = [taken.job_id for taken in jobs]
    assert store.delete_many(ids) == dict.fromkeys(ids[:3])

    assert [str(row["job_id"]) for row in tables.rows("checkpoint")] == [str(ids[3])]
    assert [str(row["job_id"]) for row in tables.rows("step")] == [str(ids[3])]


def test_a_checkpoint_has_its_jobs_tenant(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, tenant="acme")
    taken = claim_one(store)
    save(store, taken, done=1, step="a", result="1")
    assert look(store, job_id).tenant == "acme"
    assert [row["tenant"] for row in tables.rows("checkpoint")] == ["acme"]
    assert [row["tenant"] for row in tables.rows("step")] == ["acme"]


# -- steps ---------------------------------------------------------------------------------------
def test_steps_are_remembered_in_their_order(store: Store) -> None:
    taken = start_one(store)
    for number, name in enumerate(["fetch", "a step, with ünusual 'name'", "send"]):
        assert save(store, taken, step=name, result=msgspec.json.encode({"n": number}).decode())
        pass_time(store, 1)
    found = store.steps(taken.job_id)
    assert [(step.name, step.result) for step in found] == [
        ("fetch", {"n": 0}),
        ("a step, with ünusual 'name'", {"n": 1}),
        ("send", {"n": 2}),
    ]
    assert found[0].done_at < found[1].done_at < found[2].done_at
    assert store.checkpoint(taken.job_id) is None


def test_the_first_memory_of_a_step_stays(store: Store) -> None:
    taken = start_one(store)
    assert save(store, taken, step="pay", result='"first"')
    assert save(store, taken, step="pay", result='"second"')
    assert [step.result for step in store.steps(taken.job_id)] == ["first"]


def test_a_step_that_returned_nothing_is_remembered(store: Store) -> None:
    taken = start_one(store)
    save(store, taken, step="quiet", result="null")
    save(store, taken, step="quieter")
    assert {step.name: step.result for step in store.steps(taken.job_id)} == {
        "quiet": None,
        "quieter": None,
    }


def test_steps_of_other_jobs_are_not_seen(store: Store) -> None:
    one, other = start_many(store, 2)
    saves = [saved(one, step="a", result="1"), saved(other, step="a", result="2")]
    assert store.save(WORKER, saves) == [True, True]
    assert [step.result for step in store.steps(one.job_id)] == [1]
    assert [step.result for step in store.steps(other.job_id)] == [2]
