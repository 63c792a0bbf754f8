"""The payloads that a unit ever had: a new one is the next version, the same one again is none."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import bindparam, delete, insert, select, update

from leasehold_memory.data import payloads, text_index, texts
from leasehold_memory.data.tables import unit, unit_vector, unit_version
from leasehold_memory.errors import VersionNotFound
from leasehold_memory.model.hashing import payload_hash
from leasehold_memory.model.stored import Origin, Saved, Version
from leasehold_memory.model.tags import normalise_tags, write_tags
from leasehold_memory.model.units import UnitKind, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection, RowMapping

TAGS = "topic_tags"
# Made once: each chat waits for them.
_ADD = insert(unit_version)
_POINT = update(unit).where(unit.c.id == bindparam("known_id"))


def write_version(
    connection: Connection,
    row: Mapping[Any, Any],
    payload: Mapping[str, Any],
    *,
    tags: Iterable[str],
    author: str,
    job: Origin | None,
    now: datetime,
) -> Saved:
    """Write a payload as the next version of a unit, unless it is the one that it has."""
    unit_id, kind = row["id"], UnitKind(row["kind"])
    said = payloads.whole(kind, payload)
    kept = {**said, TAGS: normalise_tags(tags)}
    hashed = payload_hash(kept)
    if hashed == row["payload_hash"]:
        return Saved(unit_id, row["version"], is_changed=False)
    number = row["version"] + 1
    by = {"job_id": job.id, "attempt": job.attempt} if job else {}
    payloads.write(connection, unit_id, kind, said)
    version = {"unit_id": unit_id, "version": number, "payload_hash": hashed, "payload": kept}
    connection.execute(_ADD, {**version, "author": author, "created_at": now, **by})
    marks = {"version": number, "payload_hash": hashed, "topic_tags": write_tags(tags)}
    connection.execute(_POINT, {"known_id": unit_id, **marks, "updated_at": now, **by})
    return Saved(unit_id, number, is_changed=True)


def unwritten(unit_id: int, kind: UnitKind) -> dict[str, Any]:
    """Return what `write_version` asks of the row of a unit that says nothing yet."""
    return {"id": unit_id, "kind": kind, "version": 0, "payload_hash": ""}


def index(connection: Connection, unit_id: int) -> None:
    """Let words find a unit as it is now, or no more when nothing speaks for it."""
    query = select(unit.c.kind, unit.c.state).where(unit.c.id == unit_id)
    kind, state = connection.execute(query).one()
    if state == UnitState.RETRACTED:
        text_index.remove(connection, unit_id)
        connection.execute(delete(unit_vector).where(unit_vector.c.unit_id == unit_id))
        return
    said = texts.read_texts(connection, UnitKind(kind), [unit_id])
    text_index.put(connection, unit_id, said[unit_id])


def index_text(
    connection: Connection, unit_id: int, kind: UnitKind, payload: Mapping[str, Any]
) -> None:
    """Let words find a unit that says this."""
    text_index.put(connection, unit_id, texts.text_of(connection, kind, payload))


def versions(connection: Connection, unit_id: int) -> list[Version]:
    """List the versions of a unit, the newest first."""
    query = (
        select(unit_version)
        .where(unit_version.c.unit_id == unit_id)
        .order_by(unit_version.c.version.desc())
    )
    return [Version(**row) for row in connection.execute(query).mappings()]


def version_of(connection: Connection, unit_id: int, number: int) -> Version:
    """Return one version; `VersionNotFound` when there was none."""
    query = select(unit_version).where(
        unit_version.c.unit_id == unit_id, unit_version.c.version == number
    )
    row = connection.execute(query).mappings().first()
    if row is None:
        raise VersionNotFound(unit_id, number)
    return Version(**row)


def held_of(row: RowMapping) -> set[str]:
    """Name the fields of a unit that a person has said."""
    return set(json.loads(row["held"]))
