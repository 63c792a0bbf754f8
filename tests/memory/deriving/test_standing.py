"""How facts stand to each other is a function of what was said, never of who was derived first."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from leasehold_memory.model.standing import Claim, Standing, standings

JANUARY, MARCH, MAY = (datetime(2026, month, 1, tzinfo=UTC) for month in (1, 3, 5))

claims = st.lists(
    st.builds(
        Claim,
        identity=st.sampled_from("abc"),
        episode_id=st.integers(1, 9),
        at=st.integers(0, 5).map(lambda days: JANUARY + timedelta(days=days)),
        weight=st.sampled_from([0.2, 0.7]),
    ),
    max_size=12,
)


def test_of_exclusive_facts_the_one_said_last_holds() -> None:
    tokyo, osaka = Claim("tokyo", 1, JANUARY, 0.9), Claim("osaka", 2, MARCH, 0.7)
    assert standings([osaka, tokyo], is_exclusive=True) == {
        "tokyo": Standing(JANUARY, 0.9, valid_to=MARCH, superseded_by="osaka"),
        "osaka": Standing(MARCH, 0.7),
    }


def test_one_that_is_said_again_later_holds_again_from_then_on() -> None:
    said = [
        Claim("tokyo", 1, JANUARY, 0.9),
        Claim("osaka", 2, MARCH, 0.7),
        Claim("tokyo", 3, MAY, 0.8),
    ]
    found = standings(said, is_exclusive=True)
    assert found["tokyo"] == Standing(MAY, 0.9)
    assert found["osaka"] == Standing(MARCH, 0.7, valid_to=MAY, superseded_by="tokyo")


def test_others_stand_beside_each_other_since_they_were_first_said() -> None:
    said = [Claim("tea", 1, JANUARY, 0.2), Claim("cake", 2, MARCH, 0.7), Claim("tea", 3, MAY, 0.9)]
    assert standings(said, is_exclusive=False) == {
        "tea": Standing(JANUARY, 0.9),
        "cake": Standing(MARCH, 0.7),
    }


@given(claims.flatmap(lambda said: st.tuples(st.just(said), st.permutations(said))))
def test_the_order_in_which_episodes_are_derived_does_not_matter(
    orders: tuple[list[Claim], list[Claim]],
) -> None:
    said, shuffled = orders
    for is_exclusive in (True, False):
        found = standings(shuffled, is_exclusive=is_exclusive)
        assert found == standings(said, is_exclusive=is_exclusive)


@given(claims)
def test_of_exclusive_facts_exactly_one_holds(said: list[Claim]) -> None:
    found = standings(said, is_exclusive=True)
    assert sum(each.valid_to is None for each in found.values()) == bool(said)
