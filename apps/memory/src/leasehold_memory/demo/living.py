"""The demo's memory: the story is told once, in a home that has none yet."""

from __future__ import annotations

import threading
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.demo.story import STORY, Told
from leasehold_memory.model.units import UnitKind
from leasehold_memory.opening import open_memory
from leasehold_memory.settings import open_settings

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold_memory.opening import Memory


class Demo:
    """Tells the story to the active memory of a home; whoever serves that home remembers it."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self._telling = threading.Lock()

    def start(self) -> None:
        """Tell it, unless something was said there already."""
        with self._telling:
            settings = open_settings(self._home)
            try:
                preset = settings.current().embedding
                with open_memory(self._home, preset, settings) as memory:
                    tell(memory, now=datetime.now(UTC))
            finally:
                settings.close()

    def close(self) -> None:
        """Nothing of it is left open."""


def tell(memory: Memory, *, now: datetime) -> int:
    """Store the story with the jobs that remember it, all or nothing; returns its length."""
    with memory.database.write_session() as session:
        connection = session.connection()
        if units.find(connection, kind=UnitKind.EPISODE, limit=1).units:
            return 0
        for told in STORY:
            unit_id = _store(connection, told, now)
            tasks.after_episode(memory, session, unit_id, now=now)
    return len(STORY)


def _store(connection: Connection, told: Told, now: datetime) -> int:
    return units.save_episode(
        connection,
        user_text=told.user_text,
        reply_text=told.reply_text,
        occurred_at=now - told.ago,
        conversation=told.conversation,
        sensitivity=told.sensitivity,
    )
