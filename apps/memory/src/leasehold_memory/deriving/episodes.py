"""Which episodes something is made of. Secret ones are for no summary."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import Select, select

from leasehold_memory.data import reading
from leasehold_memory.data.tables import unit, unit_entity
from leasehold_memory.errors import UnitNotFound
from leasehold_memory.llm import Said
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    from leasehold_memory.model.stored import Unit

MOST = 40  # episodes that one summary is made of
LONGEST_PAUSE = timedelta(seconds=0.9)  # between messages: then jobs have not begun yet
_MOST_AT_ONCE = 6  # nobody types quicker


def episode_of(connection: Connection, unit_id: int) -> Unit:
    """Return an episode; `UnitNotFound` when it is not there, or no episode."""
    found = reading.get(connection, unit_id)
    if found.kind is not UnitKind.EPISODE:
        raise UnitNotFound(unit_id)
    return found


def said_of(episode: Unit) -> Said:
    """Return an episode as a model is shown it."""
    return Said(
        unit_id=episode.id,
        at=episode.occurred_at,
        user=episode.payload["user_text"],
        reply=episode.payload["reply_text"],
    )


def within(connection: Connection, span: timedelta) -> list[Unit]:
    """Return the episodes of so long before the last one, and that one: not before now.

    Else the same episodes would come to something else tomorrow.
    """
    newest = select(unit.c.occurred_at).order_by(unit.c.occurred_at.desc()).limit(1)
    last: datetime | None = connection.scalar(_open_to_summaries(newest))
    if last is None:
        return []
    return _newest(connection, select(unit.c.id).where(unit.c.occurred_at > last - span), MOST)


def last_of(connection: Connection, count: int) -> list[Unit]:
    """Return the last episodes."""
    return _newest(connection, select(unit.c.id), count)


def mentioning(connection: Connection, entity_id: int) -> list[Unit]:
    """Return the last episodes that speak of a person or a topic."""
    query = select(unit.c.id).join(unit_entity, unit_entity.c.unit_id == unit.c.id)
    return _newest(connection, query.where(unit_entity.c.entity_id == entity_id), MOST)


def burst(connection: Connection | Session, unit_id: int, now: datetime) -> list[int]:
    """Return the episodes just before this one, whose jobs still wait for the last message."""
    query = (
        select(unit.c.id, unit.c.created_at)
        .where(unit.c.kind == UnitKind.EPISODE, unit.c.occurred_at > now - LONGEST_PAUSE * 10)
        .order_by(unit.c.id.desc())
        .limit(_MOST_AT_ONCE)
    )
    found: list[int] = []
    after = now
    for each, created_at in connection.execute(query):
        if not timedelta(0) <= after - created_at < LONGEST_PAUSE:
            break
        found.append(each)
        after = created_at
    return [each for each in found if each != unit_id]


def newest_id(connection: Connection, entity_id: int | None = None) -> int:
    """Return the highest number of an episode, of one entity or of all; 0: there is none."""
    # Not by the index of kinds, of which it would read all: the last unit or so is an episode.
    query = select(unit.c.id).where(unit.c.kind + 0 == UnitKind.EPISODE).limit(1)
    if entity_id is None:
        query = query.order_by(unit.c.id.desc())
    else:
        query = (
            query.join(unit_entity, unit_entity.c.unit_id == unit.c.id)
            .where(unit_entity.c.entity_id == entity_id)
            .order_by(unit_entity.c.unit_id.desc())
        )
    return connection.scalar(query) or 0


def _newest(connection: Connection, query: Select[tuple[int]], count: int) -> list[Unit]:
    """Return them with the oldest first."""
    last = _open_to_summaries(query).order_by(unit.c.occurred_at.desc(), unit.c.id.desc())
    found = reading.get_many(connection, list(connection.scalars(last.limit(count))))
    return sorted(found, key=lambda each: (each.occurred_at, each.id))


def _open_to_summaries(query: Select[Any]) -> Select[Any]:
    return query.where(
        unit.c.kind == UnitKind.EPISODE,
        unit.c.state != UnitState.RETRACTED,
        unit.c.sensitivity < Sensitivity.SECRET,
    )
