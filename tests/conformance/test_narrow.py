"""Claims that are narrowed to a batch or to some kinds take nothing else, and park nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.ids import JobId
from leasehold.model.lanes import SUSPECTS, USUAL, Ask, Look, Pause, Rule, parked
from leasehold.model.states import State
from leasehold.model.values import Only, Want
from tests.conformance.kit import (
    GREET,
    HOST,
    OTHER,
    RULE,
    STRANGE,
    WORKER,
    Place,
    bring,
    claim,
    declare,
    enqueue_apart,
    enqueue_one,
    lapse,
    look,
    make_batch,
    new_id,
    promote,
    settle,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from leasehold.model.values import Claim
    from leasehold.store.base import Store

SHORT, LONG = "short", "long"
LEASES = {GREET: 60.0, SHORT: 60.0, LONG: 30.0}


@pytest.fixture
def batch(store: Store) -> JobId:
    return make_batch(store)


def claim_only(
    store: Store, only: Only, *, limit: int = 100, suspects: bool = False, **options: Any
) -> list[Claim]:
    queues = options.pop("queues", ["default"])
    wants = [Want(queue, limit, **options) for queue in queues]
    return store.claim(
        WORKER, wants, limit=limit, leases=LEASES, is_for_suspects=suspects, only=only
    )


def claim_parked(store: Store, only: Only, limit: int = 100) -> list[Claim]:
    leases = {**LEASES, STRANGE: 60.0}
    return store.claim_parked(
        WORKER, [Want("default", limit)], limit=limit, leases=leases, only=only
    )


def take_lanes(
    store: Store, only: Only, *, stage: str = USUAL, kinds: Sequence[str] = (), limit: int = 100
) -> list[Claim]:
    seen = store.look_lanes(
        WORKER, [Look("default", stage)], parties=64, page=64, after={}, batch=only.batch
    )
    asks = [Ask(lane.place, min(limit, lane.room)) for lane in seen if lane.room > 0]
    leases = {**LEASES, **dict.fromkeys(kinds, 60.0)}
    return store.claim_lanes(WORKER, asks, limit=limit, leases=leases, only=only).claims


def ids(claims: Iterable[Claim]) -> list[JobId]:
    return [each.job_id for each in claims]


# -- ready jobs ------------------------------------------------------------------------------------
def test_a_batchs_claim_takes_its_members_in_order_and_no_other(store: Store, batch: JobId) -> None:
    enqueue_apart(store, 3)
    mine = enqueue_apart(store, 3, batch=batch)
    enqueue_apart(store, 2, batch=make_batch(store))
    first = enqueue_one(store, batch=batch, priority=5)

    assert ids(claim_only(store, Only(batch=batch))) == [first, *mine]
    assert claim_only(store, Only(batch=batch)) == []
    assert len(claim(store)) == 5


def test_a_lease_taken_for_a_batch_is_like_any_other(store: Store, batch: JobId) -> None:
    job_id = enqueue_one(store, batch=batch, kind=LONG)
    (taken,) = claim_only(store, Only(batch=batch))

    assert (taken.job_id, taken.kind, taken.lease_seconds, taken.attempt) == (job_id, LONG, 30.0, 1)
    assert look(store, job_id).batch == batch
    settle(store, taken, "succeeded")
    assert look(store, job_id).state is State.SUCCEEDED


def test_a_batchs_claim_keeps_to_its_queues_and_their_limits(store: Store, batch: JobId) -> None:
    for queue in ("a", "b", "c"):
        enqueue_apart(store, 3, batch=batch, queue=queue)
    wants = [Want("b", 2), Want("a", 10)]
    taken = store.claim(WORKER, wants, limit=4, leases=LEASES, only=Only(batch=batch))
    assert [each.queue for each in taken] == ["b", "b", "a", "a"]


def test_a_batchs_claim_takes_no_less_than_the_priority_wanted(store: Store, batch: JobId) -> None:
    low, high = (enqueue_one(store, batch=batch, priority=each) for each in (1, 3))
    assert ids(claim_only(store, Only(batch=batch), least=2)) == [high]
    assert ids(claim_only(store, Only(batch=batch))) == [low]


def test_a_member_of_an_unknown_kind_stays_where_it_is(store: Store, batch: JobId) -> None:
    job_id = enqueue_one(store, batch=batch, kind=STRANGE)
    assert claim_only(store, Only(batch=batch)) == []
    assert store.parked_kinds() == {}
    assert ids(claim(store, kinds=[STRANGE])) == [job_id]


def test_a_claim_for_kinds_takes_these_and_parks_no_other(store: Store) -> None:
    long = enqueue_apart(store, 3, kind=LONG)
    short = enqueue_apart(store, 2, kind=SHORT)
    enqueue_one(store, kind=STRANGE)

    assert ids(claim_only(store, Only(kinds=frozenset({SHORT, "unknown"})))) == short
    assert store.parked_kinds() == {}
    assert ids(claim(store, kinds=[LONG])) == long


def test_a_claim_for_kinds_keeps_to_the_order_of_queues_and_priorities(store: Store) -> None:
    enqueue_one(store, kind=LONG, queue="a", priority=9)
    expected = [
        enqueue_one(store, kind=SHORT, queue=queue, priority=priority)
        for queue, priority in (("b", 0), ("a", 5), ("a", 1))
    ]
    taken = claim_only(store, Only(kinds=frozenset({SHORT})), queues=["b", "a"])
    assert ids(taken) == expected


def test_a_claim_for_kinds_keeps_to_its_limits(store: Store) -> None:
    for queue in ("a", "b"):
        for priority in (0, 1):
            enqueue_apart(store, 2, kind=SHORT, queue=queue, priority=priority)
    only = Only(kinds=frozenset({SHORT}))
    wants = [Want("a", 3), Want("b", 9)]
    taken = store.claim(WORKER, wants, limit=4, leases=LEASES, only=only)
    assert [(each.queue, each.priority) for each in taken] == [
        ("a", 1),
        ("a", 1),
        ("a", 0),
        ("b", 1),
    ]


@pytest.mark.parametrize("kinds", [frozenset(), frozenset({STRANGE})])
def test_a_claim_for_no_known_kind_takes_nothing(store: Store, kinds: frozenset[str]) -> None:
    enqueue_one(store)
    enqueue_one(store, kind=STRANGE)
    assert claim_only(store, Only(kinds=kinds)) == []


def test_batch_and_kinds_restrict_together(store: Store, batch: JobId) -> None:
    enqueue_one(store, batch=batch, kind=LONG)
    enqueue_one(store, kind=SHORT)
    mine = enqueue_one(store, batch=batch, kind=SHORT)
    assert ids(claim_only(store, Only(batch=batch, kinds=frozenset({SHORT})))) == [mine]


@pytest.mark.parametrize("by", ["batch", "kinds"])
def test_a_paused_queue_gives_nothing(store: Store, batch: JobId, by: str) -> None:
    enqueue_one(store, batch=batch)
    only = Only(batch=batch) if by == "batch" else Only(kinds=frozenset({GREET}))
    store.pause_queue("default", Pause())
    assert claim_only(store, only) == []
    store.resume_queue("default")
    assert len(claim_only(store, only)) == 1


@pytest.mark.parametrize("by", ["batch", "kinds"])
def test_suspects_come_only_when_asked_for(store: Store, batch: JobId, by: str) -> None:
    job_id = enqueue_one(store, batch=batch)
    claim(store, worker=OTHER)
    lapse(store)
    promote(store)
    only = Only(batch=batch) if by == "batch" else Only(kinds=frozenset({GREET}))
    assert claim_only(store, only) == []
    assert claim_only(store, Only(batch=new_id()), suspects=True) == []
    assert ids(claim_only(store, only, suspects=True)) == [job_id]


# -- parked jobs -----------------------------------------------------------------------------------
def test_parked_members_are_taken_and_no_other(store: Store, batch: JobId) -> None:
    bring(store, Place.PARKED)
    mine = bring(store, Place.PARKED, batch=batch).job_id
    assert ids(claim_parked(store, Only(batch=batch))) == [mine]
    assert claim_parked(store, Only(batch=batch)) == []
    assert len(claim_parked(store, Only(kinds=frozenset({STRANGE})))) == 1


def test_parked_jobs_of_other_kinds_stay(store: Store, batch: JobId) -> None:
    bring(store, Place.PARKED, batch=batch)
    assert claim_parked(store, Only(batch=batch, kinds=frozenset({SHORT}))) == []
    assert claim_parked(store, Only(kinds=frozenset({SHORT}))) == []
    assert store.parked_kinds() == {STRANGE: 1}


# -- lanes -----------------------------------------------------------------------------------------
def test_members_in_lanes_are_seen_and_taken_and_no_other(store: Store, batch: JobId) -> None:
    declare(store, Rule(name=RULE, running=10))
    others = enqueue_apart(store, 3, lane=HOST)
    mine = enqueue_apart(store, 2, lane=HOST, batch=batch)
    elsewhere = enqueue_one(store, share="b", lane="", batch=batch)
    enqueue_one(store, lane="domain:only-others")

    assert set(ids(take_lanes(store, Only(batch=batch)))) == {*mine, elsewhere}
    assert take_lanes(store, Only(batch=batch)) == []
    assert set(others) <= set(ids(take_lanes(store, Only())))


def test_a_batchs_look_sees_closed_lanes_as_closed(store: Store, batch: JobId) -> None:
    declare(store, Rule(name=RULE, running=1))
    enqueue_one(store, lane=HOST)
    assert len(take_lanes(store, Only())) == 1
    enqueue_one(store, lane=HOST, batch=batch)
    (seen,) = store.look_lanes(WORKER, [Look("default")], parties=1, page=1, after={}, batch=batch)
    assert seen.room == 0
    asks, only = [Ask(seen.place, 5)], Only(batch=batch)
    assert store.claim_lanes(WORKER, asks, limit=5, leases=LEASES, only=only).claims == []


def test_a_batchs_look_of_a_paused_queue_says_when_it_opens(store: Store, batch: JobId) -> None:
    enqueue_one(store, lane="", share="a", batch=batch)
    store.pause_queue("default", Pause(seconds=60))
    (seen,) = store.look_lanes(WORKER, [Look("default")], parties=1, page=1, after={}, batch=batch)
    assert seen.room == 0
    assert seen.opens_seconds == pytest.approx(60, abs=5)


def test_the_limit_of_a_key_holds_for_narrowed_claims(store: Store, batch: JobId) -> None:
    declare(store, Rule(name=RULE, running=2))
    enqueue_apart(store, 5, lane=HOST, batch=batch)
    assert len(take_lanes(store, Only(batch=batch))) == 2
    assert take_lanes(store, Only(batch=batch)) == []


def test_kinds_in_a_lane_are_passed_over_and_not_set_aside(store: Store) -> None:
    declare(store, Rule(name=RULE, running=10))
    long = enqueue_apart(store, 2, kind=LONG, lane=HOST)
    short = enqueue_one(store, kind=SHORT, lane=HOST)
    enqueue_one(store, kind=STRANGE, lane=HOST)
    assert ids(take_lanes(store, Only(kinds=frozenset({SHORT})))) == [short]
    assert store.parked_kinds() == {}
    assert ids(take_lanes(store, Only(kinds=frozenset({LONG})))) == long


def test_members_that_were_set_aside_in_a_lane_are_found(store: Store, batch: JobId) -> None:
    declare(store, Rule(name=RULE, running=10))
    mine = bring(store, Place.PARKED, lane=HOST, batch=batch).job_id
    bring(store, Place.PARKED, lane=HOST)
    stage = parked(STRANGE)
    taken = take_lanes(store, Only(batch=batch), stage=stage, kinds=[STRANGE])
    assert ids(taken) == [mine]


def test_suspects_of_a_batch_in_a_lane_are_found(store: Store, batch: JobId) -> None:
    declare(store, Rule(name=RULE, running=10))
    mine = enqueue_one(store, lane=HOST, batch=batch)
    enqueue_one(store, lane=HOST)
    assert len(take_lanes(store, Only())) == 2
    lapse(store)
    promote(store)
    assert take_lanes(store, Only(batch=batch)) == []
    assert ids(take_lanes(store, Only(batch=batch), stage=SUSPECTS)) == [mine]
