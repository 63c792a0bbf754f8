"""Stores what was said, with the jobs that remember it, in one transaction: both or neither."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.model.answers import Reflection, document_of
from leasehold_memory.model.units import Sensitivity

if TYPE_CHECKING:
    from leasehold_memory.chatting.reply import Reply
    from leasehold_memory.chatting.wanted import Wanted
    from leasehold_memory.opening import Memory


def store(memory: Memory, wanted: Wanted, reply: Reply, *, now: datetime) -> int:
    """Store an episode with its reflection, if there is one, and enqueue what follows it."""
    reflection = reply.reflection
    with memory.courtesy.first(), memory.database.write_session() as session:
        connection = session.connection()
        unit_id = units.save_episode(
            connection,
            user_text=wanted.text,
            reply_text=reply.text,
            occurred_at=now,
            conversation=wanted.conversation,
            sensitivity=max(wanted.sensitivity, _felt(reflection)),
            tags=reflection.topic_tags if reflection else (),
            reflection=document_of(reflection) if reflection else None,
            is_partial=not reply.is_whole,
        )
        tasks.after_episode(memory, session, unit_id, now=now)
    return unit_id


def _felt(reflection: Reflection | None) -> Sensitivity:
    """Say how sensitive the companion itself found it."""
    return Sensitivity[reflection.sensitivity.upper()] if reflection else Sensitivity.NORMAL
