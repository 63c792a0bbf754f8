"""Claims: from a look that costs nothing to leases."""

from __future__ import annotations

import sqlite3
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias
from uuid import UUID

import msgspec

from leasehold.model.ids import Fence, JobId, WorkerId
from leasehold.model.values import PRIORITY_LIMIT, Claim, Only, Want
from leasehold.store.sqlite.holding import hold
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, rows, value
from leasehold.store.sqlite.times import SECOND

ANY_PRIORITY = -PRIORITY_LIMIT - 1  # the lowest there can be
PARK_STEP = 1000
PARK_ROUNDS = 10

# The columns of claim_pick: id, kind, queue, args, attempt, failures, lapses, max_attempts,
# timeout_seconds, tenant, priority, batch.
_Picked: TypeAlias = tuple[
    UUID, str, str, str, int, int, int, int, float, str, int, UUID | None, str | None
]
_decode = msgspec.json.Decoder(list[_Picked]).decode


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a worker wants, and until when it would have it."""

    worker: WorkerId
    wants: Sequence[Want]
    limit: int
    leases: Mapping[str, float]
    is_for_suspects: bool
    now: int
    only: Only | None = None
    limited: Collection[str] = ()  # queues with a limit, for claims of lanes
    short: Collection[str] = ()  # kinds of which a slot is taken for several jobs

    @cached_property
    def gates(self) -> str:
        return as_json([*self.limited, *(want.queue for want in self.wants if want.is_limited)])

    @cached_property
    def queues(self) -> str:
        return as_json([want.queue for want in self.wants if want.limit > 0])

    @cached_property
    def levels(self) -> str:
        return as_json(
            [(want.queue, least_of(want), want.is_limited) for want in self.wants if want.limit > 0]
        )


class Taken:
    """The claims of one call; the fence is drawn when the first job is found."""

    def __init__(self, request: Request, connection: sqlite3.Connection) -> None:
        self.claims: list[Claim] = []
        self.parked = 0
        self.has_held = False  # whether jobs were set aside for their tenant's quota
        self._request = request
        self._connection = connection
        self._fence: Fence | None = None

    @property
    def room(self) -> int:
        return self._request.limit - len(self.claims)

    @property
    def fence(self) -> Fence:
        if self._fence is None:
            self._fence = Fence(value(self._connection, "fence_next"))
        return self._fence

    def lease(self, picked: Sequence[_Picked], name: str, **which: Any) -> None:
        """Write the leases of these jobs and note the claims."""
        self.claims += _claims(picked, self.fence, self._request.leases)
        self.write_leases({row[1] for row in picked}, name, **which)

    def write_leases(self, kinds: Iterable[str], name: str, **which: Any) -> None:
        """Run the statement once for each length that leases of these kinds have."""
        now = self._request.now
        for seconds, alike in _by_length(kinds, self._request.leases).items():
            rows(
                self._connection,
                name,
                **which,
                fence=self.fence,
                worker=self._request.worker,
                now=now,
                until=now + int(seconds * SECOND),
                lease_seconds=seconds,
                kinds=as_json(alike),
            )


def _claims(
    picked: Sequence[_Picked], fence: Fence, leases: Mapping[str, float]
) -> Iterator[Claim]:
    for (
        job_id,
        kind,
        queue,
        args,
        attempt,
        failures,
        lapses,
        most,
        timeout,
        tenant,
        level,
        batch,
        trace,
    ) in picked:
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
            "",
            None if batch is None else JobId(batch),
            trace,
        )


def least_of(want: Want) -> int:
    return ANY_PRIORITY if want.least is None else want.least


def _by_length(kinds: Iterable[str], leases: Mapping[str, float]) -> dict[float, list[str]]:
    lengths: dict[float, list[str]] = {}
    for kind in kinds:
        lengths.setdefault(leases[kind], []).append(kind)
    return lengths


def has_ready(connection: sqlite3.Connection, request: Request) -> bool:
    """Look without any lock, so that an idle worker writes nothing and wakes nobody."""
    found = value(
        connection,
        "claim_look",
        wants=request.levels,
        is_suspect=request.is_for_suspects,
        now=request.now,
    )
    return found is not None


def take_ready(connection: sqlite3.Connection, request: Request) -> Taken:
    taken = Taken(request, connection)
    for want in request.wants:
        left = min(want.limit, taken.room, gate_room(connection, want))
        for least, greatest in bands(connection, request, want):
            before = taken.room
            if left > 0:
                head = {"queue": want.queue, "least": least, "greatest": greatest, "limit": left}
                head["gate"] = gate_of(want)
                _take_from(connection, request, head, taken)
            left -= before - taken.room
    return taken


def gate_of(want: Want) -> str | None:
    """Name the gate that a claim goes through, if its queue has a limit."""
    return want.queue if want.is_limited else None


def gate_room(connection: sqlite3.Connection, want: Want) -> int:
    """Count, under the write lock, what a limit leaves; the queues of most wants have none."""
    if not want.is_limited:
        return want.limit
    room: int | None = value(connection, "gate_room", queue=want.queue)
    return want.limit if room is None else max(0, room)


def bands(connection: sqlite3.Connection, request: Request, want: Want) -> list[tuple[int, int]]:
    """Say which priorities to take from, one after the other: all at once, or as they have aged."""
    least = least_of(want)
    if want.aging_seconds is None:
        return [(least, PRIORITY_LIMIT)]
    period = want.aging_seconds * SECOND
    is_suspect = request.is_for_suspects
    levels = [
        (priority + (request.now - created_at) // period, priority)
        for priority, created_at in rows(
            connection, "claim_levels", queue=want.queue, is_suspect=is_suspect
        )
        if priority >= least
    ]
    return [(priority, priority) for _, priority in sorted(levels, reverse=True)]


def _take_from(
    connection: sqlite3.Connection, request: Request, where: dict[str, Any], taken: Taken
) -> None:
    limit = where["limit"]
    head: dict[str, Any] = {**where, "is_suspect": request.is_for_suspects}
    for _ in range(PARK_ROUNDS):
        picked = _decode(value(connection, "claim_pick", **head, now=request.now))
        if hold(connection, "ready", picked):
            taken.has_held = True
            continue
        if all(row[1] in request.leases for row in picked):
            break
        taken.parked += _park(connection, request, head | {"limit": max(limit, PARK_STEP)})
    else:
        return  # the caller commits what was parked and comes again
    if picked:
        taken.lease(picked, "claim_lease", **head)
        rows(connection, "claim_remove", **head)


def _park(connection: sqlite3.Connection, request: Request, head: dict[str, Any]) -> int:
    kinds = as_json(list(request.leases))
    parked = [row[0] for row in rows(connection, "park", kinds=kinds, **head)]
    rows(connection, "park_remove", ids=as_json(parked))
    return len(parked)


def parked_places(connection: sqlite3.Connection, request: Request) -> set[tuple[str, str]]:
    """Look which (kind, queue) have something that this worker knows."""
    kinds = as_json(list(request.leases))
    return {
        (row[0], row[1])
        for row in rows(
            connection, "parked_look", kinds=kinds, queues=request.queues, now=request.now
        )
    }


def has_parked(connection: sqlite3.Connection, request: Request) -> bool:
    """Look without any lock whether something was parked that this worker knows."""
    return bool(parked_places(connection, request))


def take_parked(connection: sqlite3.Connection, request: Request) -> Taken:
    """Take what is no suspect; if there is nothing else, one suspect alone."""
    taken = Taken(request, connection)
    places = parked_places(connection, request)
    picked = _pick_parked(connection, request, places, is_suspect=False)
    if not picked:
        picked = _pick_parked(connection, request, places, is_suspect=True)[:1]
    if hold(connection, "parked", picked):
        taken.has_held = True
        return taken
    if not picked:
        return taken
    ids = as_json([row[0] for row in picked])
    taken.lease([picked_of(row) for row in picked], "parked_lease", ids=ids, gates=request.gates)
    rows(connection, "parked_remove", ids=ids)
    return taken


def _pick_parked(
    connection: sqlite3.Connection,
    request: Request,
    places: set[tuple[str, str]],
    *,
    is_suspect: bool,
) -> list[tuple[Any, ...]]:
    picked: list[tuple[Any, ...]] = []
    for want in request.wants:
        limit = min(want.limit, request.limit - len(picked), gate_room(connection, want))
        found: list[tuple[Any, ...]] = []
        for kind in sorted(kind for kind, queue in places if queue == want.queue and limit > 0):
            found += rows(
                connection,
                "parked_pick",
                kind=kind,
                queue=want.queue,
                is_suspect=is_suspect,
                limit=limit,
                gate=gate_of(want),
                now=request.now,
            )
        picked += sorted(found, key=claim_order)[: max(0, limit)]
    return picked


def picked_of(row: tuple[Any, ...]) -> _Picked:
    job_id, *told, _created_at, batch, trace = row
    return (to_job_id(job_id), *told, None if batch is None else to_job_id(batch), trace)


def claim_order(row: tuple[Any, ...]) -> tuple[int, int, str]:
    job_id, priority, created_at = row[0], row[10], row[11]
    return -priority, created_at, job_id
