"""Many jobs by a filter: what it names is changed, and nothing else, in short steps."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from leasehold import bulk
from leasehold.aio import AsyncClient
from leasehold.bulk import Bulk
from leasehold.client import Client
from leasehold.errors import BadOption
from leasehold.model.lanes import Rule
from leasehold.model.states import Event, State, after
from leasehold.model.values import Filter
from tests.conformance.kit import (
    HOST,
    RULE,
    STATE_OF,
    STRANGE,
    Place,
    bring,
    claim,
    declare,
    enqueue_one,
    look,
    make_batch,
    new_id,
    new_jobs,
    settle,
    start_one,
    take_lanes,
)

if TYPE_CHECKING:
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

WAITING = (Place.READY, Place.BLOCKED, Place.SCHEDULED, Place.PARKED, Place.FAILED)


@pytest.fixture
def client(store: Store) -> Client:
    declare(store, Rule(name=RULE, running=2))
    return Client(store=store)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bulk, "STEP", 2)


def bring_everywhere(store: Store) -> dict[Place, JobId]:
    """One job in each place, each in a queue of its own."""
    return {place: bring(store, place, queue=place.value).job_id for place in Place}


def states(store: Store, ids: dict[Place, JobId]) -> dict[Place, State]:
    return {place: look(store, job_id).state for place, job_id in ids.items()}


# -- which ones ----------------------------------------------------------------------------------
def test_cancel_ends_what_waits_and_marks_what_runs(store: Store, client: Client) -> None:
    ids = bring_everywhere(store)
    assert client.cancel_many(by="ada") == Bulk(matched=7, changed=7)
    after_it = states(store, ids)
    assert all(after_it[place] is State.CANCELLED for place in WAITING)
    for place in (Place.RUNNING, Place.CANCELLING):
        assert (after_it[place], look(store, ids[place]).cancel_requested) == (State.RUNNING, True)
    for place in (Place.SUCCEEDED, Place.DEAD, Place.CANCELLED):
        assert after_it[place] is STATE_OF[place]
    assert {store.history(ids[place])[-1].error for place in WAITING} == {"cancelled by ada"}


def test_retry_makes_ready_what_failed_died_or_was_cancelled(store: Store, client: Client) -> None:
    ids = bring_everywhere(store)
    assert client.retry_many() == Bulk(matched=3, changed=3)
    before = {place: STATE_OF[place] for place in ids}
    again = dict.fromkeys((Place.FAILED, Place.DEAD, Place.CANCELLED), State.QUEUED)
    assert states(store, ids) == before | again
    job = look(store, ids[Place.DEAD])
    assert (job.failures, job.lapses, job.attempt) == (0, 0, 1)
    assert len(claim(store, queues=[place.value for place in again])) == 3


def test_retried_jobs_with_a_throttle_wait_in_their_lanes(store: Store, client: Client) -> None:
    places = (Place.FAILED, Place.DEAD, Place.CANCELLED)
    ids = [bring(store, place, lane=HOST, share="ada").job_id for place in places]
    assert client.retry_many(state="failed") == Bulk(1, 1)
    assert client.retry_many() == Bulk(2, 2)
    assert {look(store, job_id).state for job_id in ids} == {State.BLOCKED}
    assert len(take_lanes(store)) == 2


def test_of_named_jobs_those_are_retried_that_can_be(store: Store, client: Client) -> None:
    ids = bring_everywhere(store)
    named = [ids[Place.DEAD], ids[Place.RUNNING], ids[Place.SUCCEEDED], new_id()]
    assert client.retry_these(named) == Bulk(matched=4, changed=1)
    before = {place: STATE_OF[place] for place in ids}
    assert states(store, ids) == before | {Place.DEAD: State.QUEUED}
    assert client.retry_these([]) == Bulk()


def test_of_named_jobs_those_are_deleted_that_do_not_run(store: Store, client: Client) -> None:
    ids = bring_everywhere(store)
    named = [ids[Place.DEAD], ids[Place.RUNNING], ids[Place.READY], new_id()]
    assert client.delete_these(named) == Bulk(matched=4, changed=2)
    assert [store.get(each) is None for each in named] == [True, False, True, True]
    assert client.delete_these([]) == Bulk()


def test_delete_takes_away_all_that_does_not_run(
    store: Store, client: Client, tables: Tables
) -> None:
    ids = bring_everywhere(store)
    assert client.delete_many(tenant="") == Bulk(matched=8, changed=8)
    left = sorted([ids[Place.RUNNING], ids[Place.CANCELLING]])
    assert [job.id for job in client.find()] == left[::-1]
    assert tables.rows("outcome") == []
    for table in ("ready", "waiting", "scheduled", "parked"):
        assert tables.rows(table) == []


@pytest.mark.parametrize("verb", [Event.CANCEL, Event.RETRY, Event.DELETE])
def test_the_verbs_reach_the_states_that_the_table_of_transitions_allows(verb: Event) -> None:
    known = {Event.CANCEL: bulk.CANCEL, Event.RETRY: bulk.RETRY, Event.DELETE: bulk.DELETE}
    assert set(known[verb].states) == {state for state in State if after(state, verb) is not None}


def test_only_what_the_filter_names_is_changed(store: Store, client: Client) -> None:
    batch = make_batch(store, tenant="acme")
    named: dict[str, Any] = {
        "queue": "mail",
        "kind": STRANGE,
        "tenant": "acme",
        "batch": batch,
    }
    alike = enqueue_one(store, **named)
    others = [
        enqueue_one(store, **(named | other))
        for other in (
            {"queue": "bulk"},
            {"kind": "greet"},
            {"tenant": "other", "batch": None},
            {"batch": None},
        )
    ]
    assert client.cancel_many(**named, state="queued") == Bulk(1, 1)
    assert look(store, alike).state is State.CANCELLED
    assert {look(store, job_id).state for job_id in others} == {State.QUEUED}
    assert client.cancel_many(queue="nobody's") == Bulk(0, 0)


def test_a_state_in_which_it_can_not_be_done_is_refused(client: Client) -> None:
    with pytest.raises(BadOption, match="can't retry jobs that are queued; only those that are"):
        client.retry_many(state="queued")
    with pytest.raises(BadOption, match="can't cancel jobs that are dead"):
        client.cancel_many(state=State.DEAD)
    with pytest.raises(BadOption, match="can't delete jobs that are running"):
        client.delete_many(state="running")
    with pytest.raises(BadOption, match="limit"):
        client.cancel_many(limit=0)


def test_a_delete_without_a_filter_is_refused(store: Store, client: Client) -> None:
    enqueue_one(store)
    with pytest.raises(BadOption, match="say which jobs to delete"):
        client.delete_many()
    assert len(client.find()) == 1


# -- steps ---------------------------------------------------------------------------------------
@pytest.mark.usefixtures("small_steps")
def test_all_steps_together_reach_all_and_tell_of_each(store: Store, client: Client) -> None:
    store.enqueue(new_jobs(5))
    told: list[Bulk] = []
    assert client.cancel_many(progress=told.append) == Bulk(5, 5)
    assert told == [Bulk(2, 2), Bulk(4, 4), Bulk(5, 5)]


@pytest.mark.usefixtures("small_steps")
def test_a_dry_run_counts_what_a_run_would_see_and_changes_nothing(
    store: Store, client: Client
) -> None:
    ids = bring_everywhere(store)
    store.enqueue(new_jobs(5))
    before = [look(store, job_id) for job_id in ids.values()]
    counted = [
        client.cancel_many(dry_run=True),
        client.retry_many(dry_run=True),
        client.delete_many(tenant="", dry_run=True),
    ]
    assert counted == [Bulk(12, 0), Bulk(3, 0), Bulk(13, 0)]
    assert [look(store, job_id) for job_id in ids.values()] == before
    assert client.cancel_many() == Bulk(12, 12)


@pytest.mark.usefixtures("small_steps")
def test_a_limit_takes_the_newest(store: Store, client: Client) -> None:
    jobs = new_jobs(7)
    store.enqueue(jobs)
    assert client.cancel_many(limit=3, dry_run=True) == Bulk(3, 0)
    assert client.cancel_many(limit=3) == Bulk(3, 3)
    left = [job.id for job in client.find(state="queued")]
    assert left == [job.id for job in jobs[3::-1]]


@pytest.mark.usefixtures("small_steps")
def test_what_was_done_before_an_interruption_is_done(store: Store, client: Client) -> None:
    store.enqueue(new_jobs(6))

    def interrupt(done: Bulk) -> None:
        if done.changed == 4:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        client.cancel_many(progress=interrupt)
    assert len(client.find(state="cancelled")) == 4
    assert client.cancel_many() == Bulk(2, 2)


def test_jobs_that_come_during_the_walk_are_left_alone(
    store: Store, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "STEP", 1)
    store.enqueue(new_jobs(3))
    done = client.cancel_many(state="queued", progress=lambda _: enqueue_one(store))
    assert done == Bulk(3, 3)
    assert len(client.find(state="queued")) == 3


# -- jobs that move meanwhile --------------------------------------------------------------------
def test_a_job_that_starts_during_the_walk_is_met_again(
    store: Store, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bulk, "STEP", 1)
    jobs = new_jobs(2)
    first, second = (job.id for job in jobs)
    store.enqueue(jobs)
    done = client.cancel_many(progress=lambda _: claim(store))
    assert done == Bulk(2, 2)
    assert look(store, second).state is State.CANCELLED
    assert look(store, first).cancel_requested


def test_a_job_that_starts_between_look_and_change_is_counted_once(
    store: Store, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    job_id = enqueue_one(store)
    find_ids = store.find_ids

    def find_then_start(*args: Any, **options: Any) -> list[JobId]:
        found = find_ids(*args, **options)
        claim(store)
        return found

    monkeypatch.setattr(store, "find_ids", find_then_start)
    assert client.cancel_many() == Bulk(1, 1)
    assert look(store, job_id).cancel_requested


def test_a_job_that_ended_meanwhile_is_not_counted_as_changed(
    store: Store, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken = start_one(store)
    find_ids = store.find_ids

    def find_then_end(*args: Any, **options: Any) -> list[JobId]:
        found = find_ids(*args, **options)
        settle(store, taken, "succeeded")
        return found

    monkeypatch.setattr(store, "find_ids", find_then_end)
    assert client.cancel_many(state="running") == Bulk(matched=1, changed=0)
    assert look(store, taken.job_id).state is State.SUCCEEDED


def test_a_step_changes_what_may_be_changed_and_says_what_it_is_then(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))
    ids = bring_everywhere(store)
    everything = [*ids.values(), new_id()]
    cancelled = store.cancel_many(everything, by=None)
    assert cancelled == {ids[place]: State.CANCELLED for place in WAITING} | {
        ids[place]: State.RUNNING for place in (Place.RUNNING, Place.CANCELLING)
    }
    retried = store.retry_many(everything)
    assert retried.keys() == {ids[place] for place in (*WAITING, Place.DEAD, Place.CANCELLED)}
    assert retried[ids[Place.BLOCKED]] is State.BLOCKED
    deleted = store.delete_many(everything)
    assert deleted == dict.fromkeys((*retried, ids[Place.SUCCEEDED]))
    assert store.cancel_many([], by=None) == store.retry_many([]) == store.delete_many([]) == {}


def test_ids_are_found_as_jobs_are(store: Store, client: Client) -> None:
    bring_everywhere(store)
    for state in (None, *State):
        where = Filter(state=state)
        jobs = store.find(where, before=None, limit=100)
        found = store.find_ids(where, before=None, limit=100)
        assert found == [job.id for job in jobs]
        if found:
            assert store.find_ids(where, before=found[0], limit=1) == found[1:2]


# -- asyncio -------------------------------------------------------------------------------------
@pytest.mark.usefixtures("small_steps")
def test_the_async_client_does_the_same_and_tells_on_the_loop(store: Store) -> None:
    store.enqueue(new_jobs(5))
    told: list[Bulk] = []

    def tell(done: Bulk) -> None:
        asyncio.get_running_loop()
        told.append(done)

    async def change() -> list[Bulk]:
        client = AsyncClient(store=store)
        job = (await client.find(limit=1))[0]
        assert (await client.why(job.id)).job_id == job.id
        return [
            await client.cancel_many(by="ada", dry_run=True, progress=tell),
            await client.cancel_many(limit=3, state="queued"),
            await client.retry_many(),
            await client.retry_these([job.id]),
            await client.delete_these([new_id()]),
            await client.delete_many(queue="default"),
        ]

    zero = Bulk(1, 0)
    assert asyncio.run(change()) == [Bulk(5, 0), Bulk(3, 3), Bulk(3, 3), zero, zero, Bulk(5, 5)]
    assert told == [Bulk(2, 0), Bulk(4, 0), Bulk(5, 0)]
