"""What the companion makes of an episode, when its chat has not said so."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

from leasehold_memory.data import edges, units
from leasehold_memory.data.standing import mark, settle
from leasehold_memory.deriving.episodes import episode_of, said_of
from leasehold_memory.llm import prompts
from leasehold_memory.model.answers import Reflection, document_of
from leasehold_memory.model.units import Sensitivity

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.deriving.attempt import Attempt
    from leasehold_memory.model.stored import Origin


def ask(attempt: Attempt, unit_id: int) -> Reflection | None:
    """Let the model reflect on an episode; None when that was done already."""
    with attempt.reading() as connection:
        episode = episode_of(connection, unit_id)
    if episode.payload["reflection"] is not None:
        return None
    return attempt.ask(Reflection, prompts.reflect(said_of(episode)))


def write(connection: Connection, unit_id: int, found: Reflection, job: Origin) -> bool:
    """Keep the reflection, unless somebody was quicker; whether the episode is more secret now."""
    before = episode_of(connection, unit_id)
    if before.payload["reflection"] is not None:
        return False
    tags = [*before.tags, *found.topic_tags]
    units.reflect(connection, unit_id, document_of(found), author="job", tags=tags, job=job)
    level = max(before.sensitivity, Sensitivity[found.sensitivity.upper()])
    if level == before.sensitivity or "sensitivity" in before.held:
        return False
    mark(connection, unit_id, {"sensitivity": level}, datetime.now(UTC))
    for derived in sorted(edges.derived_from(connection, unit_id)):
        settle(connection, derived)
    return True
