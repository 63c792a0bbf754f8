"""Units with their vectors, as jobs leave them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from leasehold_memory.data import entities, texts, units, vectors
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.opening import Memory

BEGIN = datetime(2026, 5, 1, 9, tzinfo=UTC)


def say(memory: Memory, *texts: str, sensitivity: Sensitivity = Sensitivity.NORMAL) -> list[int]:
    """Remember episodes, a minute apart."""
    with memory.database.write() as connection:
        said = [
            units.save_episode(
                connection,
                user_text=text,
                reply_text="",
                occurred_at=BEGIN + timedelta(minutes=minute),
                sensitivity=sensitivity,
            )
            for minute, text in enumerate(texts)
        ]
    return [embed(memory, unit_id) for unit_id in said]


def derive(
    memory: Memory, kind: UnitKind, state: UnitState = UnitState.ACTIVE, **payload: Any
) -> int:
    """Remember something derived; without a subject of its own, a fact is about Emma."""
    with memory.database.write() as connection:
        if kind is UnitKind.FACT:
            payload.setdefault("subject_id", entities.resolve(connection, "person", "Emma"))
            payload.setdefault("confidence", 0.9)
        identity = repr(sorted(payload.items()))
        saved = units.save(
            connection, kind, identity, payload, occurred_at=BEGIN, state=state, author="job"
        )
    return embed(memory, saved.unit_id)


def embed(memory: Memory, unit_id: int) -> int:
    """Do what `upsert_embeddings` does."""
    with memory.database.write() as connection:
        unit = units.get(connection, unit_id)
        content = texts.text_of(connection, unit.kind, unit.payload)
        vectors.put(connection, unit_id, content, memory.embedder.embed([content])[0])
    return unit_id
