"""A memory with a model's server behind it, whose jobs are run one after the other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import select

import leasehold as lh
from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.data import reading, units
from leasehold_memory.data.tables import metadata
from leasehold_memory.model.stored import Unit
from leasehold_memory.model.units import Sensitivity, UnitKind
from leasehold_memory.opening import Memory, open_memory
from leasehold_memory.servers import ModelServer
from leasehold_memory.settings import Settings, open_settings

BEGAN = datetime(2026, 3, 1, 9, tzinfo=UTC)
# What is said of rows by when and by whom they were written; the rest is what is remembered.
_BY_THE_WAY = {"created_at", "updated_at", "job_id", "attempt", "finished_at", "asked_at"}


class World:
    """One memory, its model's server and its clock."""

    def __init__(self, memory: Memory, server: ModelServer) -> None:
        self.memory = memory
        self.server = server
        self.client = memory.client

    def say(
        self,
        text: str,
        *,
        day: int = 0,
        reply: str = "I see.",
        sensitivity: Sensitivity = Sensitivity.NORMAL,
        follows: bool = True,
    ) -> int:
        """Store an episode, with the jobs that follow it."""
        with self.memory.database.write() as connection:
            unit_id = units.save_episode(
                connection,
                user_text=text,
                reply_text=reply,
                occurred_at=BEGAN + timedelta(days=day),
                sensitivity=sensitivity,
            )
            if follows:
                tasks.after_episode(self.memory, connection, unit_id, now=datetime.now(UTC))
        return unit_id

    def work(self, *, wait: str = "11s") -> Any:
        """Run all jobs that are due after so long, and those that they make."""
        testing.advance(self.client, wait)
        return testing.drain(self.client, tasks)

    def run(self, task: lh.Task[..., Any], *args: Any) -> lh.Job:
        """Run one job, and those that it makes; returns it as it ended."""
        made = self.client.enqueue(task, *args)
        testing.drain(self.client, tasks)
        return self.client.get(made.id)

    def find(self, kind: UnitKind) -> list[Unit]:
        with self.memory.database.read() as connection:
            return reading.find(connection, kind=kind, limit=1_000).units[::-1]

    def only(self, kind: UnitKind) -> Unit:
        (found,) = self.find(kind)
        return found

    def hashes(self) -> dict[tuple[int, str | None], tuple[str, str, int]]:
        """Return what each derived unit says, and how it stands."""
        kinds = [each for each in UnitKind if each is not UnitKind.EPISODE]
        return {
            (each.kind, each.identity): (each.payload_hash, each.state, each.sensitivity)
            for kind in kinds
            for each in self.find(kind)
        }

    def rows(self) -> dict[str, list[tuple[Any, ...]]]:
        """Return all rows of the memory, but for when and by whom they were written."""
        with self.memory.database.read() as connection:
            return {
                table.name: sorted(
                    map(
                        tuple,
                        connection.execute(
                            select(*(c for c in table.c if c.name not in _BY_THE_WAY))
                        ),
                    ),
                    key=repr,
                )
                for table in metadata.sorted_tables
            }


@contextmanager
def open_world(home: Path) -> Iterator[World]:
    """Open a new home whose model and vectors are those of a server of its own."""
    with ModelServer() as server:
        settings = open_settings(home)
        use_server(settings, server.base_url)
        try:
            with open_memory(home, settings.current().embedding, settings) as memory:
                # A worker makes the limits known that jobs of the model have.
                lh.Worker(memory.client, tasks).run(until_empty=True)
                yield World(memory, server)
                memory.embedder.close()
        finally:
            settings.close()


def use_server(settings: Settings, base_url: str) -> None:
    """Let the model, and what makes vectors, be the one at this address."""
    preset: dict[str, Any] = {"id": "test", "name": "Test", "provider": "http", "model": "rules-1"}
    preset["base_url"] = base_url
    settings.change(
        {
            "model_presets": [preset | {"timeout_seconds": 5.0}],
            "active_model_preset_id": "test",
            "embedding_presets": [preset | {"dimension": 256}],
            "active_embedding_preset_id": "test",
        }
    )
