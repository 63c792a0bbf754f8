"""Renew, finish and reclaim meet on one lease row: who deletes it has the job, nobody else."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

import pytest

from leasehold.model.states import State
from tests.conformance.kit import (
    LEASE_SECONDS,
    WORKER,
    claim,
    claim_one,
    held,
    lapse,
    look,
    pass_time,
    promote,
    raw,
    reclaim,
    settle,
    start_many,
    start_one,
)
from tests.conformance.tables import places
from tests.races.kit import mutate

if TYPE_CHECKING:
    import msgspec

    from leasehold.model.ids import JobId
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import OpenSide, PostgresRace


def lock_lease(side: OpenSide, job_id: JobId) -> None:
    """Do to the row what an open `job.transaction()` does at its end."""
    query = "SELECT FROM leasehold.lease WHERE job_id = %s FOR UPDATE"
    assert side.connection.execute(query, (job_id,)).rowcount == 1


def lease_ends(tables: Tables) -> dict[str, object]:
    return {str(row["job_id"]): row["until"] for row in tables.rows("lease")}


def test_renewing_goes_past_a_lease_that_its_job_holds_locked(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_many(race.store, 3)
    before = lease_ends(tables)
    pass_time(race.store, 20)
    with race.uncommitted() as side:
        lock_lease(side, taken[1].job_id)
        renewal = race.start(lambda: race.store.renew(WORKER, [held(one) for one in taken]))
        found = renewal.result(10)
    assert (found.lost, found.cancelled) == (frozenset(), frozenset())  # the locked one stands
    moved = {job_id for job_id, end in lease_ends(tables).items() if end != before[job_id]}
    assert moved == {str(taken[0].job_id), str(taken[2].job_id)}


def test_mutant_without_skip_locked_one_open_transaction_stops_all_renewals(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "renew", "SKIP LOCKED")
    taken = start_many(race.store, 3)
    with race.uncommitted() as side:
        lock_lease(side, taken[1].job_id)
        renewal = race.start(lambda: race.store.renew(WORKER, [held(one) for one in taken]))
        race.wait_until_blocked(side, renewal)
        side.roll_back()
        renewal.result(10)


def test_mutant_without_the_second_look_the_locked_lease_seems_lost(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "standing", "lease.job_id = asked.job_id", "false")
    taken = start_many(race.store, 3)
    with race.uncommitted() as side:
        lock_lease(side, taken[1].job_id)
        renewal = race.store.renew(WORKER, [held(one) for one in taken])
    assert renewal.lost == {taken[1].job_id}


def test_reclaim_goes_past_a_lease_that_is_just_being_finished(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with race.uncommitted() as side:
        assert settle(side.store, taken, "succeeded") == "settled"
        reclaiming = race.start(lambda: reclaim(race.store))
        assert reclaiming.result(10) == {}
        side.commit()
    assert look(race.store, taken.job_id).state is State.SUCCEEDED
    assert places(tables, taken.job_id) == []


def test_mutant_without_skip_locked_the_reclaim_waits_for_the_worker(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "reclaim", "SKIP LOCKED")
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with race.uncommitted() as side:
        settle(side.store, taken, "succeeded")
        reclaiming = race.start(lambda: reclaim(race.store))
        race.wait_until_blocked(side, reclaiming)
        side.commit()
        assert reclaiming.result(10) == {}


def test_a_finish_that_waited_for_a_reclaim_changes_nothing(race: PostgresRace) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    answer = race.run_beside(reclaim, lambda: settle(race.store, taken, "succeeded"))
    assert answer != "settled"
    assert [one.outcome for one in race.store.history(taken.job_id)] == ["lapsed"]


def test_a_finish_that_waited_for_a_reclaim_that_was_rolled_back_settles(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    answer = race.run_beside(reclaim, lambda: settle(race.store, taken, "succeeded"), commits=False)
    assert answer == "settled"


def test_a_renewal_that_waited_for_nothing_does_not_bring_a_reclaimed_lease_back(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    pass_time(race.store, LEASE_SECONDS + 1)
    with race.uncommitted() as side:
        reclaim(side.store)
        assert race.store.renew(WORKER, [held(taken)]).lost == frozenset()  # not committed yet
        side.commit()
    assert race.store.renew(WORKER, [held(taken)]).lost == {taken.job_id}
    assert look(race.store, taken.job_id).state is State.QUEUED


def renew_between_look_and_reclaim(store: Store) -> dict[JobId, State]:
    taken = start_one(store)
    pass_time(store, LEASE_SECONDS + 1)
    seen = store.lapsed(limit=10)
    assert [one.job_id for one in seen] == [taken.job_id]
    store.renew(WORKER, [held(taken)])
    pass_time(store, LEASE_SECONDS + 1)  # and it has lapsed again: only its end tells
    return store.reclaim([(one, 0.0) for one in seen])


def test_a_lease_that_was_renewed_since_it_was_seen_is_not_taken(store: Store) -> None:
    assert renew_between_look_and_reclaim(store) == {}


UNTIL = {
    "postgres": (
        "reclaim",
        "(extract(epoch FROM lease.until) * 1000000)::bigint::text = asked.until",
    ),
    "sqlite": ("reclaim_outcome", "lease.until = seen.value ->> 1"),
}
FENCES = {
    "postgres": [(name, "lease.fence = said.fence", "true") for name in ("finish", "succeed")],
    "sqlite": [("settle_outcome", "lease.fence = said.value ->> 'fence'", "true")],
}


def kind_of(store: Store) -> str:
    return "sqlite" if store.url.startswith("sqlite") else "postgres"


def test_mutant_without_the_match_of_its_end_a_live_lease_is_taken(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    name, guard = UNTIL[kind_of(store)]
    mutate(monkeypatch, name, guard, "true")
    assert list(renew_between_look_and_reclaim(store).values()) == [State.QUEUED]


RESULTS = pytest.mark.parametrize("result", [None, raw(1)], ids=["plain", "with a result"])


def write_late(store: Store, result: msgspec.Raw | None) -> tuple[str, State]:
    """Settle by a lease that lapsed, after the same worker has claimed the job again."""
    old = start_one(store)
    lapse(store)
    promote(store)
    new = claim_one(store, suspects=True)
    assert (new.job_id, new.fence > old.fence) == (old.job_id, True)
    answer = settle(store, old, "succeeded", result=result)
    return answer, look(store, old.job_id).state


@RESULTS
def test_a_late_write_by_an_old_lease_changes_nothing(
    store: Store, result: msgspec.Raw | None
) -> None:
    answer, state = write_late(store, result)
    assert (answer != "settled", state) == (True, State.RUNNING)


@RESULTS
def test_mutant_without_the_fence_a_late_write_ends_the_job(
    store: Store, monkeypatch: pytest.MonkeyPatch, result: msgspec.Raw | None
) -> None:
    for fence in FENCES[kind_of(store)]:
        mutate(monkeypatch, *fence)
    _, state = write_late(store, result)
    assert state is State.SUCCEEDED


def test_many_reclaims_and_finishes_at_once_leave_each_job_to_one(store: Store) -> None:
    taken = start_many(store, 40)
    pass_time(store, LEASE_SECONDS + 1)
    seen = store.lapsed(limit=100)
    start = threading.Barrier(3)
    taken_back: list[JobId] = []
    answers: dict[JobId, str] = {}

    def finish() -> None:
        start.wait(10)
        answers.update({one.job_id: settle(store, one, "succeeded") for one in taken})

    def take_back() -> None:
        start.wait(10)
        for one in reversed(seen):
            taken_back.extend(store.reclaim([(one, 0.0)]))

    threads = [threading.Thread(target=each) for each in (finish, take_back, take_back)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    settled = {job_id for job_id, answer in answers.items() if answer == "settled"}
    assert len(taken_back) == len(set(taken_back))
    assert settled.isdisjoint(taken_back)
    assert settled | set(taken_back) == {one.job_id for one in taken}
    assert claim(store) == []
