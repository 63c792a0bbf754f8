"""Memories as pages show them: what each says in the reader's language, and what speaks for it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from leasehold_memory.data import browsing, reading
from leasehold_memory.model.stored import Unit
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from leasehold.kit.web import Speaker

MOST_EVIDENCE = 2  # of a unit, in a list
_TEXTS = {
    UnitKind.EPISODE: "user_text",
    UnitKind.SUMMARY: "summary_text",
    UnitKind.CAPSULE: "capsule_text",
    UnitKind.LOOP: "loop_text",
}


class Source(NamedTuple):
    """An episode that speaks for a memory."""

    id: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shown:
    """One memory, in words."""

    id: int
    kind: str
    text: str
    state: str
    sensitivity: str
    occurred_at: datetime
    tags: tuple[str, ...]
    version: int
    payload_hash: str
    job_id: UUID | None
    attempt: int | None
    evidence: tuple[Source, ...]


def show(connection: Connection, say: Speaker, found: Sequence[Unit]) -> list[Shown]:
    """Put memories into words, with the last episodes that speak for each."""
    names = browsing.names_of(connection, {_subject_of(each) for each in found} - {0})
    last = {each.id: each.evidence[-MOST_EVIDENCE:] for each in found}
    wanted = {source for sources in last.values() for source in sources}
    said = {each.id: each for each in reading.get_many(connection, wanted)}
    return [
        Shown(
            id=each.id,
            kind=each.kind.name.lower(),
            text=text_of(say, each, names),
            state=each.state.value,
            sensitivity=each.sensitivity.name.lower(),
            occurred_at=each.occurred_at,
            tags=each.tags,
            version=each.version,
            payload_hash=each.payload_hash,
            job_id=each.job_id,
            attempt=each.attempt,
            evidence=tuple(
                Source(source, text_of(say, said[source], names))
                for source in last[each.id]
                if source in said
            ),
        )
        for each in found
    ]


def text_of(say: Speaker, unit: Unit, names: Mapping[int, str]) -> str:
    """Return what a memory says in one text; a fact is a sentence in the reader's language."""
    if unit.kind is UnitKind.FACT:
        return _sentence(say, unit.payload, names.get(_subject_of(unit)))
    return str(unit.payload[_TEXTS[unit.kind]])


def _sentence(say: Speaker, payload: Mapping[str, Any], subject: str | None) -> str:
    whose = "fact" if subject else "fact.you"
    key = f"{whose}.{payload['predicate']}"
    known = key if say.has(key) else f"{whose}.other"
    return say(known, subject=subject, object=payload["object_text"])


def _subject_of(unit: Unit) -> int:
    """Return the entity that a fact is about; 0 where it is whoever talks."""
    return unit.payload.get("subject_id") or 0
