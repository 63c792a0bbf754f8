"""Whose turn it is: shares by weight, a share's lanes in turn, the higher priority first."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.model.lanes import ENDLESS, Ask, LaneSeen, read_place
from leasehold.model.values import Want
from leasehold.worker.ring import Ring
from tests.conformance.kit import place_of

A, B, C = place_of("", share="a"), place_of("", share="b"), place_of("", share="c")
WEIGHTS = {A: 3, B: 1, C: 2}
WANTS = [Want("default", 500)]


def seen(
    place: str, *, room: int = ENDLESS, weight: int = 1, age: float = 0.0, most: int = ENDLESS
) -> LaneSeen:
    return LaneSeen(place=place, age_seconds=age, weight=weight, room=room, most=most)


def ring_of(*lanes: LaneSeen | str) -> Ring:
    ring = Ring()
    for lane in lanes:
        ring.learn(seen(lane) if isinstance(lane, str) else lane)
    return ring


def drawn(ring: Ring, room: int, **want: Any) -> dict[str, int]:
    """Draw from one queue, without taking note of what it gave."""
    return {ask.place: ask.most for ask in ring.draw([Want("default", room, **want)], room)}


def claimed(ring: Ring, room: int) -> Counter[str]:
    """Claim: every lane has as many jobs as it is asked for."""
    asks = ring.draw(WANTS, room)
    taken = Counter({ask.place: ask.most for ask in asks})
    ring.note(asks, taken)
    return taken


# -- shares --------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("room", "claims"), [(1, 600), (2, 300), (7, 60), (16, 30), (500, 6)], ids=str
)
def test_weights_hold_exactly_for_every_size_of_a_claim(room: int, claims: int) -> None:
    ring = ring_of(*(seen(place, weight=weight) for place, weight in WEIGHTS.items()))
    starts: Counter[str] = Counter()
    for _ in range(claims):
        starts += claimed(ring, room)
    assert starts[A] == 3 * starts[B]
    assert starts[C] == 2 * starts[B]
    assert starts.total() == claims * room


def test_weights_hold_when_claims_differ_in_size() -> None:
    ring = ring_of(A, seen(B, weight=3))
    starts: Counter[str] = Counter()
    for room in (1, 8) * 40:
        starts += claimed(ring, room)
    assert starts == {A: 90, B: 270}


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=6), st.lists(st.integers(1, 40), min_size=30)
)
def test_no_share_is_ever_more_than_a_turn_ahead_of_another(
    weights: list[int], rooms: list[int]
) -> None:
    places = [place_of("", share=f"s{number}") for number in range(len(weights))]
    ring = ring_of(*(seen(place, weight=w) for place, w in zip(places, weights, strict=True)))
    starts: Counter[str] = Counter()
    for room in rooms:
        starts += claimed(ring, room)
        served = [starts[place] / weight for place, weight in zip(places, weights, strict=True)]
        assert max(served) - min(served) <= 1


@given(st.lists(st.integers(1, 40), min_size=1), st.lists(st.integers(1, 1_000), min_size=1))
def test_a_claim_is_asked_for_as_much_as_there_is_room(
    rooms: list[int], weights: list[int]
) -> None:
    ring = ring_of(
        *(seen(place_of("", share=f"s{n}"), weight=weight) for n, weight in enumerate(weights))
    )
    for room in rooms:
        assert claimed(ring, room).total() == room


@pytest.mark.parametrize("room", [1, 2, 7, 16, 500])
def test_a_share_with_one_job_among_many_comes_next(room: int) -> None:
    ring = ring_of(A)
    claimed(ring, room)
    ring.learn(seen(B))
    assert B in claimed(ring, room) + claimed(ring, room)


@pytest.mark.parametrize("room", [2, 7, 16, 500])
def test_a_claim_with_room_for_all_shares_leaves_none_out(room: int) -> None:
    assert set(drawn(ring_of(A, B), room)) == {A, B}


def test_a_turn_that_was_cut_short_goes_on_with_the_next_claim() -> None:
    ring = ring_of(seen(A, weight=3), B)
    assert [dict(claimed(ring, 2)) for _ in range(4)] == [
        {A: 2},
        {A: 1, B: 1},
        {A: 2},
        {A: 1, B: 1},
    ]


def test_a_share_that_has_nothing_left_leaves_its_room_to_the_others() -> None:
    ring = ring_of(seen(A, room=1, weight=3), B)
    assert claimed(ring, 8) == {A: 1, B: 7}
    assert claimed(ring, 8) == {B: 8}


def test_a_weight_that_was_changed_counts_when_it_is_seen() -> None:
    ring = ring_of(A, B)
    ring.learn(seen(A, weight=3))
    assert drawn(ring, 4) == {A: 3, B: 1}


def test_a_second_share_is_noticed() -> None:
    ring = ring_of(A, place_of("domain:a.com", share="a"))
    assert not ring.has_several_shares
    ring.learn(seen(B))
    assert ring.has_several_shares


# -- lanes ---------------------------------------------------------------------------------------
def test_lanes_of_one_share_take_turns() -> None:
    lanes = [place_of(f"domain:{name}") for name in "xyz"]
    ring = ring_of(*lanes)
    assert [next(iter(claimed(ring, 1))) for _ in range(6)] == lanes * 2


def test_a_lane_is_asked_for_no_more_than_its_room() -> None:
    hosts = [place_of("domain:a.com"), place_of("domain:b.com")]
    ring = ring_of(*(seen(host, room=2) for host in hosts))
    assert drawn(ring, 16) == dict.fromkeys(hosts, 2)


def test_shares_take_turns_however_many_lanes_one_has() -> None:
    many = [place_of(f"domain:{number}", share="many") for number in range(50)]
    one = place_of("domain:x", share="one")
    ring = ring_of(*(seen(lane, room=2) for lane in many), seen(one, room=2))
    first = claimed(ring, 4)
    assert first[one] == 2
    assert first.total() == 4


def test_a_lane_that_gave_less_than_asked_leaves() -> None:
    ring = ring_of(A, B)
    ring.note([Ask(A, 8), Ask(B, 8)], {A: 3, B: 8})
    assert drawn(ring, 16) == {B: 16}
    ring.note([Ask(B, 16)], {})
    assert ring.is_empty
    assert ring.draw(WANTS, 16) == []


def test_a_lane_whose_room_is_used_up_leaves() -> None:
    host = place_of("domain:a.com")
    ring = ring_of(seen(host, room=2))
    assert claimed(ring, 16) == {host: 2}
    assert ring.is_empty


def test_a_lane_with_room_left_stays() -> None:
    host = place_of("domain:a.com")
    ring = ring_of(seen(host, room=5))
    assert [dict(claimed(ring, 2)) for _ in range(3)] == [{host: 2}, {host: 2}, {host: 1}]
    assert ring.is_empty


def test_a_job_that_ends_here_brings_its_lane_back() -> None:
    host = place_of("domain:a.com", share="a")
    ring = ring_of(seen(host, room=1, weight=3))
    claimed(ring, 16)
    ring.free(host)
    assert drawn(ring, 16) == {host: 1}
    ring.free(host)
    assert drawn(ring, 16) == {host: 2}


def test_a_lane_that_was_brought_back_has_its_shares_weight() -> None:
    host = place_of("domain:a.com", share="a")
    ring = ring_of(seen(host, room=3, weight=3), B)
    ring.note([Ask(host, 3)], {host: 3})
    for _ in range(3):
        ring.free(host)
    assert drawn(ring, 4) == {B: 1, host: 3}


def test_a_freed_lane_of_a_share_nobody_saw_counts_once() -> None:
    ring = Ring()
    ring.free(A)
    assert drawn(ring, 16) == {A: 1}


def test_a_slot_that_was_freed_while_a_look_saw_it_free_is_one_slot() -> None:
    host = place_of("domain:a.com")
    ring = ring_of(seen(host, room=2, most=2))
    ring.free(host)
    assert drawn(ring, 16) == {host: 2}


def test_a_limit_that_was_raised_counts_from_the_next_look_on() -> None:
    host = place_of("domain:a.com")
    ring = ring_of(seen(host, room=1, most=1))
    ring.begin_look()
    ring.learn(seen(host, room=2, most=3))
    ring.free(host)
    assert drawn(ring, 16) == {host: 3}


def test_an_endless_lane_stays_endless() -> None:
    ring = ring_of(A)
    ring.free(A)
    assert drawn(ring, 500) == {A: 500}
    ring.note([Ask(A, 500)], {A: 500})
    assert drawn(ring, 500) == {A: 500}


# -- queues and priorities -----------------------------------------------------------------------
def test_a_higher_priority_goes_first() -> None:
    high = place_of("domain:a.com", priority=5, share="b")
    ring = ring_of(A, seen(high, room=3))
    assert drawn(ring, 2) == {high: 2}
    assert drawn(ring, 8) == {high: 3, A: 5}


def test_a_claim_may_want_high_priorities_only() -> None:
    high, low = place_of("", priority=5), place_of("", priority=-5)
    ring = ring_of(seen(high, room=1), A, low)
    assert drawn(ring, 8, least=5) == {high: 1}
    assert drawn(ring, 8, least=6) == {}
    assert set(drawn(ring, 8, least=0)) == {high, A}


def test_the_highest_priority_of_a_queue_is_known() -> None:
    ring = ring_of(A, place_of("", priority=5), place_of("", queue="mail", priority=9))
    assert (ring.top("default"), ring.top("mail"), ring.top("other")) == (5, 9, None)


def test_an_old_level_overtakes_by_a_point_for_each_time_it_waited() -> None:
    high, old = seen(place_of("", priority=2), age=5), seen(place_of("", share="old"), age=35)
    ring = ring_of(high, old)
    assert drawn(ring, 1) == {high.place: 1}
    assert drawn(ring, 1, aging_seconds=20.0) == {high.place: 1}
    assert drawn(ring, 1, aging_seconds=10.0) == {old.place: 1}


def test_a_new_look_forgets_how_long_the_last_one_saw_them_wait() -> None:
    high, old = seen(place_of("", priority=2)), seen(place_of("", share="old"), age=35)
    ring = ring_of(high, old)
    ring.begin_look()
    ring.learn(seen(old.place, age=1))
    assert drawn(ring, 1, aging_seconds=10.0) == {high.place: 1}


def test_queues_are_asked_in_the_order_wanted_and_no_others() -> None:
    mail, other = place_of("", queue="mail"), place_of("", queue="other")
    ring = ring_of(A, mail, other)
    asks = ring.draw([Want("mail", 3), Want("default", 10)], 8)
    assert asks == [Ask(mail, 3), Ask(A, 5)]
    assert {read_place(ask.place).queue for ask in asks} == {"mail", "default"}


def test_an_empty_ring_asks_for_nothing() -> None:
    ring = Ring()
    assert ring.is_empty
    assert ring.draw(WANTS, 16) == []
    assert ring.top("default") is None


def test_one_share_is_enough_to_claim_less_ahead_and_a_throttle_alone_is_none() -> None:
    assert not ring_of(place_of("domain:a.com")).has_shares
    assert ring_of(place_of("domain:a.com"), A).has_shares
