"""Keys: a second job is not made while the first one lives, and the caller learns which stands."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import pytest

from leasehold.errors import IdConflict, KeyHeld
from leasehold.model.keys import Standing, Verdict
from leasehold.model.states import State
from tests.conformance.key_kit import (
    KEY,
    REPLACE,
    ask,
    key_of,
    keyed_job,
    run_one,
    start,
)
from tests.conformance.kit import (
    STRANGE,
    Place,
    bring,
    claim_one,
    enqueue_one,
    fail,
    lapse,
    look,
    new_job,
    pass_time,
    promote,
    raw,
    reclaim,
    settle,
)
from tests.conformance.tables import snapshot

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

ENDED = [Place.SUCCEEDED, Place.DEAD, Place.CANCELLED]
ALIVE = [
    Place.READY,
    Place.BLOCKED,
    Place.SCHEDULED,
    Place.PARKED,
    Place.RUNNING,
    Place.CANCELLING,
    Place.FAILED,
]


def test_a_second_job_of_a_live_key_is_not_made(store: Store, tables: Tables) -> None:
    ask(store)
    before = snapshot(tables)
    second = ask(store)
    assert second.verdict is Verdict.LIVE
    assert store.get(second.id) is None
    assert snapshot(tables) == before


def test_the_caller_learns_which_job_stands(store: Store) -> None:
    first = ask(store)
    assert first.answer is None
    assert ask(store).answer == Standing(first.id, Verdict.LIVE)
    assert key_of(store).holder == first.id


def test_a_refused_enqueue_writes_nothing(store: Store, tables: Tables) -> None:
    run_one(store, ever=True)
    keys, jobs = tables.rows("key"), snapshot(tables)
    ask(store, ever=True)
    assert (tables.rows("key"), snapshot(tables)) == (keys, jobs)


@pytest.mark.parametrize("place", ALIVE)
def test_a_job_has_its_key_wherever_it_stands(store: Store, place: Place) -> None:
    standing = bring(store, place, unique=keyed_job().unique)
    second = ask(store)
    assert second.answer == Standing(standing.job_id, Verdict.LIVE)
    assert key_of(store).is_live


@pytest.mark.parametrize("place", ENDED)
def test_a_key_is_free_when_its_job_has_ended(store: Store, place: Place) -> None:
    bring(store, place, unique=keyed_job().unique)
    assert not key_of(store).is_live
    second = ask(store)
    assert second.answer is None
    assert key_of(store).holder == second.id


def test_a_key_is_free_when_its_job_was_deleted(store: Store) -> None:
    first = ask(store)
    assert store.delete(first.id) is None
    assert store.key(KEY, tenant="") is None
    assert ask(store).answer is None


def test_a_key_is_free_when_its_job_was_cancelled_while_it_waited(store: Store) -> None:
    first = ask(store)
    store.cancel(first.id, by="ada")
    assert ask(store).answer is None


def test_a_job_that_is_told_to_stop_has_its_key_until_it_has_stopped(store: Store) -> None:
    taken = start(store)
    store.cancel(taken.job_id, by=None)
    assert ask(store).verdict is Verdict.LIVE
    settle(store, taken, "succeeded")
    assert look(store, taken.job_id).state is State.CANCELLED
    assert ask(store).answer is None


def test_a_job_that_comes_back_never_asks_for_its_key(store: Store) -> None:
    taken = start(store)
    fail(store, taken)
    assert ask(store).verdict is Verdict.LIVE
    promote(store)
    settle(store, claim_one(store), "snoozed", delay_seconds=0.0)
    promote(store)
    settle(store, claim_one(store), "released")
    taken = claim_one(store)
    lapse(store)
    promote(store)
    assert ask(store).verdict is Verdict.LIVE
    taken = claim_one(store, suspects=True)
    settle(store, taken, "succeeded")
    assert ask(store).answer is None


def test_a_key_is_free_when_its_last_lease_lapsed(store: Store) -> None:
    start(store, max_attempts=1)
    lapse(store)
    promote(store)
    claim_one(store, suspects=True)
    pass_time(store, 1000)
    assert list(reclaim(store).values()) == [State.DEAD]
    assert ask(store).answer is None


def test_keys_are_per_tenant(store: Store) -> None:
    first, second = ask(store, tenant="acme"), ask(store, tenant="globex")
    assert (first.answer, second.answer) == (None, None)
    assert ask(store, tenant="acme").standing == first.id
    assert key_of(store, tenant="globex").holder == second.id


def test_a_key_is_shared_by_kinds_and_queues(store: Store) -> None:
    first = ask(store)
    assert ask(store, kind=STRANGE, queue="other", args=raw({})).standing == first.id


def test_jobs_without_a_key_are_nobodys_concern(store: Store, tables: Tables) -> None:
    ask(store)
    enqueue_one(store)
    store.enqueue([new_job(), keyed_job(), new_job(delay_seconds=5.0)])
    assert len(tables.rows("job")) == 4
    assert [row["key"] for row in tables.rows("key")] == [KEY]


def test_a_job_shows_its_key(store: Store, tables: Tables) -> None:
    job_id = ask(store).id
    assert look(store, job_id).key == KEY
    assert [row["key"] for row in tables.view()] == [KEY]


def test_several_of_one_key_in_one_call_act_in_order(store: Store) -> None:
    jobs = [keyed_job() for _ in range(3)]
    answers = store.enqueue([*jobs, keyed_job(key="other")])
    assert answers == {job.id: Standing(jobs[0].id, Verdict.LIVE) for job in jobs[1:]}

    jobs = [keyed_job(REPLACE, key="third") for _ in range(3)]
    answers = store.enqueue(jobs)
    assert answers == {
        newer.id: Standing(newer.id, Verdict.REPLACED, older.id)
        for older, newer in itertools.pairwise(jobs)
    }
    assert [look(store, job.id).state for job in jobs] == [
        State.CANCELLED,
        State.CANCELLED,
        State.QUEUED,
    ]


def test_the_same_id_goes_before_its_key(store: Store) -> None:
    job = keyed_job()
    same = {job.id: Standing(job.id, Verdict.SAME)}
    assert store.enqueue([job]) == {}
    assert store.enqueue([job]) == same
    settle(store, claim_one(store), "succeeded")
    assert store.enqueue([job]) == same
    newer = ask(store)
    assert newer.answer is None
    assert store.enqueue([job]) == same
    assert key_of(store).holder == newer.id


def test_one_that_was_replaced_and_is_sent_again_replaces_nothing(store: Store) -> None:
    job = keyed_job(REPLACE)
    store.enqueue([job])
    newer = ask(store, REPLACE)
    assert store.enqueue([job])[job.id].verdict is Verdict.SAME
    assert look(store, newer.id).state is State.QUEUED


def test_an_id_conflict_takes_no_key(store: Store, tables: Tables) -> None:
    known = new_job()
    store.enqueue([known])
    waiting = ask(store, key="held")
    before = snapshot(tables), tables.rows("key")
    clash = keyed_job(REPLACE, key="held", id=known.id, args=raw({"name": "Grace"}))
    with pytest.raises(IdConflict):
        store.enqueue([keyed_job(REPLACE, key="held"), clash, keyed_job(key="new")])
    assert (snapshot(tables), tables.rows("key")) == before
    assert look(store, waiting.id).state is State.QUEUED


def test_a_key_that_was_forgotten_does_not_come_back_with_an_old_id(store: Store) -> None:
    job = keyed_job(ever=True)
    store.enqueue([job])
    settle(store, claim_one(store), "succeeded")
    assert store.forget_key(KEY, tenant="")
    assert store.enqueue([job])[job.id].verdict is Verdict.SAME
    assert store.key(KEY, tenant="") is None


def test_retry_by_hand_takes_the_key_back(store: Store) -> None:
    standing = bring(store, Place.DEAD, unique=keyed_job().unique)
    run_one(store)
    assert store.retry(standing.job_id) is State.QUEUED
    assert key_of(store).holder == standing.job_id
    assert ask(store).standing == standing.job_id


def test_retry_by_hand_of_the_last_holder_keeps_its_key(store: Store) -> None:
    standing = bring(store, Place.CANCELLED, unique=keyed_job(ever=True).unique)
    assert store.retry(standing.job_id) is State.QUEUED
    assert ask(store).standing == standing.job_id


def test_retry_by_hand_names_the_job_that_has_the_key(store: Store) -> None:
    standing = bring(store, Place.DEAD, unique=keyed_job().unique)
    newer = ask(store)
    with pytest.raises(KeyHeld) as refused:
        store.retry(standing.job_id)
    assert (refused.value.job_id, refused.value.key) == (standing.job_id, KEY)
    assert refused.value.holder == newer.id
    assert look(store, standing.job_id).state is State.DEAD
    assert key_of(store).holder == newer.id


def test_retry_by_hand_of_a_job_whose_key_was_forgotten_takes_it_again(store: Store) -> None:
    standing = bring(store, Place.DEAD, unique=keyed_job().unique)
    store.forget_key(KEY, tenant="")
    assert store.retry(standing.job_id) is State.QUEUED
    assert key_of(store).holder == standing.job_id


@pytest.mark.parametrize("place", [Place.READY, Place.RUNNING, Place.SUCCEEDED])
def test_a_retry_that_its_state_forbids_changes_no_key(
    store: Store, tables: Tables, place: Place
) -> None:
    standing = bring(store, place, unique=keyed_job().unique)
    if place is Place.SUCCEEDED:
        ask(store)
    before = tables.rows("key")
    assert store.retry(standing.job_id) is not State.FAILED
    assert tables.rows("key") == before


def test_a_failed_job_is_retried_by_hand_under_its_own_key(store: Store) -> None:
    standing = bring(store, Place.FAILED, unique=keyed_job().unique)
    assert store.retry(standing.job_id) is State.QUEUED
    assert ask(store).standing == standing.job_id


def test_forget_key_refuses_a_live_one(store: Store) -> None:
    first = ask(store)
    with pytest.raises(KeyHeld) as refused:
        store.forget_key(KEY, tenant="")
    assert (refused.value.job_id, refused.value.holder) == (None, first.id)
    assert key_of(store).holder == first.id


def test_forget_key_forgets_what_was_remembered(store: Store) -> None:
    run_one(store, ever=True)
    assert store.forget_key(KEY, tenant="")
    assert not store.forget_key(KEY, tenant="")
    assert ask(store, ever=True).answer is None


def test_a_key_tells_its_holder_and_since_when(store: Store) -> None:
    assert store.key(KEY, tenant="") is None
    taken = start(store)
    pass_time(store, 60)
    settle(store, taken, "succeeded")
    info = key_of(store)
    assert (info.holder, info.holder_state, info.next) == (taken.job_id, State.SUCCEEDED, None)
    assert info.succeeded_at is not None
    assert info.taken_at == look(store, taken.job_id).created_at
    assert 59 < (info.succeeded_at - info.taken_at).total_seconds() < 65
