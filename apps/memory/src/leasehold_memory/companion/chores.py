"""What is done every so often at the active memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold_memory import forgetting
from leasehold_memory.checking import enqueue_due

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold_memory.opening import Memory


def do_chores(memory: Memory, now: datetime) -> None:
    """Enqueue what is due, and finish what forgetting has left."""
    enqueue_due(memory, now)
    forgetting.finish(memory)
