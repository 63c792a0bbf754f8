"""The rows of `apps`."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, select

from leasehold.kit.data import upsert
from leasehold_sync.data.tables import app as table
from leasehold_sync.errors import AppNotFound
from leasehold_sync.model.apps import App

if TYPE_CHECKING:
    from sqlalchemy import Connection

_FIELDS = App.__struct_fields__


def get(connection: Connection, app_key: str) -> App:
    found = connection.execute(select(table).where(table.c.app_key == app_key)).mappings().first()
    if found is None:
        raise AppNotFound(app_key)
    return _read(found)


def find(connection: Connection) -> list[App]:
    rows = connection.execute(select(table).order_by(table.c.app_key)).mappings()
    return [_read(row) for row in rows]


def save(connection: Connection, app: App, now: datetime) -> None:
    said = {name: getattr(app, name) for name in _FIELDS}
    resources = None if app.resources is None else list(app.resources)
    row = {**said, "resources": resources, "created_at": now, "updated_at": now}
    upsert(connection, table, row, key=("app_key",), keep=("created_at",))


def remove(connection: Connection, app_key: str) -> None:
    if not connection.execute(delete(table).where(table.c.app_key == app_key)).rowcount:
        raise AppNotFound(app_key)


def _read(row: Mapping[Any, Any]) -> App:
    resources = row["resources"]
    fields = {name: row[name] for name in _FIELDS}
    return App(**{**fields, "resources": None if resources is None else tuple(resources)})
