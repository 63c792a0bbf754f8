"""Derives an episode in a process that kills itself at a point that is told by its number.

`python -m tests.faults.memory_steps` is told a home and a point, stores an episode there and runs
all jobs that follow it: see `tests.faults.points`.
"""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import leasehold as lh
from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.settings import open_settings
from tests.faults.points import Killing, Points, UntilPoint, answer, killing_store, watch

SAID = "I moved to Tokyo. My sister Emma works as a doctor. Tomorrow I will go to a concert."
SAID_AT = datetime(2026, 3, 5, 9, tzinfo=UTC)


class Asked(UntilPoint, frozen=True, kw_only=True):
    """A home to remember in."""

    home: str


def work(asked: Asked, points: Points) -> None:
    """Store an episode and derive all that follows from it."""
    home = Path(asked.home)
    settings = open_settings(home)
    with open_memory(home, settings.current().embedding, settings) as memory:
        watch(memory.database, points)
        model = Killing(memory.models.llm(), points, around={"ask_json"})
        setattr(memory.models, "llm", lambda: model)  # noqa: B010 - as attempts find it
        embedder: Any = Killing(memory.embedder, points, around={"embed"})
        memory.embedder = embedder
        client = lh.Client(store=killing_store(memory.client.store, points))
        store_episode(memory)
        memory.client.store.skew_seconds += 11
        testing.drain(client, tasks, raises=True)
    settings.close()


def store_episode(memory: Memory) -> None:
    """Do what a chat does at its end; the week together is summed up as if it were due."""
    with memory.database.write() as connection:
        unit_id = units.save_episode(
            connection, user_text=SAID, reply_text="I see.", occurred_at=SAID_AT
        )
        tasks.after_episode(memory, connection, unit_id, now=datetime.now(UTC))
        memory.client.on(connection).enqueue(tasks.bond_summary)


if __name__ == "__main__":
    sys.exit(answer(Asked, work))
