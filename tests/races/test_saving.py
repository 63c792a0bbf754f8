"""A save and the end of its lease meet: what is saved stands before that end, or not at all."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import LeaseLost, StoreBusy
from leasehold.model.saving import Save
from leasehold.store import open_store
from leasehold.store.base import Answer
from tests.conformance.kit import (
    LEASE_SECONDS,
    OTHER,
    WORKER,
    claim_one,
    held,
    lapse,
    pass_time,
    promote,
    reclaim,
    settle,
    start_many,
    start_one,
)
from tests.conformance.tables import open_tables
from tests.races.kit import mutate, mutate_function

if TYPE_CHECKING:
    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace


def save(store: Store, taken: Claim, cursor: str, *, worker: WorkerId = WORKER) -> bool:
    said = Save(job_id=taken.job_id, fence=taken.fence, cursor=cursor, step="a", result=cursor)
    (stands,) = store.save(worker, [said])
    return stands


def cursor_of(store: Store, taken: Claim) -> object:
    found = store.checkpoint(taken.job_id)
    return None if found is None else found.cursor


# -- a save that has not committed yet -------------------------------------------------------------
def test_a_lease_that_has_saved_in_an_open_transaction_is_not_taken_back(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with race.uncommitted() as side:
        assert save(side.store, taken, "1")
        assert race.start(lambda: reclaim(race.store)).result(10) == {}
        side.commit()
    assert cursor_of(race.store, taken) == 1
    assert set(reclaim(race.store)) == {taken.job_id}


def test_mutant_without_the_lock_a_save_is_committed_after_its_lease_was_taken_back(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with mutate_function(race.url, "save", "FOR KEY SHARE", ""), race.uncommitted() as side:
        assert save(side.store, taken, "1")
        assert set(reclaim(race.store)) == {taken.job_id}
        side.commit()
    assert cursor_of(race.store, taken) == 1  # by who had no right to it any more


def test_a_lease_that_has_saved_in_an_open_transaction_is_renewed(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_one(race.store)
    (before,) = (row["until"] for row in tables.rows("lease"))
    pass_time(race.store, 20)
    with race.uncommitted() as side:
        assert save(side.store, taken, "1")
        race.start(lambda: race.store.renew(WORKER, [held(taken)])).result(10)
        (after,) = (row["until"] for row in tables.rows("lease"))
        assert after > before


def test_mutant_with_a_stronger_lock_the_lease_is_not_renewed(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_one(race.store)
    (before,) = (row["until"] for row in tables.rows("lease"))
    pass_time(race.store, 20)
    with (
        mutate_function(race.url, "save", "FOR KEY SHARE", "FOR UPDATE"),
        race.uncommitted() as side,
    ):
        assert save(side.store, taken, "1")
        race.start(lambda: race.store.renew(WORKER, [held(taken)])).result(10)
        (after,) = (row["until"] for row in tables.rows("lease"))
        assert after == before


def test_a_finish_comes_after_the_save_that_was_before_it(race: PostgresRace) -> None:
    taken = start_one(race.store)
    answer = race.run_beside(
        lambda store: save(store, taken, "1"), lambda: settle(race.store, taken, "succeeded")
    )
    assert answer is Answer.SETTLED
    assert cursor_of(race.store, taken) == 1


def test_a_job_whose_row_an_open_transaction_has_saved_does_not_stop_the_others_for_long(
    race: PostgresRace,
) -> None:
    one, other = start_many(race.store, 2)
    with race.uncommitted() as side:
        assert save(side.store, one, "1")
        with pytest.raises(StoreBusy):
            save(race.store, one, "2")
        assert save(race.store, other, "3")
        side.commit()
    assert (cursor_of(race.store, one), cursor_of(race.store, other)) == (1, 3)


# -- a lease that is just ending -------------------------------------------------------------------
def test_a_save_waits_for_a_reclaim_and_is_refused(race: PostgresRace) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    assert not race.run_beside(reclaim, lambda: save(race.store, taken, "1"))
    assert cursor_of(race.store, taken) is None
    assert race.store.steps(taken.job_id) == []


def test_a_save_waits_for_a_reclaim_that_is_rolled_back_and_stands(race: PostgresRace) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    assert race.run_beside(reclaim, lambda: save(race.store, taken, "1"), commits=False)
    assert cursor_of(race.store, taken) == 1


def test_mutant_without_the_lock_a_save_overtakes_the_reclaim_that_is_ahead(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with mutate_function(race.url, "save", "FOR KEY SHARE", ""), race.uncommitted() as side:
        assert set(reclaim(side.store)) == {taken.job_id}
        assert save(race.store, taken, "1")  # it is told that its lease stands
        side.commit()


def test_a_transaction_that_saves_is_rolled_back_when_its_lease_ends_first(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_one(race.store)
    tables.execute("DROP TABLE IF EXISTS effect")
    tables.execute("CREATE TABLE effect (n integer)")
    said = [Save(job_id=taken.job_id, fence=taken.fence, cursor="1")]
    pass_time(race.store, LEASE_SECONDS + 1)
    transaction = race.store.saving(WORKER, lambda: said, lease_seconds=LEASE_SECONDS)
    connection = transaction.__enter__()
    connection.execute("INSERT INTO effect VALUES (1)")
    assert set(reclaim(race.store)) == {taken.job_id}
    with pytest.raises(LeaseLost):
        transaction.__exit__(None, None, None)
    assert tables.execute("SELECT n FROM effect") == []
    tables.execute("DROP TABLE effect")
    assert cursor_of(race.store, taken) is None


# -- the fence, on both stores ---------------------------------------------------------------------
def late_save(store: Store) -> tuple[bool, object]:
    """Let an attempt save after the next one has."""
    first = start_one(store)
    lapse(store)
    promote(store)
    second = claim_one(store, worker=OTHER, suspects=True)
    assert save(store, second, '"second"', worker=OTHER)
    return save(store, first, '"late"'), cursor_of(store, second)


def test_a_late_save_is_refused(store: Store) -> None:
    assert late_save(store) == (False, "second")


def test_mutant_without_the_fence_a_late_save_overwrites_the_next_attempts(
    race: PostgresRace,
) -> None:
    with (
        mutate_function(race.url, "save", "AND l.fence = asked.fence", ""),
        mutate_function(race.url, "save", "AND l.worker = worker", ""),
    ):
        assert late_save(race.store) == (True, "late")


@pytest.mark.parametrize("statement", ["save_checkpoint", "save_step"])
def test_mutant_without_the_fence_a_late_save_is_accepted_by_sqlite(
    shared_sqlite_url: str, monkeypatch: pytest.MonkeyPatch, statement: str
) -> None:
    with open_tables(shared_sqlite_url) as tables:
        tables.empty()
    for guard in ("AND lease.fence = :fence", "AND lease.worker = :worker"):
        mutate(monkeypatch, statement, guard)
    store = open_store(shared_sqlite_url)
    stood, cursor = late_save(store)
    store.close()
    # Of the two statements of this save the last one says whether the lease stands.
    assert (stood, cursor) == (
        (False, "late") if statement == "save_checkpoint" else (True, "second")
    )
