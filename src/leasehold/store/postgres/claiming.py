"""Claims ready jobs, each scan from its hint, now and then from the head (see levels.py)."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace
from psycopg.postgres import types
from psycopg.pq import Format

from leasehold.model.ids import WorkerId
from leasehold.model.values import Claim, Want
from leasehold.store.postgres.arrays import Texts, pack_texts
from leasehold.store.postgres.gates import by_gates
from leasehold.store.postgres.levels import Found, Levels
from leasehold.store.postgres.rows import read_moment
from leasehold.store.postgres.statements import Sending, numbered
from leasehold.store.sql import load

if TYPE_CHECKING:
    from collections.abc import Callable

PACKAGE = "leasehold.store.postgres"

_encode = msgspec.json.Encoder().encode

# Of the values of claim.sql those whose type the statement does not say.
_TYPES = {"is_suspect": "bool", "limit": "int4", "skew": "interval", "worker": "int8"}
_BINARY = {"queues"}

# Columns of claim.sql: up to the priority they are a Claim's, in its order.
_JOB_ID, _KIND, _QUEUE, _PRIORITY, _BATCH, _TRACE, _CREATED_AT = 0, 2, 3, 11, 12, 13, 14


class ClaimRequest(msgspec.Struct, frozen=True):
    """What a worker asks for in one claim."""

    worker: WorkerId
    wants: Sequence[Want]
    limit: int
    leases: Mapping[str, float]
    skew: timedelta
    gate: str | None = None  # the one queue of the wants, when it has a limit
    aside: list[int] = []  # how many were met whose tenant has a quota

    @property
    def queues(self) -> frozenset[str]:
        return frozenset([want.queue for want in self.wants])

    def parameters(self) -> dict[str, Any]:
        return {
            "worker": self.worker,
            "queues": _packed(tuple([want.queue for want in self.wants])),
            "limit": self.limit,
            "leases": _encode(self.leases).decode(),
            "skew": self.skew,
            "gate": self.gate,
        }


@lru_cache(maxsize=256)
def _packed(queues: tuple[str, ...]) -> Texts:
    return pack_texts([queue.encode() for queue in queues])


def _sending(
    request: ClaimRequest, scans: Sequence[Mapping[str, Any]], *, is_suspect: bool
) -> Sending:
    """Write a claim as it is sent: a job that woke us waits while psycopg looks at each value."""
    text, names = numbered(load(PACKAGE, "claim"))
    values = {
        "levels": _encode(scans),
        "is_suspect": b"t" if is_suspect else b"f",
        "worker": b"%d" % request.worker,
        "queues": _packed(tuple([want.queue for want in request.wants])).data,
        "limit": b"%d" % request.limit,
        "leases": _encode(request.leases),
        "skew": b"%f seconds" % request.skew.total_seconds(),
        "gate": None if request.gate is None else request.gate.encode(),
    }
    return Sending(text, [values[name] for name in names], *_types_of(names))


@lru_cache(maxsize=1)
def _types_of(names: tuple[str, ...]) -> tuple[tuple[int, ...], list[Format]]:
    oids = tuple(types[_TYPES[name]].oid if name in _TYPES else 0 for name in names)
    return oids, [Format.BINARY if name in _BINARY else Format.TEXT for name in names]


class Claims:
    """A store's claims, of suspects or of the others: one at a time, for the hints' sake."""

    def __init__(
        self,
        run: Callable[..., list[Any]],
        ask: Callable[[Sending], list[Any]],
        *,
        is_for_suspects: bool,
    ) -> None:
        self._run = run
        self._ask = ask
        self._is_for_suspects = is_for_suspects
        self._levels = Levels()
        self._was_empty = False
        self._turn = threading.Lock()

    def claim(self, request: ClaimRequest) -> list[Claim]:
        with self._turn:
            return self._claim(request)

    def look_from_head(self) -> None:
        """Let an idle worker's next claim start from the heads: what came has an older place."""
        with self._turn:
            if self._was_empty:
                self._was_empty = False
                self._levels.make_head_due()

    def _claim(self, request: ClaimRequest) -> list[Claim]:
        if not self._levels.cover(request.queues):
            return self._claim_from_head(request)
        now = time.monotonic()
        is_head_due = self._levels.is_head_due(now)
        # After a claim that found nothing the next job most likely sorts behind the hints.
        claims = self._scan(request) if self._was_empty or not is_head_due else []
        if not claims and (is_head_due or self._levels.is_second_look_due(now)):
            claims = self._claim_from_head(request)
        self._was_empty = not claims
        return claims

    def _claim_from_head(self, request: ClaimRequest) -> list[Claim]:
        started = time.monotonic()
        found = self._run(
            load(PACKAGE, "levels"),
            queues=sorted(request.queues),
            is_suspect=self._is_for_suspects,
            skew=request.skew,
        )
        self._levels.restart([Found(*row) for row in found], request.queues, started)
        claims = self._scan(request)
        self._levels.note_head_cost(time.monotonic() - started)
        return claims

    def _scan(self, request: ClaimRequest) -> list[Claim]:
        """Take rows off all levels in one statement, or off each in its own.

        One statement can bound each level and the whole, but not a queue with several levels.
        """
        scans = self._levels.scans(request.wants, time.monotonic())
        if not self._levels.has_split_limit(request.wants, request.limit):
            return self._take(request, scans) if scans else []
        claims: list[Claim] = []
        left = {want.queue: want.limit for want in request.wants}
        for scan in scans:
            most = min(left[scan["queue"]], request.limit - len(claims))
            if most > 0:
                taken = self._take(request, [{**scan, "most": most}])
                left[scan["queue"]] -= len(taken)
                claims += taken
        return claims

    def _take(self, request: ClaimRequest, scans: list[dict[str, Any]]) -> list[Claim]:
        taken = self._ask(_sending(request, scans, is_suspect=self._is_for_suspects))
        ends = taken[-1:] if len(scans) == 1 else taken
        last = {(row[_QUEUE], row[_PRIORITY]): row for row in ends}  # of each level, in order
        for (queue, priority), row in last.items():
            self._levels.advance(queue, priority, read_moment(row[_CREATED_AT]), row[_JOB_ID])
        return claims_of(taken, request)


def claim_parked(run: Callable[..., list[Any]], request: ClaimRequest) -> list[Claim]:
    """Take what is no suspect; if there is nothing else, one suspect alone."""
    alone = replace(request, limit=1)
    return by_gates(request, lambda part: _take_parked(run, part, is_suspect=False)) or by_gates(
        alone, lambda part: _take_parked(run, part, is_suspect=True)
    )


def _take_parked(
    run: Callable[..., list[Any]], request: ClaimRequest, *, is_suspect: bool
) -> list[Claim]:
    if not request.wants:
        return []
    # One statement bounds the whole: a queue with less room than that has one of its own.
    is_split = any(want.limit < request.limit for want in request.wants)
    claims: list[Claim] = []
    for wants in [[want] for want in request.wants] if is_split else [request.wants]:
        most = min(request.limit - len(claims), *(want.limit for want in wants))
        if most > 0:
            part = replace(request, wants=wants, limit=most)
            sql = load(PACKAGE, "claim_parked")
            taken = run(sql, is_suspect=is_suspect, **part.parameters())
            claims += claims_of(taken, request)
    return claims


def claims_of(taken: list[Any], request: ClaimRequest) -> list[Claim]:
    """Read the rows. What is not leased was set aside: a kind not known here, a tenant's quota."""
    leases = request.leases
    claims = [
        Claim(*(*row[:_BATCH], leases[row[_KIND]], "", row[_BATCH], row[_TRACE]))
        for row in taken
        if row[_KIND] in leases
    ]
    if len(claims) < len(taken) and (held := sum(row[_KIND] is None for row in taken)):
        request.aside.append(held)
    return claims
