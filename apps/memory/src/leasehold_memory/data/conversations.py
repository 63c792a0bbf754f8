"""What was said before in a conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from leasehold.kit.data import driver_connection

if TYPE_CHECKING:
    from sqlalchemy import Connection

_LAST = """
SELECT user_text, reply_text
FROM payload_episode
WHERE conversation = ?
ORDER BY unit_id DESC
LIMIT ?
"""


class Turn(NamedTuple):
    """What a person said, and what was replied to it."""

    user_text: str
    reply_text: str


def last_turns(connection: Connection, conversation: str, *, limit: int) -> list[Turn]:
    """Return the last turns of a conversation, the oldest first."""
    # On the driver's connection: each chat waits for it.
    rows = driver_connection(connection).execute(_LAST, (conversation, limit)).fetchall()
    return [Turn(*row) for row in reversed(rows)]
