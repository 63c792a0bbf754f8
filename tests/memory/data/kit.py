"""Short ways to write memories in tests."""

from __future__ import annotations

from collections.abc import Collection
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from leasehold_memory.data import units
from leasehold_memory.model.stored import Saved
from leasehold_memory.model.units import Sensitivity, UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)


def say(
    connection: Connection,
    text: str = "I moved to Osaka",
    *,
    reply: str = "How nice!",
    at: datetime = NOON,
    sensitivity: Sensitivity = Sensitivity.NORMAL,
    **more: Any,
) -> int:
    return units.save_episode(
        connection,
        user_text=text,
        reply_text=reply,
        occurred_at=at,
        sensitivity=sensitivity,
        **more,
    )


def fact(
    connection: Connection, object_text: str = "Osaka", *, identity: str = "", **more: Any
) -> Saved:
    payload = {
        "subject_id": more.pop("subject_id", None),
        "predicate": more.pop("predicate", "lives_in"),
        "object_text": object_text,
        "confidence": 0.9,
        "valid_to": more.pop("valid_to", None),
    }
    return units.save(
        connection,
        UnitKind.FACT,
        identity or f"me|{payload['predicate']}|{object_text.casefold()}",
        payload,
        occurred_at=NOON,
        **more,
    )


def summary(
    connection: Connection, text: str, *, evidence: Collection[int] | None = None, **more: Any
) -> Saved:
    said = {"summary_text": text, "key_events": [], "bond_state": "close"}
    payload = {"scope_key": "rolling:7d", "summary_text": text, "summary_json": said}
    return units.save(
        connection,
        UnitKind.SUMMARY,
        "rolling:7d",
        {**payload, **more.pop("payload", {})},
        occurred_at=NOON,
        evidence=evidence,
        **more,
    )
