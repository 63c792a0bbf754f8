"""Many changed at once, beside others who move them: nobody waits in a circle, each ends once."""

from __future__ import annotations

import random
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest

from leasehold.bulk import Bulk
from leasehold.client import Client
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.store.postgres.store import PostgresStore
from tests.conformance.kit import (
    HOST,
    RULE,
    Place,
    bring,
    claim,
    declare,
    enqueue_one,
    look,
    new_jobs,
    settle,
    start_one,
    take_lanes,
)
from tests.conformance.tables import places
from tests.races.kit import PATIENCE_SECONDS, mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

JOBS = 600
STEP = 50
SKIPPED = "FOR UPDATE SKIP LOCKED"


def in_steps(
    race: PostgresRace, job_ids: list[JobId], change: Callable[[PostgresStore, list[JobId]], object]
) -> None:
    store = PostgresStore(race.url)
    for start in range(0, len(job_ids), STEP):
        change(store, job_ids[start : start + STEP])
    store.close()


def claim_until_empty(race: PostgresRace, worker: int) -> None:
    """Work as fast as one can, in batches, until nothing is left."""
    store = PostgresStore(race.url)
    me = WorkerId(worker)

    def work(claims: list[Claim]) -> bool:
        for each in claims:
            settle(store, each, "succeeded", worker=me)
        return bool(claims)

    while work(claim(store, worker=me, limit=20)) or work(take_lanes(store, me, 20)):
        pass
    store.close()


def orders_of(ids: list[JobId]) -> list[list[JobId]]:
    mixed = list(ids)
    random.Random(7).shuffle(mixed)
    return [ids, ids[::-1], mixed]


def test_cancels_in_opposite_orders_beside_claims_end_each_job_once(
    race: PostgresRace, tables: Tables
) -> None:
    declare(race.store, Rule(name=RULE, running=50))
    jobs = new_jobs(JOBS) + new_jobs(JOBS, lane=HOST)
    race.store.enqueue(jobs)
    ids = [job.id for job in jobs]
    changers = [
        race.start(
            partial(in_steps, race, order, lambda store, ids: store.cancel_many(ids, by="x"))
        )
        for order in orders_of(ids)
    ]
    worker = race.start(lambda: claim_until_empty(race, 1))
    for each in (*changers, worker):
        each.result(PATIENCE_SECONDS * 3)  # a deadlock would be an error here
    ended = Counter(row["job_id"] for row in tables.rows("outcome"))
    assert ended == Counter(dict.fromkeys(ids, 1))
    assert all(tables.rows(table) == [] for table in ("ready", "waiting", "lease"))


def test_retries_and_deletes_in_opposite_orders_leave_each_job_in_one_place(
    race: PostgresRace, tables: Tables
) -> None:
    jobs = new_jobs(JOBS)
    race.store.enqueue(jobs)
    ids = [job.id for job in jobs]
    race.store.cancel_many(ids, by=None)
    forth, back, mixed = orders_of(ids)
    changers = [
        race.start(lambda: in_steps(race, forth, PostgresStore.retry_many)),
        race.start(lambda: in_steps(race, back, PostgresStore.retry_many)),
        race.start(lambda: in_steps(race, mixed[: JOBS // 2], PostgresStore.delete_many)),
        race.start(lambda: in_steps(race, mixed[JOBS // 2 :: -1], PostgresStore.delete_many)),
    ]
    for each in changers:
        each.result(PATIENCE_SECONDS * 3)
    left = {job.id for job in Client(store=race.store).each(page=500)}
    gone = set(mixed[: JOBS // 2 + 1])
    assert left == set(ids) - gone
    assert {row["job_id"] for row in tables.rows("ready")} == left
    assert len(tables.rows("ready")) == len(left)


@pytest.mark.parametrize("place", [Place.READY, Place.SCHEDULED, Place.PARKED, Place.FAILED])
def test_a_step_does_not_wait_before_it_has_done_what_it_can(
    race: PostgresRace, place: Place
) -> None:
    held = bring(race.store, place, queue="held").job_id
    free = bring(race.store, place, queue="free").job_id
    with race.uncommitted() as side:
        side.store.delete(held)
        running = race.start(lambda: race.store.cancel_many([held, free], by=None))
        race.wait_until_blocked(side, running)  # by the single verb, with nothing in hand
        assert look(race.store, free).state is State.CANCELLED
        side.roll_back()
        assert running.result(PATIENCE_SECONDS).keys() == {held, free}


def test_mutant_that_waits_in_the_set_holds_what_it_has_meanwhile(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "cancel_many", SKIPPED, "FOR UPDATE")
    held, free = enqueue_one(race.store), enqueue_one(race.store)
    with race.uncommitted() as side:
        side.store.delete(held)
        running = race.start(lambda: race.store.cancel_many([free, held], by=None))
        race.wait_until_blocked(side, running)
        assert look(race.store, free).state is State.QUEUED
        side.roll_back()
        running.result(PATIENCE_SECONDS)


def test_a_job_that_is_claimed_meanwhile_is_marked(race: PostgresRace) -> None:
    job_id = enqueue_one(race.store)
    after = race.run_beside(claim, lambda: race.store.cancel_many([job_id], by=None))
    assert after == {job_id: State.RUNNING}
    assert look(race.store, job_id).cancel_requested


def test_a_job_that_finishes_meanwhile_is_left_as_it_ended(race: PostgresRace) -> None:
    taken = start_one(race.store)
    after = race.run_beside(
        lambda store: settle(store, taken, "succeeded"),
        lambda: race.store.cancel_many([taken.job_id], by=None),
    )
    assert after == {}
    assert look(race.store, taken.job_id).state is State.SUCCEEDED


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_two_who_retry_many_at_once_make_one_job_ready(
    race: PostgresRace, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(race.store, place)
    after = race.run_beside(
        lambda store: store.retry_many([job_id]), lambda: race.store.retry_many([job_id])
    )
    assert after == {job_id: State.QUEUED}
    assert places(tables, job_id) == ["ready"]


def test_mutant_that_skips_nobody_elses_lock_makes_a_job_ready_twice(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "lock_jobs", SKIPPED)
    mutate(monkeypatch, "lock_job", "FOR UPDATE")
    job_id, _ = bring(race.store, Place.DEAD)
    with pytest.raises(Exception, match="duplicate key"):  # only an index holds it up
        race.run_beside(
            lambda store: store.retry_many([job_id]), lambda: race.store.retry_many([job_id])
        )


def test_a_walk_beside_a_busy_worker_ends_and_leaves_nothing(race: PostgresRace) -> None:
    race.store.enqueue(new_jobs(JOBS))
    worker = race.start(lambda: claim_until_empty(race, 1))
    client = Client(store=race.store)
    client.cancel_many()
    worker.result(PATIENCE_SECONDS)
    assert client.cancel_many() == Bulk(0, 0)
