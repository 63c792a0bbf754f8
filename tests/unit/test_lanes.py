"""What a lane has room for, and how its place is written: pure, so every corner is tried here."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.model.lanes import (
    ENDLESS,
    LONGEST_LINE,
    PAST,
    SEPARATOR,
    SUSPECTS,
    USUAL,
    LaneState,
    Place,
    head_of,
    line_length,
    names_of,
    own_lane,
    parked,
    party_of,
    read_place,
    room_of,
    shown_lane,
    tenant_of,
    tokens_of,
)
from leasehold.model.values import PRIORITY_LIMIT
from tests.conformance.kit import place_of

OPEN: dict[str, Any] = {
    "is_known": True,
    "is_paused": False,
    "running": 0,
    "here": 0,
    "running_limit": None,
    "per_worker": None,
}
texts = st.text(
    st.characters(exclude_categories=["C", "Z"]), max_size=8
)  # what may be printed, without a space
priorities = st.integers(-PRIORITY_LIMIT - 1, PRIORITY_LIMIT)


def state(**fields: Any) -> LaneState:
    return LaneState(**(OPEN | fields))


def test_without_a_limit_there_is_no_end_of_room() -> None:
    assert room_of(state(running=1000)) == ENDLESS


@pytest.mark.parametrize(("running", "room"), [(0, 2), (1, 1), (2, 0), (5, 0)])
def test_what_runs_takes_of_the_room_and_never_below_0(running: int, room: int) -> None:
    assert room_of(state(running_limit=2, running=running)) == room


@pytest.mark.parametrize(("here", "room"), [(0, 1), (1, 0), (3, 0)])
def test_a_workers_own_limit_counts_what_runs_there(here: int, room: int) -> None:
    assert room_of(state(per_worker=1, running=9, here=here)) == room


def test_the_lesser_of_two_limits_counts() -> None:
    assert room_of(state(running_limit=5, per_worker=2, running=1, here=1)) == 1
    assert room_of(state(running_limit=5, per_worker=9, running=4, here=1)) == 1


def test_a_limit_of_0_has_no_room() -> None:
    assert room_of(state(running_limit=0)) == 0
    assert room_of(state(per_worker=0)) == 0


@pytest.mark.parametrize("closed", [{"is_known": False}, {"is_paused": True}])
def test_what_nobody_declared_or_somebody_paused_has_no_room(closed: dict[str, Any]) -> None:
    assert room_of(state(**closed)) == 0
    assert room_of(state(**closed, running_limit=9)) == 0


def test_without_a_rate_tokens_have_no_end() -> None:
    assert tokens_of(state()) == math.inf


def test_a_full_bucket_holds_its_burst() -> None:
    assert tokens_of(state(rate=2.0, burst=10.0)) == 10.0
    assert tokens_of(state(rate=2.0, burst=10.0, used_seconds=-60.0)) == 10.0


def test_what_was_used_comes_back_at_the_rate() -> None:
    assert tokens_of(state(rate=2.0, burst=10.0, used_seconds=3.0)) == 4.0


def test_what_is_owed_is_missing_and_may_make_a_debt() -> None:
    assert tokens_of(state(rate=2.0, burst=10.0, used_seconds=3.0, owed=1.5)) == 2.5
    assert tokens_of(state(rate=2.0, burst=10.0, owed=25.0)) == -15.0


def test_what_comes_back_fills_no_bucket_beyond_its_burst() -> None:
    assert tokens_of(state(rate=2.0, burst=10.0, used_seconds=1.0, owed=-50.0)) == 10.0


@given(
    queue=texts,
    stage=st.sampled_from([USUAL, SUSPECTS, parked("mail.send")]),
    priority=priorities,
    share=texts,
    lane=texts,
)
def test_a_place_is_read_as_it_was_written(
    queue: str, stage: str, priority: int, share: str, lane: str
) -> None:
    text = place_of(lane, queue=queue, stage=stage, priority=priority, share=share)
    assert read_place(text) == Place(queue, stage, priority, share, lane)
    assert text == f"{party_of(text)}{SEPARATOR}{lane}"


@given(priorities, priorities)
def test_a_higher_priority_stands_in_front(one: int, other: int) -> None:
    places = [place_of("", priority=one), place_of("", priority=other)]
    assert sorted(places) == sorted(places, key=lambda text: -read_place(text).priority)


@given(priority=priorities, share=texts, lane=texts, queue=texts, other=texts)
def test_a_stage_holds_its_own_places_and_no_others(
    priority: int, share: str, lane: str, queue: str, other: str
) -> None:
    head = head_of(queue)

    def is_inside(text: str) -> bool:
        return head <= text < head + PAST

    assert is_inside(place_of(lane, queue=queue, priority=priority, share=share))
    assert not is_inside(place_of(lane, queue=queue, stage=SUSPECTS, share=share))
    assert not is_inside(place_of(lane, queue=queue, stage=parked("mail.send"), share=share))
    if other != queue:
        assert not is_inside(place_of(lane, queue=other, priority=priority, share=share))


@given(share=texts, other=texts, lane=texts, another=texts)
def test_skipping_a_party_skips_all_its_lanes_and_no_other_party(
    share: str, other: str, lane: str, another: str
) -> None:
    party = party_of(place_of(lane, share=share))
    assert place_of(another, share=share) < party + PAST
    if other != share:
        theirs = place_of(another, share=other)
        assert (theirs > party + PAST) == (other > share)


# -- whose own a key is ----------------------------------------------------------------------------
rules = texts.map(lambda text: "@" + text.replace(":", ""))


@given(st.tuples(rules, texts, texts), st.tuples(rules, texts, texts))
def test_no_two_tenants_rules_and_keys_make_the_same_lane(
    one: tuple[str, str, str], other: tuple[str, str, str]
) -> None:
    lanes = {own_lane(f"{rule}:{key}", tenant) for rule, tenant, key in (one, other)}
    assert len(lanes) == len({one, other})


@given(rules, texts, texts)
def test_a_lane_says_whose_it_is_and_what_it_was_made_of(rule: str, tenant: str, key: str) -> None:
    name = f"{rule}:{key}" if key else rule
    lane = own_lane(name, tenant)
    assert (tenant_of(lane), shown_lane(lane)) == (tenant, name)
    assert names_of(lane) == (own_lane(rule, tenant), rule, tenant)


@pytest.mark.parametrize("name", ["domain", "domain:a.com", "domain:@a", ""])
def test_what_all_have_in_common_is_nobodys_own(name: str) -> None:
    assert own_lane(name, "acme") == name
    assert (tenant_of(name), shown_lane(name)) == (None, name)


def test_a_rule_itself_is_nobodys() -> None:
    assert (tenant_of("@domain"), shown_lane("@domain")) == (None, "@domain")


@pytest.mark.parametrize(
    ("slots", "limit", "length"),
    [
        (1, 1, 1),
        (10, 10, 1),
        (10, 19, 1),
        (10, 20, 2),
        (1, 1_000, LONGEST_LINE),
        (0, 5, 5),
        (9, 0, 1),
    ],
)
def test_lines_are_no_longer_than_there_is_room_when_all_slots_have_one(
    slots: int, limit: int, length: int
) -> None:
    assert line_length(slots, limit) == length
