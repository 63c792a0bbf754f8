"""Fills a memory with many episodes and their vectors, quicker than one by one."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import TYPE_CHECKING, Any

from sqlalchemy import insert

from leasehold_memory.data import text_index, vectors
from leasehold_memory.data.tables import payload_episode, unit, unit_vector
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from leasehold_memory.opening import Memory

_BEGIN = datetime(2020, 1, 1, tzinfo=UTC)
_BATCH = 5_000  # episodes of one transaction


def load(memory: Memory, texts: Iterable[str]) -> None:
    """Store texts as episodes, an hour apart, numbered from one."""
    left, number = iter(texts), 1
    while batch := [*islice(left, _BATCH)]:
        _store(memory, {number + place: text for place, text in enumerate(batch)})
        number += len(batch)


def _store(memory: Memory, texts: dict[int, str]) -> None:
    rows = memory.embedder.embed([*texts.values()])
    with memory.database.write() as connection:
        connection.execute(insert(unit), [_unit(number) for number in texts])
        connection.execute(insert(payload_episode), [_payload(*each) for each in texts.items()])
        for number, text in texts.items():
            text_index.put(connection, number, text)
        kept = [
            {
                "unit_id": number,
                "dimension": memory.preset.dimension,
                "text_hash": vectors.hash_of(text),
                "vector": row.tobytes(),
            }
            for (number, text), row in zip(texts.items(), rows, strict=True)
        ]
        connection.execute(insert(unit_vector), kept)


def _unit(number: int) -> dict[str, Any]:
    moment = _BEGIN + timedelta(hours=number)
    moments = {"occurred_at": moment, "created_at": moment, "updated_at": moment}
    return {"id": number, "kind": int(UnitKind.EPISODE), **moments}


def _payload(number: int, text: str) -> dict[str, Any]:
    return {"unit_id": number, "user_text": text, "reply_text": ""}
