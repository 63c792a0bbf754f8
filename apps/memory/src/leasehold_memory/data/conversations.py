"""What was said before in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from sqlalchemy import select

from leasehold_memory.data.tables import payload_episode

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Turn(NamedTuple):
    """What a person said, and what was replied to it."""

    user_text: str
    reply_text: str


def last_turns(connection: Connection, conversation: str, *, limit: int) -> list[Turn]:
    """Return the last turns of a conversation, the oldest first."""
    query = (
        select(payload_episode.c.user_text, payload_episode.c.reply_text)
        .where(payload_episode.c.conversation == conversation)
        .order_by(payload_episode.c.unit_id.desc())
        .limit(limit)
    )
    return [Turn(row.user_text, row.reply_text) for row in connection.execute(query)][::-1]
