"""Writes a summary or a capsule anew, from what is there when it is written.

One job of a scope is enough, whoever asks for it meanwhile: it looks again at what it was made of
before it ends, and an episode that came while the model was asked is taken in.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_memory.data import claims, edges, refreshes, units
from leasehold_memory.data.standing import settle
from leasehold_memory.deriving.episodes import newest_id

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt
    from leasehold_memory.deriving.scopes import Scope, Written
    from leasehold_memory.model.stored import Unit

_ROUNDS = 3


class _Moved(Exception):
    """It is to be made of something else by now."""


def refresh(
    attempt: Attempt, scope: Scope, follow: Callable[[Connection, list[int]], None]
) -> None:
    """Write it, and let `follow` enqueue what follows changed units, in the same commit."""
    for _ in range(_ROUNDS):
        with attempt.reading() as connection:
            sources = scope.sources(connection)
        written = scope.ask(attempt, sources) if sources else None
        try:
            with attempt.writing() as connection:
                follow(connection, _write(connection, scope, sources, written, attempt))
        except _Moved:
            continue
        return
    raise lh.Snooze("2s", reason="episodes come quicker than they can be summed up")


def _write(
    connection: Connection,
    scope: Scope,
    sources: Sequence[Unit],
    written: Written | None,
    attempt: Attempt,
) -> list[int]:
    if _marks(scope.sources(connection)) != _marks(sources):
        raise _Moved
    seen = newest_id(connection, scope.entity_id)
    refreshes.note(connection, scope.key, seen, now=datetime.now(UTC))
    if written is None:
        return _retract(connection, scope)
    saved = units.save(
        connection,
        scope.kind,
        scope.key,
        written.payload,
        occurred_at=sources[-1].occurred_at,
        sensitivity=max(each.sensitivity for each in sources),
        tags=written.tags,
        evidence=[each.id for each in sources],
        entities={} if scope.entity_id is None else {scope.entity_id: 1.0},
        job=attempt.job,
    )
    return [saved.unit_id] if saved.is_changed else []


def _retract(connection: Connection, scope: Scope) -> list[int]:
    """Nothing speaks for it any more."""
    known = claims.unit_of(connection, scope.kind, scope.key)
    if known is None or not edges.replace_evidence(connection, known, ()):
        return []
    settle(connection, known)
    return [known]


def _marks(sources: Sequence[Unit]) -> list[tuple[object, ...]]:
    return [
        (each.id, each.sensitivity, each.payload["user_text"], each.payload["reply_text"])
        for each in sources
    ]
