"""How facts of one subject and predicate stand to each other, by when they were said.

It is a function of what was said alone: in whatever order episodes are derived, and however often,
it comes to the same end.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import NamedTuple


class Claim(NamedTuple):
    """An episode says a fact, named by its identity; `weight` is how surely."""

    identity: str
    episode_id: int
    at: datetime
    weight: float


class Standing(NamedTuple):
    """From when to when a fact holds; `superseded_by` is the one that was said instead."""

    valid_from: datetime
    confidence: float
    valid_to: datetime | None = None
    superseded_by: str | None = None


def standings(claims: Iterable[Claim], *, is_exclusive: bool) -> dict[str, Standing]:
    """Say how each fact stands. Of exclusive ones the one said last holds, the others held once.

    Of two that one episode says, the surer one counts as said last.
    """
    in_order = sorted(claims, key=lambda each: (each.at, each.episode_id, each.weight, each))
    places: dict[str, list[int]] = {}
    for place, claim in enumerate(in_order):
        places.setdefault(claim.identity, []).append(place)
    stand = _exclusive if is_exclusive else _alone
    return {identity: stand(in_order, found) for identity, found in places.items()}


def _alone(claims: Sequence[Claim], places: Sequence[int]) -> Standing:
    return Standing(claims[places[0]].at, _confidence(claims, places))


def _exclusive(claims: Sequence[Claim], places: Sequence[int]) -> Standing:
    """It holds from where it was last begun to be said until another one was said."""
    began = places[-1]
    while began - 1 in places:
        began -= 1
    standing = Standing(claims[began].at, _confidence(claims, places))
    if places[-1] + 1 == len(claims):
        return standing
    after = claims[places[-1] + 1]
    return standing._replace(valid_to=after.at, superseded_by=after.identity)


def _confidence(claims: Sequence[Claim], places: Sequence[int]) -> float:
    return max(claims[place].weight for place in places)
