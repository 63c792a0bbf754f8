"""What units say: one table per kind, and the plain JSON that is hashed and kept in versions."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, bindparam, delete, select
from sqlalchemy.dialects import sqlite

from leasehold.kit.data import Moment, moment_text
from leasehold_memory.data import tables
from leasehold_memory.data.sets import among
from leasehold_memory.errors import BadPayload
from leasehold_memory.model.units import UnitKind

if TYPE_CHECKING:
    from sqlalchemy import Column, Connection, Table

TABLES = {
    UnitKind.EPISODE: tables.payload_episode,
    UnitKind.FACT: tables.payload_fact,
    UnitKind.SUMMARY: tables.payload_summary,
    UnitKind.CAPSULE: tables.payload_capsule,
    UnitKind.LOOP: tables.payload_loop,
}
_BY_ID = {
    kind: select(table).where(table.c.unit_id == bindparam("unit"))
    for kind, table in TABLES.items()
}


# What a payload holds when nothing is said of it; all else that may be empty is NULL.
_DEFAULTS: dict[str, Any] = {"conversation": "", "is_partial": False, "is_open": True}


def whole(kind: UnitKind, payload: Mapping[str, Any]) -> dict[str, Any]:
    """Name every field of the kind, moments as text, so that the same always hashes the same."""
    said = plain(payload)
    if unknown := said.keys() - set(fields_of(kind)):
        raise BadPayload(kind.name, sorted(unknown))
    return {name: said.get(name, _DEFAULTS.get(name)) for name in fields_of(kind)}


def plain(payload: Mapping[str, Any]) -> dict[str, Any]:
    """Write moments as text, in UTC, so that a payload is JSON and the same moment hashes alike."""
    return {
        name: moment_text(value) if isinstance(value, datetime) else value
        for name, value in payload.items()
    }


def fields_of(kind: UnitKind) -> tuple[str, ...]:
    """Name what a payload of this kind may hold."""
    return tuple(each.name for each in TABLES[kind].c if each.name != "unit_id")


def write(connection: Connection, unit_id: int, kind: UnitKind, payload: Mapping[str, Any]) -> None:
    """Spread a whole payload over the columns of its table."""
    write_many(connection, kind, {unit_id: payload})


def write_many(
    connection: Connection, kind: UnitKind, said: Mapping[int, Mapping[str, Any]]
) -> None:
    """Do the same for many units of one kind."""
    table = TABLES[kind]
    rows = [
        {"unit_id": unit_id}
        | {name: _column_value(table, name, value) for name, value in payload.items()}
        for unit_id, payload in said.items()
    ]
    if rows:
        connection.execute(_upsert(kind), rows)


def read(connection: Connection, kind: UnitKind, unit_ids: list[int]) -> dict[int, dict[str, Any]]:
    """Read the payloads of some units of one kind, plain as they are hashed."""
    table = TABLES[kind]
    rows = connection.execute(select(table).where(among(table.c.unit_id, unit_ids))).mappings()
    found = [dict(row) for row in rows]
    return {row.pop("unit_id"): plain(row) for row in found}


def read_one(connection: Connection, kind: UnitKind, unit_id: int) -> dict[str, Any]:
    """Read the payload of one unit, by a statement that is built once: jobs do little else."""
    found = dict(connection.execute(_BY_ID[kind], {"unit": unit_id}).mappings().one())
    del found["unit_id"]
    return plain(found)


def remove(connection: Connection, kind: UnitKind, unit_ids: list[int]) -> None:
    table = TABLES[kind]
    connection.execute(delete(table).where(among(table.c.unit_id, unit_ids)))


@cache
def _upsert(kind: UnitKind) -> sqlite.Insert:
    """Make the statement once: each chat waits for one."""
    statement = sqlite.insert(TABLES[kind])
    said = {name: statement.excluded[name] for name in fields_of(kind)}
    return statement.on_conflict_do_update(index_elements=["unit_id"], set_=said)


def _column_value(table: Table, name: str, value: Any) -> Any:
    is_moment = isinstance(table.c[name].type, Moment)
    return datetime.fromisoformat(value) if is_moment and isinstance(value, str) else value


def check(kind: UnitKind, payload: Mapping[str, Any]) -> None:
    """Refuse a payload that its table would not take: `BadPayload` names the fields."""
    columns = TABLES[kind].c
    said = whole(kind, payload)
    wrong = [name for name, value in said.items() if not _fits(columns[name], value)]
    if wrong:
        raise BadPayload(kind.name, wrong)


_MOST = 2**63  # of SQLite


def _fits(column: Column[Any], value: Any) -> bool:
    if value is None:
        return bool(column.nullable)
    if isinstance(column.type, Moment):
        return _is_moment(value)
    if isinstance(column.type, JSON):
        return True
    wanted = column.type.python_type
    if wanted in {int, float} and not isinstance(value, bool) and isinstance(value, int | float):
        return abs(value) < _MOST and (wanted is float or isinstance(value, int))
    return wanted not in {int, float} and isinstance(value, wanted)


def _is_moment(value: Any) -> bool:
    try:
        return datetime.fromisoformat(value).tzinfo is not None
    except (TypeError, ValueError):
        return False
