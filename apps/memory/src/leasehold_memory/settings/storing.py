"""The tables of `settings.db`, and all statements over them."""

from __future__ import annotations

import secrets
from typing import TYPE_CHECKING, Any

from sqlalchemy import JSON, Column, Integer, MetaData, Table, Text, delete, insert, select, text

from leasehold.kit.data import upsert
from leasehold_memory.errors import TooNew
from leasehold_memory.model.presets import (
    EmbeddingPreset,
    ModelPreset,
    PersonaPreset,
    preset_fields,
    read_preset,
)
from leasehold_memory.settings.defaults import DEFAULTS
from leasehold_memory.settings.snapshot import Snapshot

if TYPE_CHECKING:
    from sqlalchemy import Connection

_VERSION = 1
_TOKEN = "token"  # noqa: S105  # nosec B105  # the name of the row
TOKEN_BYTES = 24
_metadata = MetaData()
_value = Table(
    "settings",
    _metadata,
    Column("name", Text, primary_key=True),
    Column("value", JSON, nullable=False),
)
_preset = Table(
    "presets",
    _metadata,
    Column("kind", Text, primary_key=True),  # embedding, model, persona
    Column("id", Text, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("fields", JSON, nullable=False),
)
_SHAPES: dict[str, Any] = {
    "embedding": EmbeddingPreset,
    "model": ModelPreset,
    "persona": PersonaPreset,
}
_PLAIN = (
    "revision",
    "memory_enabled",
    "active_embedding_preset_id",
    "active_model_preset_id",
    "active_persona_preset_id",
)


def prepare(connection: Connection) -> None:
    """Make the tables of a new file, with the defaults and a token; both only once."""
    version = connection.scalar(text("PRAGMA user_version"))
    if version > _VERSION:
        raise TooNew("settings.db", version)
    if version == _VERSION:
        return
    _metadata.create_all(connection)
    write(connection, DEFAULTS)
    write_token(connection, secrets.token_urlsafe(TOKEN_BYTES))
    connection.exec_driver_sql(f"PRAGMA user_version = {_VERSION}")


def is_prepared(connection: Connection) -> bool:
    return bool(connection.scalar(text("PRAGMA user_version")) == _VERSION)


def read_revision(connection: Connection) -> int:
    """Return the number of the last change, which is quicker than reading all."""
    query = select(_value.c.value).where(_value.c.name == "revision")
    return int(connection.execute(query).scalar_one())


def read_token(connection: Connection) -> str:
    return str(connection.scalar(select(_value.c.value).where(_value.c.name == _TOKEN)))


def write_token(connection: Connection, token: str) -> None:
    upsert(connection, _value, {"name": _TOKEN, "value": token}, key=["name"])


def read(connection: Connection) -> Snapshot:
    """Read all settings."""
    rows = connection.execute(select(_value).where(_value.c.name.in_(_PLAIN)))
    plain: dict[str, Any] = {row.name: row.value for row in rows}
    presets: dict[str, Any] = {
        f"{kind}_presets": _read_presets(connection, kind) for kind in _SHAPES
    }
    return Snapshot(**plain, **presets)


def write(connection: Connection, snapshot: Snapshot) -> None:
    """Write all settings in place of those that were there."""
    for name in _PLAIN:
        row = {"name": name, "value": getattr(snapshot, name)}
        upsert(connection, _value, row, key=["name"])
    connection.execute(delete(_preset))
    for kind in _SHAPES:
        _write_presets(connection, kind, getattr(snapshot, f"{kind}_presets"))


def _read_presets(connection: Connection, kind: str) -> tuple[Any, ...]:
    query = select(_preset.c.fields).where(_preset.c.kind == kind).order_by(_preset.c.position)
    return tuple(read_preset(_SHAPES[kind], fields) for fields in connection.scalars(query))


def _write_presets(connection: Connection, kind: str, presets: tuple[Any, ...]) -> None:
    rows = [
        {"kind": kind, "id": preset.id, "position": number, "fields": preset_fields(preset)}
        for number, preset in enumerate(presets)
    ]
    connection.execute(insert(_preset), rows)
