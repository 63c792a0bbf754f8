"""Claims of lanes. Counting and taking are one transaction."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from operator import attrgetter
from typing import Any, Final, NamedTuple, TypeAlias
from uuid import UUID

import msgspec

from leasehold.model.ids import Fence, JobId
from leasehold.model.lanes import (
    HELD,
    SUSPECTS,
    Ask,
    Look,
    holder_of,
    line_length,
    parked,
    read_place,
)
from leasehold.model.values import Claim, Only
from leasehold.store.sqlite.claim import PARK_ROUNDS, PARK_STEP, Request, Taken
from leasehold.store.sqlite.holding import rooms_of
from leasehold.store.sqlite.keys import Key, pour, read_keys
from leasehold.store.sqlite.lane_looks import holders_of, look, look_for_batch
from leasehold.store.sqlite.statements import as_json, count, rows, value

# The columns of lane_pick: id, kind, args, attempt, failures, lapses, max_attempts,
# timeout_seconds, tenant, cost, batch, trace.
_Picked: TypeAlias = tuple[
    UUID, str, str, int, int, int, int, float, str, float, UUID | None, str | None
]
_KIND: Final = 1
_TENANT: Final = 8
_COST: Final = 9
_decode = msgspec.json.Decoder(list[list[_Picked]]).decode
_PARKED = parked("")
_NUMBER = attrgetter("int")  # an id compares itself ten times as slowly
_PARTIES, _PAGE = 64, 8  # of tenants' stages, to look at in one claim


@dataclass(slots=True)
class _Gate:
    """What a queue's limit or a tenant's quota leaves; a claim counts it down."""

    room: int


class _Lane(NamedTuple):
    """A lane that was asked for; without a throttle it has no key."""

    place: str
    key: Key | None
    most: int
    is_parked: bool
    is_suspect: bool
    gate: _Gate | None = None  # of a queue with a limit
    holder: _Gate | None = None  # of a tenant with a running quota
    is_held: bool = False  # at a tenant's own stage
    deep: int = 1  # how many jobs a slot is taken for at most, if they are short

    @property
    def may_have_lines(self) -> bool:
        """Whether its key's limit is all that counts."""
        is_bound = self.key is None or self.key.is_rated or self.gate is not None
        return not (is_bound or self.is_parked or self.is_suspect)


class _Lines(NamedTuple):
    """What is taken from a lane: a job for each of its slots here, and those that run after."""

    place: str
    rows: list[_Picked]
    slots: int


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


def take_held(connection: sqlite3.Connection, request: Request, taken: int) -> list[Claim]:
    """Take what tenants' quotas leave of the jobs at their stages, after so many others."""
    limited = tuple(want.queue for want in request.wants if want.is_limited)
    asked = replace(request, limit=request.limit - taken, limited=limited)
    looks = [Look(want.queue, HELD) for want in request.wants]
    batch = None if request.only is None else request.only.batch
    if batch is None:
        sizes = {"parties": _PARTIES, "page": _PAGE}
        seen = look(connection, request.worker, looks, after={}, now=request.now, **sizes)
    else:
        seen = look_for_batch(connection, request.worker, looks, batch, request.now)
    asks = [Ask(lane.place, lane.room) for lane in seen if lane.room > 0]
    random.shuffle(asks)  # no tenant is always the first
    return take_lanes(connection, asked, asks).claims if asks and asked.limit > 0 else []


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
    rooms = rooms_of(connection, holders_of(places.values()))
    holders = {tenant: _Gate(room) for tenant, room in rooms.items()}
    lanes = []
    for text, place in places.items():
        key = keys.get(place.lane)
        is_parked = place.stage.startswith(_PARKED)
        if place.queue in paused or (is_parked and place.stage not in known):
            continue
        gate, tenant = gates.get(place.queue), holder_of(place.stage)
        holder = None if tenant is None else holders.get(tenant)
        bounds = [each.room for each in (key, gate, holder) if each is not None]
        most = min(mosts[text], request.limit, *bounds)
        if most > 0:
            is_suspect = place.stage == SUSPECTS
            is_held = tenant is not None
            is_aside = is_parked or is_held
            lanes.append(_Lane(text, key, most, is_aside, is_suspect, gate, holder, is_held))
    if not request.short or request.only is not None:
        return lanes
    return _in_lines(lanes, sum(mosts.values()), request.limit)


def _in_lines(lanes: list[_Lane], asked: int, limit: int) -> list[_Lane]:
    """Let lines fill the room with the slots there are, if those asked for would not."""
    if line_length(asked, limit) == 1:
        return lanes
    deep = line_length(sum(lane.most for lane in lanes), limit)
    return [lane._replace(deep=deep) if lane.may_have_lines else lane for lane in lanes]


def _take(
    connection: sqlite3.Connection,
    request: Request,
    lanes: Sequence[_Lane],
    limit: int,
    taken: Taken,
) -> None:
    picked = _pick_known(connection, request, lanes, taken) if lanes else {}
    lines = list(_admit(lanes, picked, request.short, limit))
    if not lines:
        return
    jobs = sorted([row[0] for line in lines for row in line.rows], key=_NUMBER)
    ids = as_json(jobs)  # in their order, as they stand in their tables
    rated = {key.lane: key for _, key, *_ in lanes if key is not None and key.has_spent}
    taken.claims += _claims(lines, taken.fence, request.leases)
    taken.write_leases(
        {row[_KIND] for line in lines for row in line.rows},
        "lane_lease",
        ids=ids,
        rated=as_json(list(rated)),
        gates=request.gates,
        last=as_json([row[0] for line in lines for row in line.rows[-line.slots :]]),
    )
    rows(connection, "lane_remove", ids=ids)
    for key in rated.values():
        pour(connection, key, request.now)


def _admit(
    lanes: Sequence[_Lane],
    picked: Mapping[str, list[_Picked]],
    short: Collection[str],
    limit: int,
) -> Iterator[_Lines]:
    """Name the jobs that may start, lane by lane, and count their keys down."""
    left, short_ones = limit, frozenset(short)
    for lane in lanes:
        found = picked.get(lane.place, [])
        chosen = list(islice(_admit_to(lane, found), min(lane.most, left)))
        slots = len(chosen)
        if lane.deep > 1 and short_ones.issuperset({row[_KIND] for row in found}):
            chosen = found[: min(lane.deep * slots, left)]
        if chosen:
            yield _Lines(lane.place, chosen, slots)
        left -= len(chosen)


def _admit_to(lane: _Lane, found: Iterable[_Picked]) -> Iterator[_Picked]:
    """Name the jobs that there are slots and tokens for."""
    bounds = [gate for gate in (lane.gate, lane.holder) if gate is not None]
    key = lane.key
    for row in found:
        if any(gate.room < 1 for gate in bounds) or not (key is None or key.admits(row[_COST])):
            return
        if key is not None:
            key.take(row[_COST])
        for gate in bounds:
            gate.room -= 1
        yield row


def _pick_known(
    connection: sqlite3.Connection, request: Request, lanes: Sequence[_Lane], taken: Taken
) -> dict[str, list[_Picked]]:
    """Read the heads of lanes, setting aside what is not for this claim, by rounds."""
    held = [lane for lane in lanes if lane.is_held]
    picked = _pick_only(connection, request, held) if held else {}
    others = [lane for lane in lanes if not lane.is_held]
    for _ in range(PARK_ROUNDS):
        if not others:
            break
        is_whole = request.only is None
        found = _pick(connection, others) if is_whole else _pick_only(connection, request, others)
        tenants = {row[_TENANT] for lane in found.values() for row in lane}
        quotas = rooms_of(connection, tenants).keys()
        others = [lane for lane in others if _is_mixed(found[lane.place], request, quotas)]
        for lane in others:
            _set_aside(connection, request, lane, quotas, taken)
            del found[lane.place]  # after the last round the caller commits and comes again
        picked |= found
    return picked


def _is_mixed(picked: Sequence[_Picked], request: Request, quotas: Collection[str]) -> bool:
    """Whether there is something that is to be set aside: of no known kind, or by a quota."""
    if not request.leases.keys() >= {row[_KIND] for row in picked}:
        return True
    return bool(quotas) and not {row[_TENANT] for row in picked}.isdisjoint(quotas)


def _set_aside(
    connection: sqlite3.Connection,
    request: Request,
    lane: _Lane,
    quotas: Collection[str],
    taken: Taken,
) -> None:
    limit = max(lane.most, PARK_STEP)
    if quotas:
        tenants = as_json(list(quotas))
        held = count(connection, "hold_lane", place=lane.place, tenants=tenants, limit=limit)
        taken.has_held = taken.has_held or held > 0
    if request.only is None:
        kinds = as_json(list(request.leases))
        taken.parked += count(connection, "lane_park", place=lane.place, limit=limit, kinds=kinds)


def _pick_only(
    connection: sqlite3.Connection, request: Request, lanes: Iterable[_Lane]
) -> dict[str, list[_Picked]]:
    """Read what a narrowed claim wants; all others are walked over, and stay."""
    only = request.only or Only()
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
        alike.setdefault((lane.most * lane.deep, lane.is_suspect), []).append(lane.place)
    picked: dict[str, list[_Picked]] = {}
    for (most, is_suspect), places in alike.items():
        found = value(
            connection, name, places=as_json(places), limit=most, is_suspect=is_suspect, **which
        )
        picked.update(zip(places, _decode(found), strict=True))
    return picked


def _claims(lines: Iterable[_Lines], fence: Fence, leases: Mapping[str, float]) -> Iterator[Claim]:
    """Say what was taken; each job is behind the one as many before it as its lane has slots."""
    for text, taken, slots in lines:
        place = read_place(text)
        for number, row in enumerate(taken):
            job_id, kind, args, attempt, failures, lapses, most, timeout, tenant = row[:9]
            batch, trace = row[10:]
            yield Claim(
                JobId(job_id),
                fence,
                kind,
                place.queue,
                args,
                attempt + 1,
                failures,
                lapses,
                most,
                timeout,
                tenant,
                place.priority,
                leases[kind],
                text,
                None if batch is None else JobId(batch),
                trace,
                None if number < slots else JobId(taken[number - slots][0]),
            )
