"""Claims: from a look that costs nothing to leases."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import msgspec

from leasehold.model.ids import Fence, WorkerId
from leasehold.model.values import Claim, Want
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, rows, text, value

_PARK_STEP = 1000
_PARK_ROUNDS = 10


@dataclass(frozen=True, kw_only=True)
class Request:
    """What a worker wants, and until when it would have it."""

    worker: WorkerId
    wants: Sequence[Want]
    limit: int
    leases: Mapping[str, float]
    is_for_suspects: bool
    now: int

    @cached_property
    def queues(self) -> str:
        return as_json(want.queue for want in self.wants if want.limit > 0)


class Taken:
    """The claims of one call; the fence is drawn when the first job is found."""

    def __init__(self, request: Request, connection: sqlite3.Connection) -> None:
        self.claims: list[Claim] = []
        self.parked = 0
        self._request = request
        self._connection = connection
        self._fence: int | None = None

    @property
    def room(self) -> int:
        return self._request.limit - len(self.claims)

    def add(self, picked: Sequence[tuple[Any, ...]]) -> dict[str, Any]:
        """Note the claims; returns the parameters that write their leases."""
        if self._fence is None:
            self._fence = value(self._connection, "fence_next")
        leases = {row[1]: self._request.leases[row[1]] for row in picked}
        self.claims += [_claim(row, self._fence or 0, leases[row[1]]) for row in picked]
        return {
            "fence": self._fence,
            "worker": self._request.worker,
            "now": self._request.now,
            "leases": msgspec.json.encode(leases).decode(),
        }


def has_ready(connection: sqlite3.Connection, request: Request) -> bool:
    """Look without any lock, so that an idle worker writes nothing and wakes nobody."""
    found = value(
        connection, "claim_look", queues=request.queues, is_suspect=request.is_for_suspects
    )
    return found is not None


def take_ready(connection: sqlite3.Connection, request: Request) -> Taken:
    taken = Taken(request, connection)
    for want in request.wants:
        limit = min(want.limit, taken.room)
        if limit > 0:
            _take_from(connection, request, want.queue, limit, taken)
    return taken


def _take_from(
    connection: sqlite3.Connection, request: Request, queue: str, limit: int, taken: Taken
) -> None:
    head: dict[str, Any] = {"queue": queue, "is_suspect": request.is_for_suspects, "limit": limit}
    for _ in range(_PARK_ROUNDS):
        picked = rows(connection, "claim_pick", **head)
        if all(row[1] in request.leases for row in picked):
            break
        taken.parked += _park(connection, request, head | {"limit": max(limit, _PARK_STEP)})
    else:
        return  # the caller commits what was parked and comes again
    if picked:
        connection.execute(text("claim_lease"), head | taken.add(picked))
        connection.execute(text("claim_remove"), head)


def _park(connection: sqlite3.Connection, request: Request, head: dict[str, Any]) -> int:
    known = msgspec.json.encode(request.leases).decode()
    parked = [row[0] for row in rows(connection, "park", leases=known, **head)]
    rows(connection, "park_remove", ids=as_json(parked))
    return len(parked)


def parked_places(connection: sqlite3.Connection, request: Request) -> set[tuple[str, str]]:
    """Look which (kind, queue) have something that this worker knows."""
    kinds = as_json(request.leases)
    return {
        (row[0], row[1])
        for row in rows(connection, "parked_look", kinds=kinds, queues=request.queues)
    }


def take_parked(
    connection: sqlite3.Connection, request: Request, places: set[tuple[str, str]]
) -> list[Claim]:
    """Take what is no suspect; if there is nothing else, one suspect alone."""
    picked = _pick_parked(connection, request, places, is_suspect=False)
    if not picked:
        picked = _pick_parked(connection, request, places, is_suspect=True)[:1]
    if not picked:
        return []
    taken = Taken(request, connection)
    ids = as_json(row[0] for row in picked)
    connection.execute(text("parked_lease"), {"ids": ids} | taken.add(picked))
    connection.execute(text("parked_remove"), {"ids": ids})
    return taken.claims


def _pick_parked(
    connection: sqlite3.Connection,
    request: Request,
    places: set[tuple[str, str]],
    *,
    is_suspect: bool,
) -> list[tuple[Any, ...]]:
    picked: list[tuple[Any, ...]] = []
    for want in request.wants:
        limit = min(want.limit, request.limit - len(picked))
        found: list[tuple[Any, ...]] = []
        for kind in sorted(kind for kind, queue in places if queue == want.queue and limit > 0):
            found += rows(
                connection,
                "parked_pick",
                kind=kind,
                queue=want.queue,
                is_suspect=is_suspect,
                limit=limit,
            )
        picked += sorted(found, key=_claim_order)[: max(0, limit)]
    return picked


def _claim_order(row: tuple[Any, ...]) -> tuple[int, int, str]:
    job_id, priority, created_at = row[0], row[10], row[11]
    return -priority, created_at, job_id


def _claim(row: tuple[Any, ...], fence: int, lease_seconds: float) -> Claim:
    job_id, kind, queue, args, attempt, failures, lapses = row[:7]
    max_attempts, timeout_seconds, tenant, priority = row[7:11]
    return Claim(
        job_id=to_job_id(job_id),
        fence=Fence(fence),
        kind=kind,
        queue=queue,
        args=args,
        attempt=attempt + 1,
        failures=failures,
        lapses=lapses,
        max_attempts=max_attempts,
        timeout_seconds=timeout_seconds,
        lease_seconds=lease_seconds,
        tenant=tenant,
        priority=priority,
    )
