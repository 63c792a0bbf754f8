"""Lanes: a look at those with work, and claims of them. Counting and taking are one transaction."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from leasehold.model.ids import Fence, JobId, WorkerId
from leasehold.model.lanes import (
    ENDLESS,
    PAST,
    SEPARATOR,
    SUSPECTS,
    Ask,
    LaneSeen,
    Look,
    head_of,
    parked,
    read_place,
)
from leasehold.model.values import Claim, Only
from leasehold.store.sqlite.claim import PARK_ROUNDS, PARK_STEP, Request, Taken
from leasehold.store.sqlite.keys import Key, pour, read_keys
from leasehold.store.sqlite.statements import as_json, count, rows, value
from leasehold.store.sqlite.times import FOREVER, SECOND

# The columns of lane_pick: as those of claim_pick, with the cost before the batch.
_Picked: TypeAlias = tuple[
    UUID, str, str, str, int, int, int, int, float, str, int, float, UUID | None, str | None
]
_decode = msgspec.json.Decoder(list[list[_Picked]]).decode
_PARKED = parked("")


# -- looking ---------------------------------------------------------------------------------------
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
    return [
        _seen(
            lane,
            weight=weights.get(place.share, 1),
            key=keys.get(place.lane),
            pause=pauses.get(place.queue, 0),
            now=now,
        )
        for lane, place in zip(found, places, strict=True)
    ]


def _parties(connection: sqlite3.Connection, look: Look, parties: int) -> list[str]:
    head = head_of(look.queue, look.stage)
    after = look.after + PAST if look.after else head + SEPARATOR
    found = rows(connection, "look_parties", after=after, upto=head + PAST, parties=parties)
    return [row[0] for row in found]


def _seen(lane: tuple[Any, ...], *, weight: int, key: Key | None, pause: int, now: int) -> LaneSeen:
    place, created_at, cost = lane
    age = (now - created_at) / SECOND
    paused_until = max(pause, 0 if key is None else key.paused_until)
    if paused_until:
        opens = None if paused_until == FOREVER else (paused_until - now) / SECOND
        return LaneSeen(place, age, weight, 0, opens)
    if key is None:
        return LaneSeen(place, age, weight, ENDLESS)
    return LaneSeen(place, age, weight, key.room_for(cost), key.fills_seconds(cost))


# -- claiming --------------------------------------------------------------------------------------
@dataclass(slots=True)
class _Gate:
    """What a queue's limit leaves; a claim counts it down."""

    room: int


class _Lane(NamedTuple):
    """A lane that was asked for; without a throttle it has no key."""

    place: str
    key: Key | None
    most: int
    is_parked: bool
    is_suspect: bool
    gate: _Gate | None = None  # of a queue with a limit


def take_lanes(connection: sqlite3.Connection, request: Request, asks: Sequence[Ask]) -> Taken:
    """Take from the lanes in this order, no more than their keys admit.

    Suspects have a stage of their own; of what was set aside they come last, one alone.
    """
    taken = Taken(request, connection)
    lanes = _open(connection, request, asks)
    _take(connection, request, lanes, request.limit, taken)
    if not taken.claims:
        suspects = [lane._replace(is_suspect=True) for lane in lanes if lane.is_parked]
        _take(connection, request, suspects, 1, taken)
    return taken


def _open(connection: sqlite3.Connection, request: Request, asks: Sequence[Ask]) -> list[_Lane]:
    """Leave out paused queues, keys without room, and what is of a kind not known here either."""
    paused = {name for name, _ in rows(connection, "queues_paused", now=request.now)}
    gates = {name: _Gate(room) for name, room in rows(connection, "queues_limited")}
    paused |= gates.keys() - set(request.limited)
    known = {parked(kind) for kind in request.leases}
    mosts: Counter[str] = Counter()
    for ask in asks:
        mosts[ask.place] += ask.most  # once for each place: a job can't be picked twice
    places = {place: read_place(place) for place in mosts}
    keys = read_keys(
        connection, {place.lane for place in places.values()} - {""}, request.worker, request.now
    )
    lanes = []
    for text, place in places.items():
        key = keys.get(place.lane)
        is_parked = place.stage.startswith(_PARKED)
        if place.queue in paused or (is_parked and place.stage not in known):
            continue
        gate = gates.get(place.queue)
        most = min(mosts[text], request.limit, ENDLESS if key is None else key.room)
        most = most if gate is None else min(most, gate.room)
        if most > 0:
            lanes.append(_Lane(text, key, most, is_parked, place.stage == SUSPECTS, gate))
    return lanes


def _take(
    connection: sqlite3.Connection,
    request: Request,
    lanes: Sequence[_Lane],
    limit: int,
    taken: Taken,
) -> None:
    picked = _pick_known(connection, request, lanes, taken) if lanes else {}
    chosen = list(islice(_admit(lanes, picked), limit))
    if not chosen:
        return
    ids = as_json([row[0] for _, row in chosen])
    rated = {key.lane: key for _, key, *_ in lanes if key is not None and key.has_spent}
    taken.claims += _claims(chosen, taken.fence, request.leases)
    taken.write_leases(
        {row[1] for _, row in chosen},
        "lane_lease",
        ids=ids,
        rated=as_json(list(rated)),
        gates=request.gates,
    )
    rows(connection, "lane_remove", ids=ids)
    for key in rated.values():
        pour(connection, key, request.now)


def _admit(
    lanes: Sequence[_Lane], picked: Mapping[str, list[_Picked]]
) -> Iterator[tuple[str, _Picked]]:
    """Name the jobs that may start, lane by lane, and count their keys down."""
    for place, key, _, _, _, gate in lanes:
        for row in picked.get(place, ()):
            if (gate is not None and gate.room < 1) or (
                key is not None and not key.admits(row[11])
            ):
                break
            if key is not None:
                key.take(row[11])
            if gate is not None:
                gate.room -= 1
            yield place, row


def _pick_known(
    connection: sqlite3.Connection, request: Request, lanes: Sequence[_Lane], taken: Taken
) -> dict[str, list[_Picked]]:
    """Read the heads of lanes, setting aside what is of no known kind, by rounds."""
    if request.only is not None:
        return _pick_only(connection, request, request.only, lanes)
    picked: dict[str, list[_Picked]] = {}
    for _ in range(PARK_ROUNDS):
        picked |= _pick(connection, lanes)
        lanes = [
            lane
            for lane in lanes
            if any(row[1] not in request.leases for row in picked[lane.place])
        ]
        if not lanes:
            break
        kinds = as_json(list(request.leases))
        for lane in lanes:
            limit = max(lane.most, PARK_STEP)
            taken.parked += count(
                connection, "lane_park", place=lane.place, limit=limit, kinds=kinds
            )
            del picked[lane.place]  # after the last round the caller commits and comes again
    return picked


def _pick_only(
    connection: sqlite3.Connection, request: Request, only: Only, lanes: Iterable[_Lane]
) -> dict[str, list[_Picked]]:
    """Read what a narrowed claim wants of lanes; the others are passed over."""
    which = {
        "batch": None if only.batch is None else str(only.batch),
        "kinds": as_json(only.of(request.leases)),
    }
    return _pick(connection, lanes, "lane_pick_only", **which)


def _pick(
    connection: sqlite3.Connection, lanes: Iterable[_Lane], name: str = "lane_pick", **which: Any
) -> dict[str, list[_Picked]]:
    """Read with one statement for all lanes of which as many are wanted."""
    alike: dict[tuple[int, bool], list[str]] = {}
    for lane in lanes:
        alike.setdefault((lane.most, lane.is_suspect), []).append(lane.place)
    picked: dict[str, list[_Picked]] = {}
    for (most, is_suspect), places in alike.items():
        found = value(
            connection, name, places=as_json(places), limit=most, is_suspect=is_suspect, **which
        )
        picked.update(zip(places, _decode(found), strict=True))
    return picked


def _claims(
    chosen: Iterable[tuple[str, _Picked]], fence: Fence, leases: Mapping[str, float]
) -> Iterator[Claim]:
    for place, row in chosen:
        job_id, kind, queue, args, attempt, failures, lapses, most, timeout, tenant = row[:10]
        level, batch = row[10], row[12]
        yield Claim(
            JobId(job_id),
            fence,
            kind,
            queue,
            args,
            attempt + 1,
            failures,
            lapses,
            most,
            timeout,
            tenant,
            level,
            leases[kind],
            place,
            None if batch is None else JobId(batch),
            row[13],
        )
