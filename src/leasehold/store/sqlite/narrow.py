"""Claims that are narrowed to a batch or to some kinds; the usual claim knows nothing of them."""

from __future__ import annotations

import sqlite3
from dataclasses import replace
from typing import Any

from leasehold.model.values import Only, Want
from leasehold.store.sqlite import claim as usual
from leasehold.store.sqlite.claim import Request, Taken
from leasehold.store.sqlite.holding import hold
from leasehold.store.sqlite.statements import as_json, rows, value

LOOK_AHEAD = 2_000


def has_any(connection: sqlite3.Connection, request: Request) -> bool:
    """Look without any lock whether a claim could find something."""
    only = _only(request)
    if only.batch is not None:
        return value(connection, "batch_look", batch=str(only.batch)) is not None
    return usual.has_ready(connection, request) or bool(usual.parked_places(connection, request))


def take_ready(connection: sqlite3.Connection, request: Request) -> Taken:
    """Take what is ready and wanted; the others are neither taken nor parked."""
    picked: list[tuple[Any, ...]] = []
    for want in request.wants:
        room = min(want.limit, usual.gate_room(connection, want))
        picked += _pick_ready(connection, request, want, min(room, request.limit - len(picked)))
    return _lease(connection, request, picked, "ready")


def _pick_ready(
    connection: sqlite3.Connection, request: Request, want: Want, limit: int
) -> list[tuple[Any, ...]]:
    only = _only(request)
    which = _which(request, want) | {"is_suspect": request.is_for_suspects}
    if limit < 1:
        return []
    if only.batch is not None:
        least = usual.least_of(want)
        batch = str(only.batch)
        return rows(connection, "ready_pick_batch", batch=batch, least=least, limit=limit, **which)
    picked: list[tuple[Any, ...]] = []
    for least, greatest in usual.bands(connection, request, want):
        picked += rows(
            connection,
            "ready_pick_kinds",
            least=least,
            greatest=greatest,
            look_ahead=LOOK_AHEAD,
            limit=limit - len(picked),
            **which,
        )
    return picked


def take_parked(connection: sqlite3.Connection, request: Request) -> Taken:
    """Take what is no suspect; if there is nothing else, one suspect alone."""
    only = _only(request)
    if only.batch is None:  # parked jobs are found by their kind: to know fewer is enough
        fewer = {kind: request.leases[kind] for kind in only.of(request.leases)}
        return usual.take_parked(connection, replace(request, leases=fewer))
    picked = _pick_parked(connection, request, is_suspect=False)
    if not picked:
        picked = _pick_parked(connection, request, is_suspect=True)[:1]
    return _lease(connection, request, picked, "parked")


def _pick_parked(
    connection: sqlite3.Connection, request: Request, *, is_suspect: bool
) -> list[tuple[Any, ...]]:
    batch = str(_only(request).batch)
    picked: list[tuple[Any, ...]] = []
    for want in request.wants:
        room = min(want.limit, usual.gate_room(connection, want))
        limit = max(0, min(room, request.limit - len(picked)))
        which = _which(request, want) | {"is_suspect": is_suspect, "limit": limit}
        picked += rows(connection, "parked_pick_batch", batch=batch, **which)
    return picked


def _which(request: Request, want: Want) -> dict[str, Any]:
    kinds = as_json(_only(request).of(request.leases))
    gate = usual.gate_of(want)
    return {"queue": want.queue, "kinds": kinds, "gate": gate, "now": request.now}


def _lease(
    connection: sqlite3.Connection, request: Request, picked: list[tuple[Any, ...]], table: str
) -> Taken:
    taken = Taken(request, connection)
    if hold(connection, table, picked):
        taken.has_held = True
    elif picked:
        ids = as_json([row[0] for row in picked])
        chosen = [usual.picked_of(row) for row in picked]
        taken.lease(chosen, f"{table}_lease", ids=ids, gates=request.gates)
        rows(connection, "park_remove" if table == "ready" else "parked_remove", ids=ids)
    return taken


def _only(request: Request) -> Only:
    return request.only or Only()
