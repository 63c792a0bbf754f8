"""What units say, each as one text: for the text index, for its vector, and for a prompt."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from leasehold.kit.data import driver_connection
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

# The parts of a text, in its order. For the driver's connection: who chats waits for them.
_PARTS = {
    UnitKind.EPISODE: """
SELECT unit_id, user_text, reply_text
FROM payload_episode
WHERE unit_id IN (SELECT value FROM json_each(?))
""",
    UnitKind.FACT: """
SELECT payload_fact.unit_id, entities.name, payload_fact.predicate, payload_fact.object_text
FROM payload_fact
LEFT JOIN entities ON entities.id = payload_fact.subject_id
WHERE payload_fact.unit_id IN (SELECT value FROM json_each(?))
""",
    UnitKind.SUMMARY: """
SELECT unit_id, summary_text
FROM payload_summary
WHERE unit_id IN (SELECT value FROM json_each(?))
""",
    UnitKind.CAPSULE: """
SELECT unit_id, capsule_text
FROM payload_capsule
WHERE unit_id IN (SELECT value FROM json_each(?))
""",
    UnitKind.LOOP: """
SELECT unit_id, loop_text
FROM payload_loop
WHERE unit_id IN (SELECT value FROM json_each(?))
""",
}
_FIELDS = {
    UnitKind.EPISODE: ("user_text", "reply_text"),
    UnitKind.SUMMARY: ("summary_text",),
    UnitKind.CAPSULE: ("capsule_text",),
    UnitKind.LOOP: ("loop_text",),
}
_NAME = "SELECT name FROM entities WHERE id = ?"


def read_texts(connection: Connection, kind: UnitKind, unit_ids: Iterable[int]) -> dict[int, str]:
    """Read what units of one kind say now."""
    rows = driver_connection(connection).execute(_PARTS[kind], (json.dumps([*unit_ids]),))
    return {unit_id: _joined(kind, *parts) for unit_id, *parts in rows}


def text_of(connection: Connection, kind: UnitKind, payload: Mapping[str, Any]) -> str:
    """Return what a unit says by this payload."""
    if kind is UnitKind.FACT:
        subject = _name(connection, payload.get("subject_id"))
        return _joined(kind, subject, payload["predicate"], payload["object_text"])
    return _joined(kind, *(payload[field] for field in _FIELDS[kind]))


def _name(connection: Connection, entity_id: int | None) -> str:
    found = driver_connection(connection).execute(_NAME, (entity_id,)).fetchone()
    return found[0] if found else ""


def _joined(kind: UnitKind, *parts: str) -> str:
    if kind is UnitKind.FACT:
        subject, predicate, said = parts
        return " ".join(filter(None, [subject, predicate.replace("_", " "), said]))
    return "\n".join(filter(None, parts))
