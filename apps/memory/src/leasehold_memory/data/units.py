"""Writes units: what was said, and what jobs derive from it.

A unit that is derived again is found by its kind and identity. The same payload again changes
nothing: no version, no moment. All statements run inside the caller's transaction.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from leasehold_memory.data import edges, payloads
from leasehold_memory.data.changing import edit, rollback
from leasehold_memory.data.claims import unit_of
from leasehold_memory.data.entities import mention
from leasehold_memory.data.reading import Found, find, get, row_of
from leasehold_memory.data.standing import mark, settle
from leasehold_memory.data.tables import unit
from leasehold_memory.data.versions import (
    held_of,
    index,
    index_text,
    unwritten,
    versions,
    write_version,
)
from leasehold_memory.model.stored import Origin, Saved, Unit, Version
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection

__all__ = [
    "Found",
    "Saved",
    "Unit",
    "Version",
    "edit",
    "find",
    "get",
    "reflect",
    "rollback",
    "save",
    "save_episode",
    "set_evidence",
    "versions",
]

# A person's word about these stands; summaries are written anew as time goes on.
_HELD_KINDS = frozenset({UnitKind.FACT, UnitKind.LOOP})


def save_episode(
    connection: Connection,
    *,
    user_text: str,
    reply_text: str,
    occurred_at: datetime,
    conversation: str = "",
    sensitivity: Sensitivity = Sensitivity.NORMAL,
    tags: Iterable[str] = (),
    reflection: Mapping[str, Any] | None = None,
    is_partial: bool = False,
) -> int:
    """Write what was said as a new unit; returns its number."""
    payload = {
        "conversation": conversation,
        "user_text": user_text,
        "reply_text": reply_text,
        "is_partial": is_partial,
        "reflection": None if reflection is None else dict(reflection),
    }
    now = datetime.now(UTC)
    marks = {"occurred_at": occurred_at, "sensitivity": sensitivity}
    unit_id = _insert(connection, now, kind=UnitKind.EPISODE, **marks)
    row = unwritten(unit_id, UnitKind.EPISODE)
    write_version(connection, row, payload, tags=tags, author="chat", job=None, now=now)
    index_text(connection, unit_id, UnitKind.EPISODE, payload)
    return unit_id


def reflect(
    connection: Connection,
    unit_id: int,
    reflection: Mapping[str, Any],
    *,
    author: str,
    tags: Iterable[str] | None = None,
    job: Origin | None = None,
) -> Saved:
    """Write the reflection of an episode that has none; one that has is left alone."""
    known = get(connection, unit_id)
    if known.payload.get("reflection") is not None:
        return Saved(unit_id, known.version, is_changed=False)
    return write_version(
        connection,
        row_of(connection, unit_id),
        {**known.payload, "reflection": dict(reflection)},
        tags=known.tags if tags is None else tags,
        author=author,
        job=job,
        now=datetime.now(UTC),
    )


def save(
    connection: Connection,
    kind: UnitKind,
    identity: str,
    payload: Mapping[str, Any],
    *,
    occurred_at: datetime,
    sensitivity: Sensitivity = Sensitivity.NORMAL,
    tags: Iterable[str] = (),
    state: UnitState = UnitState.ACTIVE,
    evidence: Collection[int] | None = None,
    entities: Mapping[int, float] | None = None,
    author: str = "job",
    job: Origin | None = None,
) -> Saved:
    """Write a derived unit, new or the one of this identity.

    `evidence` is all of it; None leaves what is there: facts and loops, of which many episodes may
    speak, have theirs by `set_evidence`. With evidence, the unit is as sensitive as its most
    sensitive source, else as `sensitivity` says. `entities` are those that it mentions, with their
    weights; None leaves them. What a person has said of a fact or a loop stands. `SourceGone` when
    a source was deleted meanwhile.
    """
    now = datetime.now(UTC)
    marks: dict[str, Any] = {"occurred_at": occurred_at, "sensitivity": sensitivity, "state": state}
    unit_id = unit_of(connection, kind, identity)
    if unit_id is None:
        unit_id = _insert(connection, now, kind=kind, identity=identity, **marks)
    row = row_of(connection, unit_id)
    held = held_of(row) if kind in _HELD_KINDS else set()
    said = {**payload, **_held_values(connection, unit_id, kind, held)}
    saved = write_version(connection, row, said, tags=tags, author=author, job=job, now=now)
    is_moved = evidence is not None and edges.replace_evidence(connection, unit_id, evidence)
    if entities is not None:
        mention(connection, unit_id, entities)
    free = {name: value for name, value in marks.items() if name not in held}
    is_marked = mark(connection, unit_id, free, now)
    if saved.is_changed or is_marked:
        index(connection, unit_id)
    return saved._replace(is_changed=saved.is_changed or is_moved or is_marked)


def set_evidence(
    connection: Connection, episode_id: int, kind: UnitKind, unit_ids: Collection[int]
) -> list[int]:
    """Let an episode speak for exactly these units of a kind; returns those that it does no more.

    Those for which nothing speaks now are retracted; one for which something speaks again is back.
    """
    wanted, known = set(unit_ids), edges.derived_from(connection, episode_id, kind)
    edges.add_edges(connection, [(each, episode_id) for each in sorted(wanted)], edges.EVIDENCE)
    left = sorted(known - wanted)
    edges.drop_edges(connection, [(each, episode_id) for each in left], edges.EVIDENCE)
    for unit_id in sorted(wanted | known):
        settle(connection, unit_id)
    return left


def _insert(connection: Connection, now: datetime, **row: Any) -> int:
    statement = insert(unit).values(**row, created_at=now, updated_at=now)
    unit_id: int = connection.execute(statement.returning(unit.c.id)).scalar_one()
    return unit_id


def _held_values(
    connection: Connection, unit_id: int, kind: UnitKind, held: set[str]
) -> dict[str, Any]:
    if not held:
        return {}
    known = payloads.read_one(connection, kind, unit_id)
    return {name: value for name, value in known.items() if name in held}
