"""Ended jobs are kept for a time, and then taken away, with all that is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold.model.ids import JobId
from leasehold.model.keeping import BUILT_IN, EVER_SECONDS, Keep, Pruning, Scope, fold
from leasehold.model.states import State
from leasehold.model.values import TaskPolicy, WorkerInfo
from leasehold.store.moving_tables import TABLES
from tests.conformance.kit import (
    FINAL_PLACES,
    GREET,
    HOST,
    STATE_OF,
    WORKER,
    Place,
    bring,
    enqueue_one,
    look,
    new_id,
    pass_time,
    settle,
    start_one,
)
from tests.conformance.retention_kit import DAY, prune, there
from tests.conformance.tables import LIVE

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

KEEP_OF = {Place.SUCCEEDED: "succeeded", Place.DEAD: "dead", Place.CANCELLED: "cancelled"}
WORDS = [
    Keep(),
    Keep(succeeded=1 * DAY),
    Keep(succeeded=50 * DAY),
    Keep(dead=2 * DAY),
    Keep(succeeded=20 * DAY, cancelled=3 * DAY),
    Keep(succeeded=EVER_SECONDS),
]


def register(store: Store, **keep: Any) -> None:
    info = WorkerInfo(id=WORKER, name="w", queues=(), kinds=(GREET,), slots=1, version="1")
    policy = TaskPolicy(
        kind=GREET,
        queue="default",
        priority=0,
        max_attempts=5,
        timeout_seconds=60,
        dies_on_lapse=False,
        **keep,
    )
    store.register(info, [policy])


@pytest.mark.parametrize("place", FINAL_PLACES)
def test_an_ended_job_goes_when_its_time_is_over_and_not_before(store: Store, place: Place) -> None:
    job_id = bring(store, place).job_id
    kept_seconds = getattr(BUILT_IN, KEEP_OF[place])

    pass_time(store, kept_seconds - 60)
    assert prune(store) == 0
    assert look(store, job_id).state is STATE_OF[place]

    pass_time(store, 120)
    assert prune(store) == 1
    assert store.get(job_id) is None
    assert store.history(job_id) == []


@pytest.mark.parametrize("place", [place for place in Place if place not in FINAL_PLACES])
def test_a_live_job_stays_however_old_it_is(store: Store, tables: Tables, place: Place) -> None:
    standing = bring(store, place, **({"lane": HOST} if place is Place.BLOCKED else {}))
    before = tables.rows("outcome")

    pass_time(store, 1000 * DAY)

    assert prune(store) == 0
    assert look(store, standing.job_id).state is STATE_OF[place]
    assert tables.rows("outcome") == before


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_a_job_that_was_retried_is_alive_again_whatever_its_history_says(
    store: Store, place: Place
) -> None:
    job_id = bring(store, place).job_id
    pass_time(store, 100 * DAY)
    assert store.retry(job_id) is State.QUEUED

    assert prune(store) == 0
    assert look(store, job_id).state is State.QUEUED


@pytest.mark.parametrize("shift", range(len(WORDS)))
@pytest.mark.parametrize("queue", WORDS)
def test_what_is_said_for_the_task_goes_before_its_queue_and_that_before_all(
    store: Store, queue: Keep, shift: int
) -> None:
    number = WORDS.index(queue)
    said = {
        (Scope.ALL, ""): WORDS[(number + shift) % len(WORDS)],
        (Scope.QUEUE, "default"): queue,
        (Scope.TASK, GREET): WORDS[(2 * number + shift) % len(WORDS)],
    }
    for (scope, name), keep in said.items():
        store.set_retention(scope, name, keep, by="ada")
    expected = fold(*said.values())
    jobs = {bring(store, place).job_id: getattr(expected, KEEP_OF[place]) for place in FINAL_PLACES}

    for moment in sorted(set(jobs.values())):
        store.skew_seconds = min(moment, 1000 * DAY) - 60
        prune(store)
        assert there(store, jobs) == {each for each in jobs if jobs[each] >= moment}, said
        store.skew_seconds += 120
        prune(store)
        left = {each for each in jobs if jobs[each] > moment or jobs[each] == EVER_SECONDS}
        assert there(store, jobs) == left, said


def test_nothing_goes_where_somebody_said_for_ever(store: Store) -> None:
    job_id = bring(store, Place.SUCCEEDED).job_id
    ever = Keep(succeeded=EVER_SECONDS)
    store.set_retention(Scope.ALL, "", ever, by=None)

    pass_time(store, 30_000 * DAY)

    assert prune(store) == 0
    assert look(store, job_id).state is State.SUCCEEDED


def test_a_task_declares_that_its_jobs_are_kept_and_may_take_it_back(store: Store) -> None:
    job_id = bring(store, Place.SUCCEEDED).job_id
    register(store, keep_seconds=EVER_SECONDS)
    (said,) = store.retentions()
    assert (said.scope, said.name, said.set_by) == (Scope.TASK, GREET, None)

    pass_time(store, 1000 * DAY)
    assert prune(store) == 0

    register(store)
    assert store.retentions() == []
    assert prune(store) == 1
    assert store.get(job_id) is None


def test_what_people_set_for_a_task_stays_until_they_reset_it(store: Store) -> None:
    register(store, keep_seconds=60.0)
    store.set_retention(Scope.TASK, GREET, Keep(succeeded=EVER_SECONDS), by="ada")
    register(store, keep_seconds=60.0)
    assert [said.keep.succeeded for said in store.retentions()] == [EVER_SECONDS]

    assert store.reset_retention(Scope.TASK, GREET)
    assert not store.reset_retention(Scope.TASK, GREET)
    assert [said.keep.succeeded for said in store.retentions()] == [EVER_SECONDS]  # till it starts

    register(store, keep_seconds=60.0)
    assert [said.keep.succeeded for said in store.retentions()] == [60.0]


def test_what_people_set_is_listed_and_can_be_reset(store: Store) -> None:
    store.set_retention(Scope.QUEUE, "mail", Keep(succeeded=3 * DAY), by="ada")
    store.set_retention(Scope.ALL, "", Keep(dead=9 * DAY), by=None)

    listed = [(said.scope, said.name, said.keep, said.set_by) for said in store.retentions()]
    assert listed == [
        (Scope.ALL, "", Keep(dead=9 * DAY), "somebody"),
        (Scope.QUEUE, "mail", Keep(succeeded=3 * DAY), "ada"),
    ]
    assert store.reset_retention(Scope.QUEUE, "mail")
    assert not store.reset_retention(Scope.QUEUE, "mail")
    assert len(store.retentions()) == 1


def test_a_walk_in_small_steps_takes_away_the_same(store: Store) -> None:
    ended = [bring(store, Place.SUCCEEDED).job_id for _ in range(7)]
    kept = [bring(store, Place.DEAD).job_id for _ in range(5)]
    pass_time(store, 8 * DAY)

    assert prune(store, limit=2) == 7
    assert all(store.get(job_id) is None for job_id in ended)
    assert all(store.get(job_id) is not None for job_id in kept)


def test_a_step_begins_behind_the_last_one(store: Store) -> None:
    for _ in range(3):
        bring(store, Place.DEAD)
    pass_time(store, 8 * DAY)

    first = store.prune(Pruning.JOBS, limit=2)
    second = store.prune(Pruning.JOBS, first.cursor, limit=2)
    third = store.prune(Pruning.JOBS, second.cursor, limit=2)

    assert [(step.seen, step.gone) for step in (first, second, third)] == [(2, 0), (1, 0), (0, 0)]
    assert third.cursor is None


def test_young_jobs_are_not_even_looked_at(store: Store) -> None:
    for _ in range(3):
        bring(store, Place.SUCCEEDED)
    pass_time(store, 6 * DAY)

    step = store.prune(Pruning.JOBS)

    assert (step.seen, step.cursor) == (0, None)


def test_a_job_under_an_id_of_the_callers_own_goes_too(store: Store) -> None:
    ids = [JobId(uuid4()) for _ in range(20)]
    for job_id in ids:
        settle(store, start_one(store, id=job_id), "succeeded")

    assert prune(store, limit=3) == 0
    pass_time(store, 8 * DAY)
    assert prune(store, limit=3) == 20


def test_a_dry_run_counts_and_takes_nothing_away(store: Store, tables: Tables) -> None:
    for place in FINAL_PLACES:
        bring(store, place)
    pass_time(store, 31 * DAY)
    before = tables.rows("job")

    assert prune(store, dry_run=True) == 3
    assert tables.rows("job") == before


def test_what_is_late_is_told_from_what_is_just_over(store: Store) -> None:
    bring(store, Place.SUCCEEDED)
    pass_time(store, 7 * DAY + 3600)

    assert prune(store, dry_run=True, late_seconds=7200) == 0
    assert prune(store, dry_run=True, late_seconds=1800) == 1


def test_all_that_is_known_of_a_job_goes_with_it(store: Store, tables: Tables) -> None:
    gone = bring(store, Place.SUCCEEDED).job_id
    stays = bring(store, Place.DEAD).job_id
    prefix = "leasehold_" if store.url.startswith("sqlite:") else "leasehold."
    moment = "0" if store.url.startswith("sqlite:") else "now()"
    for job_id, other in ((gone, new_id()), (stays, new_id())):
        for statement in (
            f"checkpoint (job_id, saved_at) VALUES ('{job_id}', {moment})",
            f"step (job_id, name, done_at) VALUES ('{job_id}', 'a', {moment})",
            f"dependency (needs, job_id) VALUES ('{other}', '{job_id}')",
            f"dependent (job_id) VALUES ('{job_id}')",
            f"callback (job_id) VALUES ('{job_id}')",
        ):
            tables.execute(f"INSERT INTO {prefix}{statement}")
    pass_time(store, 8 * DAY)

    assert prune(store) == 1

    known = {table.name for table in TABLES if "job_id" in table.columns} - {*LIVE, "key"}
    assert known == {"outcome", "checkpoint", "step", "dependency", "dependent", "callback"}
    for table in known:
        assert [str(row["job_id"]) for row in tables.rows(table)] == [str(stays)], table


def test_a_job_is_kept_as_long_as_one_that_needs_it_may_be_tried_again(
    store: Store, tables: Tables
) -> None:
    first = bring(store, Place.SUCCEEDED).job_id
    second = enqueue_one(store, delay_seconds=100 * DAY)
    prefix = "leasehold_" if store.url.startswith("sqlite:") else "leasehold."
    tables.execute(
        f"INSERT INTO {prefix}dependency (needs, job_id) VALUES ('{first}', '{second}')"  # noqa: S608
    )
    pass_time(store, 50 * DAY)
    assert prune(store) == 0

    store.cancel(second, by=None)
    assert prune(store) == 0  # an operator may retry it
    pass_time(store, 31 * DAY)
    assert [prune(store), prune(store)] == [1, 1]
    assert there(store, [first, second]) == set()


def test_a_job_goes_when_the_one_that_needed_it_has_succeeded(store: Store, tables: Tables) -> None:
    first = bring(store, Place.SUCCEEDED).job_id
    second = start_one(store)
    prefix = "leasehold_" if store.url.startswith("sqlite:") else "leasehold."
    tables.execute(
        f"INSERT INTO {prefix}dependency (needs, job_id)"  # noqa: S608
        f" VALUES ('{first}', '{second.job_id}')"
    )
    pass_time(store, 8 * DAY)
    assert prune(store) == 0
    settle(store, second, "succeeded")
    assert prune(store) == 1
    assert there(store, [first, second.job_id]) == {second.job_id}
