"""Two people act on one ended job at once: the job's row is their lock."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import StoreError
from leasehold.model.states import State
from tests.conformance.kit import Place, bring, claim
from tests.conformance.tables import places
from tests.races.kit import mutate

if TYPE_CHECKING:
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

LOCK = "FOR UPDATE"


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_two_who_retry_at_once_make_one_job_ready(
    race: PostgresRace, tables: Tables, place: Place
) -> None:
    job_id, _ = bring(race.store, place)
    state = race.run_beside(lambda store: store.retry(job_id), lambda: race.store.retry(job_id))
    assert state is State.QUEUED
    assert places(tables, job_id) == ["ready"]
    assert len(claim(race.store)) == 1


def test_mutant_without_the_lock_the_second_retry_breaks(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "lock_job", LOCK)
    job_id, _ = bring(race.store, Place.DEAD)
    with pytest.raises(StoreError, match="duplicate key"):  # only an index holds it up
        race.run_beside(lambda store: store.retry(job_id), lambda: race.store.retry(job_id))


def test_a_delete_beside_a_retry_leaves_nothing_behind(race: PostgresRace, tables: Tables) -> None:
    job_id, _ = bring(race.store, Place.DEAD)
    state = race.run_beside(lambda store: store.retry(job_id), lambda: race.store.delete(job_id))
    assert state is None
    assert (tables.rows("job"), tables.rows("outcome"), places(tables, job_id)) == ([], [], [])


def test_a_retry_beside_a_delete_finds_no_job(race: PostgresRace, tables: Tables) -> None:
    job_id, _ = bring(race.store, Place.DEAD)
    state = race.run_beside(lambda store: store.delete(job_id), lambda: race.store.retry(job_id))
    assert state is None
    assert (tables.rows("job"), places(tables, job_id)) == ([], [])


def test_a_retry_beside_a_delete_that_is_rolled_back_goes_through(race: PostgresRace) -> None:
    job_id, _ = bring(race.store, Place.DEAD)
    state = race.run_beside(
        lambda store: store.delete(job_id), lambda: race.store.retry(job_id), commits=False
    )
    assert state is State.QUEUED


def test_mutant_without_the_lock_a_delete_leaves_a_ready_row_without_a_job(
    race: PostgresRace, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "lock_job", LOCK)
    job_id, _ = bring(race.store, Place.DEAD)
    with race.uncommitted() as side:
        side.store.retry(job_id)
        assert race.store.delete(job_id) is None
        side.commit()
    assert tables.rows("job") == []
    assert places(tables, job_id) == ["ready"]
