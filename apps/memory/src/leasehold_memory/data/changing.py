"""Changes by a person: an edit, or a payload of earlier taken back. Both are the next version."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import update

from leasehold_memory.data import edges
from leasehold_memory.data.reading import get, row_of
from leasehold_memory.data.standing import settle, state_of
from leasehold_memory.data.tables import unit
from leasehold_memory.data.versions import TAGS, index, version_of, write_version
from leasehold_memory.errors import BadEdit
from leasehold_memory.model.editing import check_edit
from leasehold_memory.model.stored import Saved, Unit
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

    A fact that is given an end, and a loop that is no longer open, are closed by that. `BadEdit`
    when a field can't be changed, or not to that.
    """
    known = get(connection, unit_id)
    payload = {**known.payload, **check_edit(known.kind, changes)}
    if payload.get("object_text") != known.payload.get("object_text"):  # it named another one
        payload["object_id"] = None
    _check_sensitivity(connection, unit_id, sensitivity)
    return _write(
        connection,
        known,
        payload,
        tags=known.tags if tags is None else tags,
        author="person",
        marks=_given(sensitivity=sensitivity, state=state),
    )


def rollback(connection: Connection, unit_id: int, version: int) -> Saved:
    """Make a unit say again what it said in a version, as its next one."""
    known = get(connection, unit_id)
    wanted = dict(version_of(connection, unit_id, version).payload)
    tags = wanted.pop(TAGS)
    return _write(connection, known, wanted, tags=tags, author="rollback", marks={})


def _write(
    connection: Connection,
    known: Unit,
    payload: Mapping[str, Any],
    *,
    tags: Iterable[str],
    author: str,
    marks: Mapping[str, Any],
) -> Saved:
    now = datetime.now(UTC)
    wanted = {**_closing(known, payload), **marks}
    held = {name for name, value in payload.items() if known.payload[name] != value}
    held |= {name for name, value in wanted.items() if getattr(known, name) != value}
    row = row_of(connection, known.id)
    saved = write_version(connection, row, payload, tags=tags, author=author, job=None, now=now)
    if not (held or saved.is_changed):
        return saved
    all_held = json.dumps(sorted({*held, *known.held}))
    own_row = update(unit).where(unit.c.id == known.id)
    connection.execute(own_row.values(held=all_held, updated_at=now, **wanted))
    index(connection, known.id)
    for derived in sorted(edges.derived_from(connection, known.id)):
        settle(connection, derived)
    return saved._replace(is_changed=True)


def _closing(known: Unit, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Say how a unit stands when it begins or ceases to be over by what it says now."""
    state = state_of(payload)
    return {} if state is state_of(known.payload) else {"state": state}


def _check_sensitivity(connection: Connection, unit_id: int, wanted: Sensitivity | None) -> None:
    sources = edges.sensitivity_of(connection, unit_id)
    if wanted is not None and sources is not None and wanted < sources:
        reason = f"must be at least {sources.name.lower()}, as what it was derived from"
        raise BadEdit("sensitivity", reason)


def _given(**marks: Any) -> dict[str, Any]:
    return {name: value for name, value in marks.items() if value is not None}
