"""Looks at lanes: which have work, and how much of it may start now. Nothing is taken."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from leasehold.model.ids import JobId, WorkerId
from leasehold.model.lanes import (
    ENDLESS,
    PAST,
    LaneSeen,
    Look,
    Place,
    bounds_of,
    head_of,
    holder_of,
    read_place,
)
from leasehold.store.sqlite.holding import rooms_of
from leasehold.store.sqlite.keys import Key, read_keys
from leasehold.store.sqlite.statements import as_json, rows
from leasehold.store.sqlite.times import FOREVER, SECOND


def look(
    connection: sqlite3.Connection,
    worker: WorkerId,
    looks: Sequence[Look],
    *,
    parties: int,
    page: int,
    after: Mapping[str, str],
    now: int,
) -> list[LaneSeen]:
    """List lanes with work, open or not, in the order of their places."""
    found = sorted(
        lane
        for each in looks
        for party in _parties(connection, each, parties)
        for lane in rows(
            connection,
            "look_lanes",
            after=after.get(party, party),
            upto=party + PAST,
            page=page,
        )
    )
    return _tell(connection, worker, found, now)


def look_for_batch(
    connection: sqlite3.Connection,
    worker: WorkerId,
    looks: Sequence[Look],
    batch: JobId,
    now: int,
) -> list[LaneSeen]:
    """List the lanes in which a batch has jobs, of these queues and stages."""
    heads = as_json([head_of(each.queue, each.stage) for each in looks])
    found = sorted(rows(connection, "look_lanes_batch", batch=str(batch), heads=heads))
    return _tell(connection, worker, found, now)


def _tell(
    connection: sqlite3.Connection,
    worker: WorkerId,
    found: Sequence[tuple[Any, ...]],
    now: int,
) -> list[LaneSeen]:
    """Say of lanes, each with its first job's creation and cost, what may start in them."""
    places = [read_place(place) for place, _, _ in found]
    keys = read_keys(connection, {place.lane for place in places} - {""}, worker, now)
    shares = as_json(list({place.share for place in places}))
    weights = dict(rows(connection, "share_weights", names=shares)) if found else {}
    pauses = dict(rows(connection, "queues_paused", now=now)) if found else {}
    rooms = rooms_of(connection, holders_of(places))
    return [
        _seen(
            lane,
            weight=weights.get(place.share, 1),
            key=keys.get(place.lane),
            pause=pauses.get(place.queue, 0),
            most=rooms.get(holder_of(place.stage) or "", ENDLESS),
            now=now,
        )
        for lane, place in zip(found, places, strict=True)
    ]


def holders_of(places: Iterable[Place]) -> set[str]:
    """Name the tenants at whose stages these places are."""
    return {holder for place in places if (holder := holder_of(place.stage)) is not None}


def _parties(connection: sqlite3.Connection, look: Look, parties: int) -> list[str]:
    after, upto = bounds_of(look)
    found = rows(connection, "look_parties", after=after, upto=upto, parties=parties)
    return [row[0] for row in found]


def _seen(
    lane: tuple[Any, ...], *, weight: int, key: Key | None, pause: int, most: int, now: int
) -> LaneSeen:
    place, created_at, cost = lane
    age = (now - created_at) / SECOND
    paused_until = max(pause, 0 if key is None else key.paused_until)
    if paused_until:
        opens = None if paused_until == FOREVER else (paused_until - now) / SECOND
        return LaneSeen(place, age, weight, 0, opens)
    if key is None:
        return LaneSeen(place, age, weight, most)
    room, opens = min(most, key.room_for(cost)), key.fills_seconds(cost)
    return LaneSeen(place, age, weight, room, opens, key.most)
