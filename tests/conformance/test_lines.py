"""Lines: short jobs of a key that one slot is taken for, of which each runs behind another."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from leasehold.model.lanes import LONGEST_LINE, Ask, Pause, Rule, RuleChange
from leasehold.model.quotas import QuotaChange
from leasehold.model.states import State
from leasehold.store.base import Answer
from tests.conformance.kit import (
    GREET,
    HOST,
    LEASE_SECONDS,
    OTHER,
    OTHER_HOST,
    RULE,
    WORKER,
    claim_lanes,
    declare,
    enqueue_apart,
    held,
    lapse,
    look,
    look_lanes,
    place_of,
    promote,
    settle,
    take_suspect,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

HOUR = 3600.0


@pytest.fixture(autouse=True)
def two_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))


def take(
    store: Store,
    *places: str,
    most: int = 2,
    limit: int = 100,
    short: Sequence[str] = (GREET,),
    kinds: Sequence[str] = (GREET,),
    **named: Any,
) -> list[Claim]:
    return store.claim_lanes(
        WORKER,
        [Ask(place, most) for place in places or (place_of(HOST),)],
        limit=limit,
        leases=dict.fromkeys(kinds, LEASE_SECONDS),
        short=short,
        **named,
    ).claims


def lines(claims: Sequence[Claim]) -> list[list[JobId]]:
    """Say who runs behind whom: a line for each that may start at once."""
    following = {each.behind: each.job_id for each in claims}
    found = []
    for head in [each.job_id for each in claims if each.behind is None]:
        line = [head]
        while line[-1] in following:
            line.append(following[line[-1]])
        found.append(line)
    assert sum(map(len, found)) == len(claims)
    return found


def room(store: Store, lane: str = HOST) -> int:
    return next((each.room for each in look_lanes(store) if each.place == place_of(lane)), 0)


def test_short_jobs_are_dealt_to_the_slots_in_turns(store: Store) -> None:
    jobs = enqueue_apart(store, 7, lane=HOST)
    claims = take(store)
    assert [each.job_id for each in claims] == jobs
    assert lines(claims) == [jobs[0::2], jobs[1::2]]
    assert {look(store, each).state for each in jobs} == {State.RUNNING}


def test_a_line_is_no_longer_than_it_may_be(store: Store) -> None:
    jobs = enqueue_apart(store, 2 * LONGEST_LINE + 3, lane=HOST)
    assert [len(line) for line in lines(take(store))] == [LONGEST_LINE, LONGEST_LINE]
    assert take(store) == []
    assert look(store, jobs[-1]).state is State.BLOCKED


def test_lines_are_longer_where_other_keys_that_were_asked_for_have_no_slot(store: Store) -> None:
    enqueue_apart(store, 20, lane=HOST)
    enqueue_apart(store, 20, lane=OTHER_HOST)
    claims = take(store, place_of(HOST), place_of(OTHER_HOST), limit=16)
    assert [len(line) for line in lines(claims)] == [4, 4, 4, 4]
    for claim in claims:
        if claim.place == place_of(HOST):
            settle(store, claim, "succeeded")
    more = take(store, place_of(HOST), place_of(OTHER_HOST), limit=12)
    assert [len(line) for line in lines(more)] == [6, 6]


def test_slots_for_all_that_there_is_room_for_are_taken_for_a_job_each(store: Store) -> None:
    enqueue_apart(store, 20, lane=HOST)
    assert len(take(store, most=9, limit=9)) == 2


def test_jobs_that_have_a_slot_each_stand_behind_nobody(store: Store) -> None:
    enqueue_apart(store, 2, lane=HOST)
    assert [each.behind for each in take(store)] == [None, None]


def test_each_key_has_its_own_lines(store: Store) -> None:
    here = enqueue_apart(store, 5, lane=HOST)
    there = enqueue_apart(store, 3, lane=OTHER_HOST)
    claims = take(store, place_of(OTHER_HOST), place_of(HOST))
    dealt = [there[0::2], there[1::2], here[0::2], here[1::2]]
    assert sorted(lines(claims)) == sorted(dealt)


def test_one_slot_that_was_asked_for_is_one_line(store: Store) -> None:
    jobs = enqueue_apart(store, 6, lane=HOST)
    assert lines(take(store, most=1)) == [jobs]
    others = enqueue_apart(store, 3, lane=HOST)
    assert lines(take(store)) == [others]


@pytest.mark.parametrize("limit", range(1, 8))
def test_a_claim_takes_no_more_than_there_is_room_for_and_whole_lines(
    store: Store, limit: int
) -> None:
    jobs = enqueue_apart(store, 9, lane=HOST)
    claims = take(store, limit=limit)
    taken = [each.job_id for each in claims]
    assert taken == jobs[: len(taken)]
    assert limit // 2 * 2 <= len(taken) <= limit
    assert len(lines(claims)) == min(2, limit)
    for claim in claims[:-1]:
        settle(store, claim, "succeeded")
    assert room(store) == 1  # the other slot is the last one's still


def test_a_claim_of_many_lanes_takes_no_more_than_there_is_room_for(store: Store) -> None:
    for lane in (HOST, OTHER_HOST, "domain:c.com"):
        enqueue_apart(store, 9, lane=lane)
    places = [place_of(lane) for lane in (HOST, OTHER_HOST, "domain:c.com")]
    claims = take(store, *places, limit=13)
    assert 12 <= len(claims) <= 13


def test_the_last_of_a_line_has_its_slot_in_whatever_order_the_others_end(store: Store) -> None:
    enqueue_apart(store, 12, lane=HOST)
    claims = take(store, limit=6)
    *others, first, second = claims
    for claim in reversed(others):
        assert settle(store, claim, "succeeded") is Answer.SETTLED
        assert (take(store), room(store)) == ([], 0)
    settle(store, first, "succeeded")
    assert room(store) == 1
    settle(store, second, "released")
    assert room(store) == 2


def test_what_is_handed_back_comes_again_in_its_lane(store: Store) -> None:
    jobs = enqueue_apart(store, 6, lane=HOST)
    for claim in take(store):
        settle(store, claim, "released")
    assert {look(store, each).state for each in jobs} == {State.BLOCKED}
    assert sorted(each.job_id for each in take(store)) == sorted(jobs)


def test_a_line_that_lapsed_leaves_its_slot_and_each_job_comes_back_alone(store: Store) -> None:
    jobs = enqueue_apart(store, 4, lane=HOST)
    take(store, most=1)
    assert len(lapse(store)) == 4
    promote(store)
    assert take_suspect(store).job_id in jobs
    assert take(store) == []


def test_a_job_in_the_way_takes_the_slot_and_those_behind_it_can_go(store: Store) -> None:
    jobs = enqueue_apart(store, 4, lane=HOST)
    first, *behind = take(store, most=1)
    assert store.hold_slot(WORKER, held(first))
    for claim in behind:
        settle(store, claim, "released")
    assert room(store) == 1
    assert lines(take(store)) == [jobs[1:]]
    settle(store, first, "succeeded")
    assert look(store, jobs[0]).state is State.SUCCEEDED


def test_only_who_has_the_lease_can_hold_its_slot(store: Store) -> None:
    enqueue_apart(store, 3, lane=HOST)
    first, *_ = take(store, most=1)
    assert not store.hold_slot(OTHER, held(first))
    lapse(store)
    assert not store.hold_slot(WORKER, held(first))


def test_a_job_in_a_line_can_pause_its_key(store: Store) -> None:
    enqueue_apart(store, 10, lane=HOST)
    first, *_ = take(store, limit=4)
    assert store.pause_lane(WORKER, held(first), Pause(seconds=HOUR, by="job"))
    assert take(store) == []


def test_a_kind_that_is_not_short_stands_in_no_line_nor_anybody_behind_it(store: Store) -> None:
    enqueue_apart(store, 1, lane=HOST)
    enqueue_apart(store, 1, lane=HOST, kind="long")
    enqueue_apart(store, 3, lane=HOST)
    known = (GREET, "long")
    assert [each.behind for each in take(store, kinds=known)] == [None, None]


def test_where_one_of_the_next_jobs_is_not_short_there_is_no_line(store: Store) -> None:
    jobs = enqueue_apart(store, 5, lane=HOST)
    enqueue_apart(store, 1, lane=HOST, kind="long")
    assert lines(take(store, kinds=(GREET, "long"))) == [[jobs[0]], [jobs[1]]]


def test_without_short_kinds_there_are_no_lines(store: Store) -> None:
    enqueue_apart(store, 6, lane=HOST)
    claims = take(store, short=())
    assert [each.behind for each in claims] == [None, None]


def test_an_unknown_kind_among_short_ones_is_set_aside(store: Store) -> None:
    enqueue_apart(store, 1, lane=HOST, kind="strange")
    jobs = enqueue_apart(store, 3, lane=HOST)
    found = [*take(store), *take(store)]
    assert sorted(each.job_id for each in found) == sorted(jobs)
    aside = claim_lanes(store, place_of(HOST, stage="=strange"), kinds=["strange"])
    assert len(found) - len([each for each in found if each.behind]) + len(aside) <= 2


HOLDS: dict[str, Callable[[Store], object]] = {
    "limit of the queue": lambda store: store.limit_queue("default", running=3, by=None),
    "quota of the tenant": lambda store: store.set_quota("acme", QuotaChange(running=3)),
    "rate": lambda store: store.change_throttle(HOST, RuleChange(rate=1e-6, burst=3.0)),
}


@pytest.mark.parametrize("hold", HOLDS.values(), ids=HOLDS)
def test_where_anything_else_counts_there_are_no_lines(
    store: Store, hold: Callable[[Store], object]
) -> None:
    jobs = enqueue_apart(store, 9, lane=HOST, tenant="acme")
    hold(store)
    places = [place_of(HOST), place_of(HOST, stage="@acme")]
    claims = take(store, *places, limited=["default"]) + take(store, *places, limited=["default"])
    assert {each.behind for each in claims} == {None}
    assert {each.job_id for each in claims} == set(jobs[:2])


def test_a_limit_that_is_raised_opens_slots_beside_the_lines(store: Store) -> None:
    jobs = enqueue_apart(store, 5 * LONGEST_LINE, lane=HOST)
    take(store)
    store.change_throttle(HOST, RuleChange(running=3, by="ops"))
    assert lines(take(store)) == [jobs[2 * LONGEST_LINE : 3 * LONGEST_LINE]]


def test_people_see_the_slots_that_are_used(store: Store) -> None:
    enqueue_apart(store, 9, lane=HOST)
    take(store)
    (rule,) = [each for each in store.throttles() if each.name == RULE]
    assert rule.running == 2
