"""Changes by a person: an edit, or a payload of earlier taken back. Both are the next version."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from leasehold_memory.data import edges
from leasehold_memory.data.reading import get, row_of
from leasehold_memory.data.standing import settle
from leasehold_memory.data.tables import unit
from leasehold_memory.data.versions import TAGS, held_of, index, version_of, write_version
from leasehold_memory.model.editing import check_edit
from leasehold_memory.model.stored import Saved
from leasehold_memory.model.units import Sensitivity, UnitState

if TYPE_CHECKING:
    from sqlalchemy import Connection


def edit(
    connection: Connection,
    unit_id: int,
    changes: Mapping[str, Any],
    *,
    tags: Iterable[str] | None = None,
    sensitivity: Sensitivity | None = None,
    state: UnitState | None = None,
) -> Saved:
    """Change what a unit says, as a person wants it; jobs leave alone what was changed.

    `BadEdit` when a field can't be changed, or not to that.
    """
    known = get(connection, unit_id)
    checked = check_edit(known.kind, changes)
    marks = _given(sensitivity=sensitivity, state=state)
    changed = {name for name, value in checked.items() if known.payload[name] != value}
    changed |= {name for name, value in marks.items() if getattr(known, name) != value}
    payload = {**known.payload, **checked}
    if "object_text" in changed:  # it named another one
        payload["object_id"] = None
        changed.add("object_id")
    return _write(
        connection,
        unit_id,
        payload,
        tags=known.tags if tags is None else tags,
        author="person",
        held=changed,
        marks=marks,
    )


def rollback(connection: Connection, unit_id: int, version: int) -> Saved:
    """Make a unit say again what it said in a version, as its next one."""
    known = get(connection, unit_id)
    wanted = dict(version_of(connection, unit_id, version).payload)
    tags = wanted.pop(TAGS)
    changed = {name for name, value in wanted.items() if known.payload[name] != value}
    return _write(connection, unit_id, wanted, tags=tags, author="rollback", held=changed, marks={})


def _write(
    connection: Connection,
    unit_id: int,
    payload: Mapping[str, Any],
    *,
    tags: Iterable[str],
    author: str,
    held: Collection[str],
    marks: Mapping[str, Any],
) -> Saved:
    now = datetime.now(UTC)
    row = row_of(connection, unit_id)
    saved = write_version(connection, row, payload, tags=tags, author=author, job=None, now=now)
    if not (held or saved.is_changed):
        return saved
    all_held = json.dumps(sorted({*held, *held_of(row)}))
    own_row = update(unit).where(unit.c.id == unit_id)
    connection.execute(own_row.values(held=all_held, updated_at=now, **marks))
    index(connection, unit_id)
    for derived in sorted(edges.derived_from(connection, unit_id)):
        settle(connection, derived)
    return saved._replace(is_changed=True)


def _given(**marks: Any) -> dict[str, Any]:
    return {name: value for name, value in marks.items() if value is not None}
