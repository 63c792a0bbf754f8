"""Late writes of workers, and people's verbs, beside jobs of lanes that are just moving."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import Pause, Rule
from leasehold.model.states import State
from tests.conformance.kit import (
    HOST,
    WORKER,
    Place,
    bring,
    claim_lanes,
    declare,
    enqueue_one,
    held,
    lapse,
    look,
    new_jobs,
    pass_time,
    place_of,
    promote,
    settle,
    start_one,
    take_suspect,
)
from tests.conformance.tables import places
from tests.races.kit import mutate

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace

HERE = place_of(HOST)
API = "api"


@pytest.fixture(autouse=True)
def two_at_once(race: PostgresRace) -> None:
    declare(race.store, Rule(name="domain", running=2), Rule(name=API, rate=1e-6, burst=3.0))


# -- workers that lost their leases ----------------------------------------------------------------
def lose_a_lease(race: PostgresRace, lane: str) -> Claim:
    """Let a lease lapse, and the job be claimed again by the same worker; returns the old one."""
    taken = start_one(race.store, lane=lane)
    lapse(race.store)
    assert promote(race.store) == 1
    assert take_suspect(race.store).job_id == taken.job_id
    return taken


def pause_late(race: PostgresRace) -> bool:
    taken = lose_a_lease(race, HOST)
    return race.store.pause_lane(WORKER, held(taken), Pause(seconds=60.0))


def test_a_worker_that_lost_its_lease_pauses_nothing(race: PostgresRace, tables: Tables) -> None:
    assert not pause_late(race)
    assert [row["name"] for row in tables.rows("throttle")] == [API, "domain"]


def test_mutant_without_the_fence_it_pauses_the_key(
    race: PostgresRace, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "pause_lane", "AND lease.fence = %(fence)s", "AND %(fence)s::bigint > 0")
    assert pause_late(race)
    assert HOST in [row["name"] for row in tables.rows("throttle")]


def spend_late(race: PostgresRace, tables: Tables) -> list[float]:
    taken = lose_a_lease(race, API)
    assert settle(race.store, taken, "succeeded", spent=2.5, elapsed_seconds=1.0) == "lost"
    return [row["amount"] for row in tables.rows("charge")]


def test_a_worker_that_lost_its_lease_charges_nothing(race: PostgresRace, tables: Tables) -> None:
    assert spend_late(race, tables) == []


def test_mutant_a_charge_that_does_not_read_what_was_ended_is_not_fenced(
    race: PostgresRace, tables: Tables, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(
        monkeypatch,
        "finish",
        "  SELECT lane, tenant, coalesce(spent, 0) - cost\n  FROM ended\n",
        "  SELECT lane, tenant, coalesce(spent, 0) - cost\n"
        "  FROM leasehold.lease"
        " CROSS JOIN (SELECT 2.5 AS spent, '' AS outcome, 1.0 AS elapsed_seconds) AS said\n",
    )
    assert spend_late(race, tables) == [1.5]


# -- people beside claims --------------------------------------------------------------------------
def _cancel(store: Store, job_id: Any) -> object:
    return store.cancel(job_id, by="ops")


VERBS: dict[str, tuple[Callable[[Store, Any], object], object]] = {
    "cancel": (_cancel, State.RUNNING),
    "delete": (lambda store, job_id: store.delete(job_id), State.RUNNING),
    "reprioritise": (lambda store, job_id: store.reprioritise(job_id, 5), State.RUNNING),
}


@pytest.mark.parametrize("verb", VERBS)
def test_people_meet_a_job_that_is_just_leaving_its_lane(
    race: PostgresRace, tables: Tables, verb: str
) -> None:
    act, after = VERBS[verb]
    job_id, _ = bring(race.store, Place.BLOCKED)
    answer = race.run_beside(
        lambda store: claim_lanes(store, HERE), lambda: act(race.store, job_id)
    )
    assert answer is after
    assert places(tables, job_id) == ["lease"]


@pytest.mark.parametrize("verb", VERBS)
def test_people_meet_a_job_that_just_falls_due_into_its_lane(
    race: PostgresRace, tables: Tables, verb: str
) -> None:
    act, _ = VERBS[verb]
    job_id = enqueue_one(race.store, lane=HOST, delay_seconds=1.0)
    pass_time(race.store, 2)
    race.run_beside(promote, lambda: act(race.store, job_id))
    if verb == "delete":
        assert race.store.get(job_id) is None
    else:
        expected = State.CANCELLED if verb == "cancel" else State.BLOCKED
        assert look(race.store, job_id).state is expected
    assert places(tables, job_id) == (["waiting"] if verb == "reprioritise" else [])


def test_cancel_meets_a_job_that_is_just_handed_back_to_its_lane(
    race: PostgresRace, tables: Tables
) -> None:
    taken = start_one(race.store, lane=HOST)
    state = race.run_beside(
        lambda store: settle(store, taken, "released"),
        lambda: race.store.cancel(taken.job_id, by="ops"),
    )
    assert state is State.CANCELLED
    assert places(tables, taken.job_id) == []


def test_a_claim_passes_a_job_that_somebody_is_just_cancelling(race: PostgresRace) -> None:
    first, second = new_jobs(2, lane=HOST)
    race.store.enqueue([first, second])
    with race.uncommitted() as side:
        side.store.cancel(first.id, by="ops")
        found = race.start(lambda: claim_lanes(race.store, HERE, most=1)).result(5)
        assert [one.job_id for one in found] == [second.id]
        side.commit()
