"""Throttles: at most so many of a key run at once, whoever asks and for whichever lane."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import ENDLESS, Rule
from leasehold.model.states import State
from tests.conformance.kit import (
    HOST,
    LEASE_SECONDS,
    OTHER,
    OTHER_HOST,
    RULE,
    WORKER,
    claim,
    claim_lanes,
    declare,
    enqueue_apart,
    enqueue_one,
    look,
    look_lanes,
    new_jobs,
    pass_time,
    place_of,
    reclaim,
    settle,
    start_one,
    take_lanes,
    take_one,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.lanes import ThrottleInfo
    from leasehold.model.values import Claim
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

IN_HOST = place_of(HOST)


def ids(claims: Sequence[Claim]) -> list[JobId]:
    return [taken.job_id for taken in claims]


def info(store: Store, name: str) -> ThrottleInfo:
    (found,) = [throttle for throttle in store.throttles() if throttle.name == name]
    return found


@pytest.fixture(autouse=True)
def two_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))


def test_a_throttled_job_is_blocked_and_not_ready(store: Store, tables: Tables) -> None:
    job_id = enqueue_one(store, lane=HOST)

    assert look(store, job_id).state is State.BLOCKED
    assert places(tables, job_id) == ["waiting"]
    assert claim(store) == []


def test_a_claim_out_of_a_lane_carries_all_that_running_needs(store: Store) -> None:
    job_id = enqueue_one(
        store, lane=HOST, share="ada", priority=3, max_attempts=2, timeout_seconds=7.5, tenant="t"
    )

    taken = take_one(store, lease_seconds=30.0)
    assert (taken.job_id, taken.kind, taken.queue) == (job_id, "greet", "default")
    assert json.loads(taken.args) == {"name": "Ada"}
    assert (taken.attempt, taken.failures, taken.lapses) == (1, 0, 0)
    assert (taken.max_attempts, taken.timeout_seconds, taken.lease_seconds) == (2, 7.5, 30.0)
    assert (taken.tenant, taken.priority) == ("t", 3)
    assert taken.place == place_of(HOST, share="ada", priority=3)
    job = look(store, job_id)
    assert (job.state, job.worker, job.lane, job.share) == (State.RUNNING, WORKER, HOST, "ada")
    assert settle(store, taken, "succeeded") == "settled"


def test_a_key_never_runs_more_than_its_limit(store: Store) -> None:
    jobs = new_jobs(5, lane=HOST)
    store.enqueue(jobs)

    first, second = claim_lanes(store, IN_HOST)
    assert claim_lanes(store, IN_HOST) == []
    settle(store, first, "succeeded")
    (third,) = claim_lanes(store, IN_HOST)
    settle(store, second, "succeeded")
    settle(store, third, "succeeded")
    assert len(claim_lanes(store, IN_HOST)) == 2


def test_a_limit_holds_for_all_lanes_of_a_key_in_one_claim(store: Store) -> None:
    for options in ({"priority": 5}, {"share": "ada"}, {"queue": "mail"}, {}):
        store.enqueue(new_jobs(3, lane=HOST, **options))

    lanes = [
        place_of(HOST, queue="mail"),
        place_of(HOST, priority=5),
        place_of(HOST),
        place_of(HOST, share="ada"),
    ]
    taken = claim_lanes(store, *lanes)
    assert [lease.queue for lease in taken] == ["mail", "mail"]
    assert claim_lanes(store, *lanes) == []


def test_one_lane_asked_for_twice_in_one_claim_gives_its_room_once(store: Store) -> None:
    store.enqueue(new_jobs(5, lane=HOST))
    assert len(claim_lanes(store, IN_HOST, IN_HOST)) == 2


def test_a_key_is_counted_over_all_queues_and_workers(store: Store) -> None:
    store.enqueue([*new_jobs(2, lane=HOST, queue="a"), *new_jobs(2, lane=HOST, queue="b")])

    assert len(take_lanes(store, WORKER, 1, queues=["a"])) == 1
    assert len(take_lanes(store, OTHER, queues=["b"])) == 1
    for worker in (WORKER, OTHER):
        assert take_lanes(store, worker, queues=["a", "b"]) == []


def test_each_key_of_a_rule_has_the_limit_for_itself(store: Store) -> None:
    store.enqueue([*new_jobs(3, lane=HOST), *new_jobs(3, lane=OTHER_HOST)])
    assert len(take_lanes(store)) == 4


def test_a_rule_may_be_a_key_itself(store: Store) -> None:
    declare(store, Rule(name="gpu", running=1))
    store.enqueue(new_jobs(3, lane="gpu"))
    assert len(take_lanes(store)) == 1


def test_per_worker_counts_this_worker_only(store: Store) -> None:
    declare(store, Rule(name="gpu", per_worker=1))
    store.enqueue(new_jobs(5, lane="gpu"))

    (mine,) = claim_lanes(store, place_of("gpu"))
    (theirs,) = claim_lanes(store, place_of("gpu"), worker=OTHER)
    assert (take_lanes(store), take_lanes(store, OTHER)) == ([], [])
    settle(store, theirs, "succeeded", worker=OTHER)
    assert take_lanes(store) == []
    settle(store, mine, "succeeded")
    assert len(take_lanes(store)) == 1


def test_the_lesser_of_a_rules_limits_counts(store: Store) -> None:
    declare(store, Rule(name="gpu", running=3, per_worker=2))
    store.enqueue(new_jobs(5, lane="gpu"))

    assert len(take_lanes(store)) == 2
    assert len(take_lanes(store, OTHER)) == 1


def test_a_blocked_key_hides_no_other(store: Store) -> None:
    blocked = new_jobs(50, lane=HOST)
    store.enqueue(blocked)
    take_lanes(store)
    pass_time(store, 1)
    free = enqueue_one(store, lane=OTHER_HOST)

    assert ids(take_lanes(store, limit=1)) == [free]
    assert ids(claim_lanes(store, IN_HOST, place_of(OTHER_HOST))) == []


def test_a_blocked_key_keeps_no_ready_job_back(store: Store) -> None:
    store.enqueue(new_jobs(50, lane=HOST, priority=9))
    plain = enqueue_one(store)
    assert ids(claim(store)) == [plain]


def test_order_within_a_key_is_priority_then_creation(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))
    plain = enqueue_apart(store, 2, lane=HOST)
    urgent = enqueue_apart(store, 2, lane=HOST, priority=7)
    idle = enqueue_apart(store, 1, lane=HOST, priority=-3)

    order = []
    for _ in range(5):
        taken = take_one(store)
        order.append(taken.job_id)
        settle(store, taken, "succeeded")
    assert order == [*urgent, *plain, *idle]


def test_a_claim_gives_the_lanes_in_the_order_asked_and_each_in_its_own(store: Store) -> None:
    here = enqueue_apart(store, 2, lane=HOST)
    there = enqueue_apart(store, 2, lane=OTHER_HOST)
    assert ids(claim_lanes(store, place_of(OTHER_HOST), IN_HOST)) == [*there, *here]


def test_a_claim_takes_no_more_than_its_limit_and_each_lanes_most(store: Store) -> None:
    here, there = new_jobs(2, lane=HOST), new_jobs(2, lane=OTHER_HOST)
    store.enqueue([*here, *there])

    lanes = (IN_HOST, place_of(OTHER_HOST))
    assert ids(claim_lanes(store, *lanes, limit=3, most=1)) == [here[0].id, there[0].id]
    assert ids(claim_lanes(store, *lanes, limit=1)) == [here[1].id]
    assert claim_lanes(store, *lanes, limit=0) == []


def test_lanes_without_jobs_and_no_lanes_at_all_give_nothing(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    assert claim_lanes(store, place_of(OTHER_HOST), place_of(HOST, priority=1)) == []
    assert claim_lanes(store) == []
    assert claim_lanes(store, place_of(HOST, queue="elsewhere")) == []


def test_a_look_tells_the_room_of_each_lane(store: Store) -> None:
    store.enqueue([*new_jobs(5, lane=HOST), *new_jobs(1, lane=OTHER_HOST)])
    assert [lane.room for lane in look_lanes(store)] == [2, 2]
    claim_lanes(store, IN_HOST, most=1)
    assert [lane.room for lane in look_lanes(store)] == [1, 2]
    claim_lanes(store, IN_HOST)
    closed, opened = look_lanes(store)
    assert (closed.place, closed.room, opened.room) == (IN_HOST, 0, 2)
    assert closed.opens_seconds is None  # when one of them ends, which nobody knows


def test_a_look_tells_how_many_may_run_at_once_however_many_do(store: Store) -> None:
    store.enqueue([*new_jobs(5, lane=HOST), *new_jobs(1, lane="", share="ada")])
    seen = {lane.place: lane for lane in look_lanes(store)}
    assert {lane.most for lane in seen.values()} == {2, ENDLESS}
    claim_lanes(store, IN_HOST, most=1)
    assert {lane.place: lane.most for lane in look_lanes(store)}[IN_HOST] == 2


def test_a_look_tells_how_long_the_first_of_a_lane_waits(store: Store) -> None:
    enqueue_one(store, lane=HOST)
    pass_time(store, 1000)
    enqueue_one(store, lane=HOST)

    (seen,) = look_lanes(store)
    assert 1000 <= seen.age_seconds < 1100


def test_a_look_takes_nothing(store: Store) -> None:
    store.enqueue(new_jobs(2, lane=HOST))
    look_lanes(store)
    assert len(take_lanes(store)) == 2


def test_a_lane_without_a_throttle_has_no_end_of_room(store: Store) -> None:
    store.enqueue(new_jobs(50, lane="", share="ada"))
    assert look_lanes(store)[0].room == ENDLESS
    assert len(take_lanes(store)) == 50


def test_a_lapsed_lease_frees_its_slot_at_the_reclaim(store: Store) -> None:
    declare(store, Rule(name=RULE, running=1))
    start_one(store, lane=HOST)
    waiting = enqueue_one(store, lane=HOST)
    pass_time(store, LEASE_SECONDS + 1)

    assert claim_lanes(store, IN_HOST) == []  # it may still run: only the reclaim takes its right
    reclaim(store)
    assert ids(claim_lanes(store, IN_HOST)) == [waiting]
