"""Who and what an episode speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from leasehold_memory.data import entities
from leasehold_memory.data.tables import entity, payload_summary
from leasehold_memory.deriving.episodes import episode_of, said_of
from leasehold_memory.llm import prompts
from leasehold_memory.model.answers import Entities
from leasehold_memory.model.names import name_key

if TYPE_CHECKING:
    from collections.abc import Collection

    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt

TOP = 3
PERSON, TOPIC = "person", "topic"


class ToRefresh(NamedTuple):
    """People and topics whose summaries may be other ones now."""

    people: list[int]
    topics: list[int]


def ask(attempt: Attempt, unit_id: int) -> Entities:
    """Let the model find who and what an episode speaks of."""
    with attempt.reading() as connection:
        episode = episode_of(connection, unit_id)
    return attempt.ask(Entities, prompts.entities(said_of(episode)))


def write(connection: Connection, unit_id: int, answer: Entities) -> ToRefresh:
    """Let an episode speak of exactly these.

    Returns the most important ones, and those of which it speaks no more.
    """
    episode_of(connection, unit_id)
    weights: dict[int, float] = {}
    for found in answer.entities:
        if name_key(found.name):
            found_id = entities.resolve(connection, found.kind, found.name, found.aliases)
            weights[found_id] = max(found.weight, weights.get(found_id, 0.0))
    left = entities.mentioned(connection, unit_id).keys() - weights.keys()
    entities.mention(connection, unit_id, weights)
    return ToRefresh(
        [*entities.top(connection, PERSON, TOP), *_summed_up(connection, PERSON, left)],
        [*entities.top(connection, TOPIC, TOP), *_summed_up(connection, TOPIC, left)],
    )


def _summed_up(connection: Connection, kind: str, entity_ids: Collection[int]) -> list[int]:
    query = (
        select(entity.c.id)
        .join(payload_summary, payload_summary.c.entity_id == entity.c.id)
        .where(entity.c.kind == kind, entity.c.id.in_(entity_ids))
    )
    return sorted(connection.scalars(query))
