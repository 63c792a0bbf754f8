"""What is due, looked at every 30 s: there is no cron.

Nothing is asked for while the same is queued or running, nor within its cooldown, nor without a new
episode since. Two processes that look at once ask once.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from sqlalchemy import select

from leasehold_memory import tasks
from leasehold_memory.data import refreshes
from leasehold_memory.data.tables import entity, unit, unit_entity
from leasehold_memory.deriving import naming
from leasehold_memory.deriving.episodes import newest_id
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.opening import Memory

_logger = logging.getLogger(__name__)

ABOUT_COOLDOWN = timedelta(hours=12)
CAPSULE_COOLDOWN = timedelta(minutes=30)
MOST_OF_A_KIND = 3  # people, and topics, that one check asks for; the next one goes on


def enqueue_due(memory: Memory, now: datetime) -> list[str]:
    """Enqueue what is due; returns it by its keys, as `rolling:7d` or `person:12`."""
    _warn_of_unknown(memory)
    with memory.database.read() as connection:
        if next(_due(connection, now), None) is None:
            return []
    with memory.database.write() as connection:
        due = list(_due(connection, now))  # another process may have been quicker
        calls = [tasks.refresh_call(each) for each in due]
        answers = memory.client.on(connection).enqueue_all(filter(None, calls))
        for scope_key in due:
            refreshes.note_asked(connection, scope_key, now=now)
    return [key for key, answer in zip(due, answers, strict=True) if answer.is_new]


def _warn_of_unknown(memory: Memory) -> None:
    """Say which jobs wait for a version of this program that knows them, as long as they do."""
    for kind, count in memory.client.store.parked_kinds().items():
        _logger.warning("jobs of an unknown kind wait", extra={"kind": kind, "count": count})


def _due(connection: Connection, now: datetime) -> Iterator[str]:
    newest = newest_id(connection)
    capsule = f"recent:{tasks.CAPSULE_LIMIT}"
    whole = {tasks.BOND_SCOPE: tasks.BOND_COOLDOWN, capsule: CAPSULE_COOLDOWN}
    for scope_key, cooldown in whole.items():
        known = refreshes.get(connection, scope_key)
        if newest > known.episode_id and known.may_ask(cooldown, now=now):
            yield scope_key
    for what in (naming.PERSON, naming.TOPIC):
        yield from _due_about(connection, what, now)


def _due_about(connection: Connection, what: str, now: datetime) -> list[str]:
    """Return the most important ones of which was spoken since."""
    newest = _newest(connection, what)
    known = refreshes.get_all(connection, [*newest])
    due = [
        scope_key
        for scope_key, episode_id in newest.items()
        if episode_id > known[scope_key].episode_id
        and known[scope_key].may_ask(ABOUT_COOLDOWN, now=now)
    ]
    return due[:MOST_OF_A_KIND]


def _newest(connection: Connection, what: str) -> dict[str, int]:
    """Return the newest episode of each, the most important one first."""
    last = (
        select(unit_entity.c.unit_id)
        .join(unit, unit.c.id == unit_entity.c.unit_id)
        .where(unit_entity.c.entity_id == entity.c.id, unit.c.kind == UnitKind.EPISODE)
        .order_by(unit_entity.c.unit_id.desc())
        .limit(1)
        .scalar_subquery()
    )
    query = (
        select(entity.c.id, last)
        .where(entity.c.kind == what, entity.c.importance > 0)
        .order_by(entity.c.importance.desc(), entity.c.id)
    )
    return {f"{what}:{each}": found for each, found in connection.execute(query) if found}
