"""Which episodes say which facts, which loops they open and close, and how surely."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy import bindparam, delete, select, update

from leasehold.kit.data import insert_new
from leasehold_memory.data.edges import EVIDENCE, SUPERSEDES
from leasehold_memory.data.tables import edge, payload_fact, payload_loop, unit
from leasehold_memory.model.standing import Claim
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from datetime import datetime

    from sqlalchemy import Connection

CLOSES = "closes"
_LOOKS = 3  # how many are looked at for one that may be open
_episode = unit.alias("episode")
_NAMED = select(unit.c.id).where(
    unit.c.kind == bindparam("kind"), unit.c.identity == bindparam("identity")
)


class Spoken(NamedTuple):
    """An episode speaks of a loop, or says that it is over."""

    at: datetime
    episode_id: int
    is_closing: bool


def unit_of(connection: Connection, kind: UnitKind, identity: str) -> int | None:
    """Return the unit of this identity, if it was derived before."""
    return connection.scalar(_NAMED, {"kind": kind, "identity": identity})


def rivals(
    connection: Connection, subject_id: int | None, predicate: str, *, without: int
) -> list[Claim]:
    """Return who says what of a subject by one predicate, but for one episode."""
    return _claims(
        connection,
        without,
        payload_fact.c.subject_id.is_not_distinct_from(subject_id),
        payload_fact.c.predicate == predicate,
    )


def claims_of(connection: Connection, identity: str, *, without: int) -> list[Claim]:
    """Return who says one fact, but for one episode."""
    return _claims(connection, without, unit.c.identity == identity)


def _claims(connection: Connection, without: int, *which: Any) -> list[Claim]:
    query = (
        select(unit.c.identity, edge.c.target_id, _episode.c.occurred_at, edge.c.weight)
        .select_from(payload_fact)
        .join(unit, unit.c.id == payload_fact.c.unit_id)
        .join(edge, edge.c.source_id == unit.c.id)
        .join(_episode, _episode.c.id == edge.c.target_id)
        .where(unit.c.kind == UnitKind.FACT, edge.c.relation == EVIDENCE, *which)
        .where(edge.c.target_id != without)
    )
    return [Claim(*row) for row in connection.execute(query)]


def weigh(connection: Connection, episode_id: int, weights: Mapping[int, float]) -> None:
    """Note how surely an episode says each of its facts."""
    for unit_id, weight in weights.items():
        connection.execute(
            update(edge)
            .where(edge.c.source_id == unit_id, edge.c.target_id == episode_id)
            .where(edge.c.relation == EVIDENCE)
            .values(weight=weight)
        )


def supersede(connection: Connection, pairs: Collection[tuple[int, int]], among: set[int]) -> None:
    """Let facts take the place of others: exactly these pairs of newer and older, among some."""
    connection.execute(
        delete(edge).where(edge.c.relation == SUPERSEDES, edge.c.target_id.in_(among))
    )
    rows = [{"source_id": a, "target_id": b, "relation": SUPERSEDES} for a, b in pairs]
    if rows:
        insert_new(connection, edge, rows)


def spoken_of(connection: Connection, unit_id: int, *, without: int) -> list[Spoken]:
    """Return which episodes speak of a loop, but for one, and which of them close it."""
    query = (
        select(_episode.c.occurred_at, edge.c.target_id, edge.c.relation)
        .select_from(edge)
        .join(_episode, _episode.c.id == edge.c.target_id)
        .where(edge.c.source_id == unit_id, edge.c.relation.in_([EVIDENCE, CLOSES]))
        .where(edge.c.target_id != without)
    )
    rows = connection.execute(query).all()
    closing = {row.target_id for row in rows if row.relation == CLOSES}
    return [
        Spoken(row.occurred_at, row.target_id, row.target_id in closing)
        for row in rows
        if row.relation == EVIDENCE
    ]


def loop_called(connection: Connection, said: str) -> str | None:
    """Return the identity of the loop that says exactly this, as when a person has reworded it."""
    query = (
        select(unit.c.identity)
        .join(payload_loop, payload_loop.c.unit_id == unit.c.id)
        .where(unit.c.kind == UnitKind.LOOP, payload_loop.c.loop_text == said)
        .order_by(unit.c.id)
        .limit(1)
    )
    return connection.scalar(query)


def open_before(connection: Connection, at: datetime, episode_id: int, *, limit: int) -> list[str]:
    """Return the texts of loops that were open before an episode, the newest first.

    Whether that one has closed them does not count: derived again, it is asked the same.
    """
    query = (
        select(unit.c.id, payload_loop.c.loop_text)
        .join(payload_loop, payload_loop.c.unit_id == unit.c.id)
        .where(unit.c.kind == UnitKind.LOOP, unit.c.state != UnitState.RETRACTED)
        .where(unit.c.occurred_at < at)
        .order_by(unit.c.occurred_at.desc(), unit.c.id.desc())
        .limit(_LOOKS * limit)
    )
    rows = connection.execute(query).all()
    were_open = [row for row in rows if _was_open(connection, row.id, at, episode_id)]
    return [row.loop_text for row in were_open[:limit]]


def _was_open(connection: Connection, unit_id: int, at: datetime, episode_id: int) -> bool:
    before = [each for each in spoken_of(connection, unit_id, without=episode_id) if each.at < at]
    return bool(before) and not max(before).is_closing


def set_closing(connection: Connection, episode_id: int, unit_ids: Collection[int]) -> None:
    """Let an episode close exactly these loops, among those that it speaks of."""
    connection.execute(
        delete(edge).where(edge.c.relation == CLOSES, edge.c.target_id == episode_id)
    )
    rows = [{"source_id": each, "target_id": episode_id, "relation": CLOSES} for each in unit_ids]
    if rows:
        insert_new(connection, edge, rows)


def scopes_of(connection: Connection, episode_id: int) -> list[str]:
    """Return what an episode was summed up in, by its keys."""
    cited = select(edge.c.source_id).where(
        edge.c.target_id == episode_id, edge.c.relation == EVIDENCE
    )
    query = select(unit.c.identity).where(
        unit.c.id.in_(cited), unit.c.kind.in_([UnitKind.SUMMARY, UnitKind.CAPSULE])
    )
    return sorted(filter(None, connection.scalars(query)))
