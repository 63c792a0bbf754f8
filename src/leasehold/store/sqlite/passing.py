"""Slots that are passed on: the next jobs of lanes, in the transaction of the end before."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Sequence

from leasehold.model.lanes import Ask, above_of
from leasehold.model.values import Claim, Settlement
from leasehold.store.base import Answer
from leasehold.store.sqlite.claim import Request
from leasehold.store.sqlite.lanes import take_lanes
from leasehold.store.sqlite.statements import as_json, rows


def freed_places(
    settlements: Sequence[Settlement], places: Sequence[str], answers: Sequence[Answer]
) -> Counter[str]:
    """Count the slots that were freed now, by their places."""
    if any(each.outcome != "succeeded" or each.result is not None for each in settlements):
        return Counter()
    ended = zip(places, answers, strict=True)
    return Counter(place for place, answer in ended if answer is Answer.SETTLED)


def take_next(connection: sqlite3.Connection, request: Request, freed: Counter[str]) -> list[Claim]:
    """Claim as many of each place, unless a higher priority of its queue waits for its turn."""
    behind = _behind(connection, freed)
    asks = [Ask(place, slots) for place, slots in freed.items() if place not in behind]
    return take_lanes(connection, request, asks).claims if asks else []


def _behind(connection: sqlite3.Connection, places: Iterable[str]) -> set[str]:
    above = {place: above_of(place) for place in places}
    levels = as_json(list(dict.fromkeys(above.values())))
    shut = {row[0] for row in rows(connection, "lanes_above", levels=levels)}
    return {place for place, (_, upto) in above.items() if upto in shut}
