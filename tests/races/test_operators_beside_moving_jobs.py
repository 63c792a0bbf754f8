"""Lock, then look: a job that is just moving from table to table is neither missed nor doubled.

A statement that waits for a lock reads every other table as it was before it waited. So cancel,
delete, retry and reprioritise look again in a later statement, until one hits.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import StoreError
from leasehold.model.states import State
from leasehold.model.values import Want
from tests.conformance.kit import (
    STRANGE,
    WORKER,
    Place,
    Standing,
    bring,
    claim,
    enqueue_one,
    fail,
    look,
    pass_time,
    promote,
    settle,
    start_one,
)
from tests.conformance.tables import places
from tests.races.kit import mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from leasehold.store.postgres.store import PostgresStore
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

Move = tuple["Callable[[Store], Standing]", "Callable[[Store, Standing], Any]"]


def _fail_and_wait(store: Store) -> Standing:
    taken = start_one(store)
    fail(store, taken)
    return Standing(taken.job_id, taken)


def _claim_parked(store: Store, _: Standing) -> None:
    (taken,) = store.claim_parked(WORKER, [Want("default", 5)], limit=5, leases={STRANGE: 60.0})
    assert taken.kind == STRANGE


def _ready(store: Store) -> Standing:
    return bring(store, Place.READY)


def _running(store: Store) -> Standing:
    return bring(store, Place.RUNNING)


def _scheduled(store: Store) -> Standing:
    job_id = enqueue_one(store, delay_seconds=1.0)
    pass_time(store, 2)
    return Standing(job_id, None)


def _parked(store: Store) -> Standing:
    return bring(store, Place.PARKED)


def _settle(outcome: str, **fields: Any) -> Callable[[Store, Standing], Any]:
    def move(store: Store, job: Standing) -> None:
        assert job.claim is not None
        assert settle(store, job.claim, outcome, **fields) == "settled"

    return move


MOVES: dict[str, Move] = {
    "claimed": (_ready, lambda store, _: claim(store)),
    "parked": (_ready, lambda store, _: claim(store, kinds=["other"])),
    "claimed out of parked": (_parked, _claim_parked),
    "promoted": (_scheduled, lambda store, _: promote(store)),
    "failed": (_running, _settle("failed", delay_seconds=60.0, error="x", is_counted=True)),
    "released": (_running, _settle("released")),
    "reprioritised": (_ready, lambda store, job: store.reprioritise(job.job_id, 9)),
    "retried": (_fail_and_wait, lambda store, job: store.retry(job.job_id)),
}

ONE_LOOK = b"""
WITH ready AS (DELETE FROM leasehold.ready WHERE job_id = %(job_id)s RETURNING job_id),
scheduled AS (DELETE FROM leasehold.scheduled WHERE job_id = %(job_id)s RETURNING job_id),
parked AS (DELETE FROM leasehold.parked WHERE job_id = %(job_id)s RETURNING job_id),
lease AS (
  UPDATE leasehold.lease SET cancel_requested = true WHERE job_id = %(job_id)s RETURNING job_id
)
SELECT * FROM ready UNION SELECT * FROM scheduled UNION SELECT * FROM parked UNION TABLE lease
"""


def is_cancelled(store: PostgresStore, job_id: JobId) -> bool:
    job = look(store, job_id)
    return job.state is State.CANCELLED or (job.state is State.RUNNING and job.cancel_requested)


@pytest.mark.parametrize("move", MOVES)
def test_cancel_hits_a_job_that_is_just_moving(
    race: PostgresRace, tables: Tables, move: str
) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)
    race.run_beside(lambda store: go(store, job), lambda: race.store.cancel(job.job_id, by="ops"))
    assert is_cancelled(race.store, job.job_id)
    assert len(places(tables, job.job_id)) <= 1


@pytest.mark.parametrize("move", MOVES)
def test_mutant_a_cancel_in_one_statement_misses_it(race: PostgresRace, move: str) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)

    def cancel_in_one() -> list[Any]:
        with race.store._lend() as connection:
            return connection.execute(ONE_LOOK, {"job_id": job.job_id}).fetchall()

    assert race.run_beside(lambda store: go(store, job), cancel_in_one) == []
    assert not is_cancelled(race.store, job.job_id)


INTO_WAITING = ("parked", "promoted", "reprioritised", "retried")
INTO_LEASE = ("claimed", "claimed out of parked")


@pytest.mark.parametrize("move", INTO_WAITING)
def test_delete_hits_a_job_that_is_just_moving(
    race: PostgresRace, tables: Tables, move: str
) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)
    assert (
        race.run_beside(lambda store: go(store, job), lambda: race.store.delete(job.job_id)) is None
    )
    assert race.store.get(job.job_id) is None
    assert (places(tables, job.job_id), tables.rows("outcome")) == ([], [])


@pytest.mark.parametrize("move", INTO_LEASE)
def test_delete_leaves_a_job_that_was_just_claimed(
    race: PostgresRace, tables: Tables, move: str
) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)
    state = race.run_beside(lambda store: go(store, job), lambda: race.store.delete(job.job_id))
    assert state is State.RUNNING
    assert places(tables, job.job_id) == ["lease"]
    assert len(tables.rows("job")) == 1


@pytest.mark.parametrize("move", INTO_WAITING)
def test_reprioritise_hits_a_job_that_is_just_moving(race: PostgresRace, move: str) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)
    state = race.run_beside(
        lambda store: go(store, job), lambda: race.store.reprioritise(job.job_id, 5)
    )
    assert state is State.QUEUED
    assert look(race.store, job.job_id).priority == 5


@pytest.mark.parametrize("move", INTO_LEASE)
def test_reprioritise_says_that_a_job_was_just_claimed(race: PostgresRace, move: str) -> None:
    prepare, go = MOVES[move]
    job = prepare(race.store)
    state = race.run_beside(
        lambda store: go(store, job), lambda: race.store.reprioritise(job.job_id, 5)
    )
    assert state is State.RUNNING


@pytest.mark.parametrize("verb", ["delete", "reprioritise"])
@pytest.mark.parametrize("move", INTO_WAITING)
def test_mutant_without_the_loop_the_job_is_missed(
    race: PostgresRace, move: str, verb: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.store.postgres.people._ROUNDS", 1)
    prepare, go = MOVES[move]
    job = prepare(race.store)

    def act() -> object:
        if verb == "delete":
            return race.store.delete(job.job_id)
        return race.store.reprioritise(job.job_id, 5)

    with pytest.raises(StoreError, match="moved each time"):
        race.run_beside(lambda store: go(store, job), act)


def test_retry_hits_a_failed_job_that_is_just_reprioritised(
    race: PostgresRace, tables: Tables
) -> None:
    job = bring(race.store, Place.FAILED)
    state = race.run_beside(
        lambda store: store.reprioritise(job.job_id, 7), lambda: race.store.retry(job.job_id)
    )
    assert state is State.QUEUED
    assert places(tables, job.job_id) == ["ready"]
    assert (look(race.store, job.job_id).priority, look(race.store, job.job_id).failures) == (7, 0)


def test_mutant_without_the_loop_a_retry_misses_it(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.store.postgres.people._ROUNDS", 1)
    job = bring(race.store, Place.FAILED)
    with pytest.raises(StoreError, match="moved each time"):
        race.run_beside(
            lambda store: store.reprioritise(job.job_id, 7), lambda: race.store.retry(job.job_id)
        )


def test_retry_beside_a_promotion_leaves_one_ready_row(race: PostgresRace, tables: Tables) -> None:
    job = _fail_and_wait(race.store)
    state = race.run_beside(promote, lambda: race.store.retry(job.job_id))
    assert state is State.QUEUED
    assert places(tables, job.job_id) == ["ready"]


def test_cancel_that_is_not_committed_yet_is_seen_by_finish(race: PostgresRace) -> None:
    taken = start_one(race.store)
    race.run_beside(
        lambda store: store.cancel(taken.job_id, by="ops"),
        lambda: settle(race.store, taken, "succeeded"),
    )
    assert look(race.store, taken.job_id).state is State.CANCELLED


def test_mutant_a_finish_that_reads_the_lease_by_its_snapshot_overlooks_the_cancel(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(
        monkeypatch,
        "succeed",
        "WHEN lease.cancel_requested THEN 'cancelled'::",
        "WHEN (SELECT l.cancel_requested FROM leasehold.lease AS l WHERE l.job_id = said.job_id)"
        " THEN 'cancelled'::",
    )
    taken = start_one(race.store)
    race.run_beside(
        lambda store: store.cancel(taken.job_id, by="ops"),
        lambda: settle(race.store, taken, "succeeded"),
    )
    assert look(race.store, taken.job_id).state is State.SUCCEEDED
