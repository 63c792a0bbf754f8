"""Of a queue with a limit no more jobs run at once than it says, however they are claimed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import SUSPECTS, Ask, Pause, Rule
from leasehold.model.states import State
from leasehold.model.values import Only, Want
from leasehold.model.why import explain
from tests.conformance.kit import (
    GREET,
    HOST,
    LEASE_SECONDS,
    OTHER,
    RULE,
    STRANGE,
    WORKER,
    Place,
    bring,
    claim,
    declare,
    enqueue_one,
    lapse,
    look,
    make_batch,
    new_job,
    new_jobs,
    place_of,
    promote,
    reclaim,
    settle,
    start_many,
    start_one,
)

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.lanes import QueueInfo
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

QUEUE = "default"


def take(
    store: Store,
    *,
    worker: WorkerId = WORKER,
    queues: Sequence[str] = (QUEUE,),
    limit: int = 100,
    kinds: Sequence[str] = (GREET,),
    suspects: bool = False,
    only: Only | None = None,
    limited: Collection[str] = (QUEUE,),
    lease_seconds: float = LEASE_SECONDS,
) -> list[Claim]:
    """Claim what is ready, knowing which queues have a limit."""
    return store.claim(
        worker,
        [Want(queue, limit, is_limited=queue in limited) for queue in queues],
        limit=limit,
        leases=dict.fromkeys(kinds, lease_seconds),
        is_for_suspects=suspects,
        only=only,
    )


def take_parked(store: Store, *, limit: int = 100, only: Only | None = None) -> list[Claim]:
    return store.claim_parked(
        OTHER,
        [Want(QUEUE, limit, is_limited=True)],
        limit=limit,
        leases=dict.fromkeys((GREET, STRANGE), LEASE_SECONDS),
        only=only,
    )


def take_lane(
    store: Store,
    *places: str,
    limit: int = 100,
    only: Only | None = None,
    limited: Collection[str] = (QUEUE,),
) -> list[Claim]:
    return store.claim_lanes(
        WORKER,
        [Ask(place, 100) for place in places],
        limit=limit,
        leases={GREET: LEASE_SECONDS},
        only=only,
        limited=limited,
    ).claims


def take_all(store: Store) -> list[Claim]:
    """Ask for whatever the queue has, in every way there is."""
    return [
        *take(store),
        *take(store, suspects=True),
        *take_parked(store),
        *take_lane(store, place_of(HOST)),
        *take_lane(store, place_of(HOST, stage=SUSPECTS)),
        *take_lane(store, place_of("", share="ada")),
    ]


def info(store: Store, name: str = QUEUE) -> QueueInfo | None:
    return next((queue for queue in store.queues() if queue.name == name), None)


@pytest.fixture
def full(store: Store) -> int:
    """A queue that has one job of each sort that could be claimed; returns how many."""
    declare(store, Rule(name=RULE, running=9))
    bring(store, Place.PARKED)
    start_one(store)
    start_one(store, lane=HOST)
    lapse(store)
    assert promote(store) == 2
    store.enqueue([new_job(), new_job(lane=HOST), new_job(lane="", share="ada")])
    return 6


@pytest.mark.parametrize("limit", [0, 1, 2, 3, 4, 5, 6, 7])
def test_all_sorts_of_jobs_count_for_one_limit(store: Store, full: int, limit: int) -> None:
    store.limit_queue(QUEUE, running=limit, by=None)
    taken = take_all(store)
    assert len(taken) == min(limit, full)
    assert take_all(store) == []
    for each in taken:
        settle(store, each, "succeeded", worker=OTHER if each.kind == STRANGE else WORKER)
    assert len(take_all(store)) == min(limit, full - len(taken))


@pytest.mark.parametrize("limit", [0, 1, 3])
def test_a_claim_narrowed_to_kinds_or_to_a_batch_obeys_it(store: Store, limit: int) -> None:
    declare(store, Rule(name=RULE, running=9))
    batch = make_batch(store)
    store.enqueue([*new_jobs(2, batch=batch), *new_jobs(2, batch=batch, lane=HOST)])
    store.enqueue(new_jobs(2, batch=batch, kind=STRANGE))
    assert claim(store, kinds=["other"]) == []  # parks them all
    store.enqueue(new_jobs(2, batch=batch))
    store.limit_queue(QUEUE, running=limit, by=None)
    narrow = Only(batch), Only(None, frozenset({GREET})), Only(batch, frozenset({GREET, STRANGE}))
    taken = [
        claimed
        for only in narrow
        for claimed in (
            *take(store, only=only),
            *take_parked(store, only=only),
            *take_lane(store, place_of(HOST), only=only),
        )
    ]
    assert len(taken) == limit
    store.limit_queue(QUEUE, running=None, by=None)
    assert len(take(store, only=Only(batch)) + take_parked(store, only=Only(batch))) > 0


def test_who_does_not_know_of_a_limit_gets_nothing_rather_than_too_much(
    store: Store, full: int
) -> None:
    store.limit_queue(QUEUE, running=100, by=None)
    assert claim(store) == claim(store, suspects=True) == []
    leases = {STRANGE: LEASE_SECONDS}
    assert store.claim_parked(OTHER, [Want(QUEUE, 9)], limit=9, leases=leases) == []
    assert take_lane(store, place_of(HOST), limited=()) == []
    assert len(take_all(store)) == full


def test_who_still_thinks_of_a_limit_that_is_gone_gets_all(store: Store, full: int) -> None:
    store.limit_queue(QUEUE, running=1, by=None)
    assert store.limit_queue(QUEUE, running=None, by=None)
    assert len(take_all(store)) == full


def test_what_ran_before_a_limit_was_set_counts(store: Store) -> None:
    before = start_many(store, 3)
    declare(store, Rule(name=RULE, running=9))
    in_lane = start_one(store, lane=HOST)
    store.enqueue(new_jobs(5))
    store.limit_queue(QUEUE, running=5, by=None)
    assert len(take(store)) == 1
    for each in (*before, in_lane):
        settle(store, each, "succeeded")
    assert len(take(store)) == 4


def test_what_ran_between_two_limits_counts(store: Store) -> None:
    store.limit_queue(QUEUE, running=5, by=None)
    store.limit_queue(QUEUE, running=None, by=None)
    start_many(store, 3)
    store.limit_queue(QUEUE, running=4, by=None)
    store.enqueue(new_jobs(5))
    assert len(take(store)) == 1


def test_a_lower_limit_lets_run_what_runs_and_starts_nothing_until_there_is_room(
    store: Store,
) -> None:
    store.limit_queue(QUEUE, running=4, by=None)
    store.enqueue(new_jobs(9))
    taken = take(store)
    assert len(taken) == 4
    store.limit_queue(QUEUE, running=2, by=None)
    assert take(store) == []
    for each, then in zip(taken, (0, 0, 1, 1), strict=True):
        assert settle(store, each, "succeeded") == "settled"
        assert len(take(store)) == then


def test_a_higher_limit_counts_at_once(store: Store) -> None:
    store.limit_queue(QUEUE, running=1, by=None)
    store.enqueue(new_jobs(9))
    assert len(take(store)) == 1
    store.limit_queue(QUEUE, running=4, by=None)
    assert len(take(store)) == 3


def test_a_lapsed_lease_holds_its_slot_until_it_is_taken_back(store: Store) -> None:
    store.limit_queue(QUEUE, running=1, by=None)
    store.enqueue(new_jobs(2))
    (taken,) = take(store, limit=1)
    store.skew_seconds += LEASE_SECONDS + 1
    assert take(store) == []
    assert reclaim(store) == {taken.job_id: State.QUEUED}
    assert len(take(store)) == 1


def test_each_queue_has_a_limit_of_its_own_and_the_others_none(store: Store) -> None:
    for queue in ("a", "b", "c", "d"):
        store.enqueue(new_jobs(4, queue=queue))
    store.limit_queue("b", running=1, by=None)
    store.limit_queue("c", running=2, by=None)
    taken = take(store, queues=["a", "b", "c", "d"], limited={"b", "c"})
    assert [each.queue for each in taken] == [*"aaaabcc", *"dddd"]


def test_wants_are_served_in_order_and_no_further_than_the_claim_may(store: Store) -> None:
    for queue in ("a", "b", "c"):
        store.enqueue(new_jobs(4, queue=queue))
    store.limit_queue("b", running=3, by=None)
    taken = take(store, queues=["a", "b", "c"], limit=6, limited={"b"})
    assert [each.queue for each in taken] == [*"aaaabb"]


def test_the_highest_priority_comes_first(store: Store) -> None:
    store.enqueue(new_jobs(2, priority=0) + new_jobs(2, priority=7) + new_jobs(2, priority=3))
    store.limit_queue(QUEUE, running=5, by=None)
    assert [each.priority for each in take(store)] == [7, 7, 3, 3, 0]


def test_an_unknown_kind_uses_up_no_slot(store: Store) -> None:
    store.limit_queue(QUEUE, running=2, by=None)
    store.enqueue(new_jobs(3, kind=STRANGE))
    store.enqueue(new_jobs(3))
    assert len([each for _ in range(5) for each in take(store)]) == 2
    assert store.parked_kinds() == {STRANGE: 3}


def test_a_paused_queue_with_a_limit_gives_nothing(store: Store, full: int) -> None:
    store.limit_queue(QUEUE, running=full, by=None)
    store.pause_queue(QUEUE, Pause())
    assert take_all(store) == []
    store.resume_queue(QUEUE)
    assert len(take_all(store)) == full


def test_a_limit_of_a_key_and_of_its_queue_both_hold(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))
    other = "domain:b.com"
    store.enqueue(new_jobs(5, lane=HOST) + new_jobs(5, lane=other))
    store.limit_queue(QUEUE, running=3, by=None)
    taken = take_lane(store, place_of(HOST), place_of(other))
    lanes = [each.place.rpartition("\x1f")[2] for each in taken]
    assert lanes == [HOST, HOST, other]


def test_a_full_queue_is_nothing_to_do(store: Store, full: int) -> None:
    store.limit_queue(QUEUE, running=1, by=None)
    seen = store.survey([QUEUE, "mail"], [GREET, STRANGE])
    assert (seen.ready, seen.suspects, seen.parked, seen.lanes) == (True, True, True, True)
    assert seen.rooms == {QUEUE: 1}
    (taken,) = take(store)
    seen = store.survey([QUEUE, "mail"], [GREET, STRANGE])
    assert (seen.ready, seen.suspects, seen.parked, seen.lanes) == (False, False, False, False)
    assert seen.rooms == {QUEUE: 0}
    settle(store, taken, "succeeded")
    assert store.survey([QUEUE], [GREET]).suspects
    assert store.survey(["mail"], [GREET]).rooms == {}
    assert full


def test_a_limit_is_shown_with_who_set_it_and_kept_beside_the_rest(store: Store) -> None:
    assert info(store) is None
    store.set_aging(QUEUE, aging_seconds=600.0)
    store.limit_queue(QUEUE, running=3, by="ada")
    store.enqueue(new_jobs(5))
    assert len(take(store, limit=2)) == 2
    store.pause_queue(QUEUE, Pause(reason="deploy"))
    shown = info(store)
    assert shown is not None
    assert (shown.running_limit, shown.limited_by, shown.running) == (3, "ada", 2)
    assert (shown.aging_seconds, shown.pause_reason) == (600.0, "deploy")
    assert store.limit_queue(QUEUE, running=None, by="bob")
    assert not store.limit_queue(QUEUE, running=None, by="bob")
    shown = info(store)
    assert shown is not None
    assert (shown.running_limit, shown.limited_by, shown.running) == (None, None, None)


def test_why_says_that_the_queue_is_full(store: Store) -> None:
    store.limit_queue(QUEUE, running=1, by=None)
    store.enqueue(new_jobs(1))
    waits = enqueue_one(store)
    (taken,) = take(store)
    facts = store.facts(waits)
    assert facts is not None
    assert (facts.queue_limit, facts.queue_running) == (1, 1)
    why = explain(facts)
    assert "queue_full" in {why.reason, *(cause.reason for cause in why.also)}
    settle(store, taken, "succeeded")
    facts = store.facts(waits)
    assert facts is not None
    assert facts.queue_running == 0
    assert look(store, waits).state is State.QUEUED
