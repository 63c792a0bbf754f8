"""Apps: told of by a TOML file or by hand, kept in a table, read with their credential."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

import leasehold as lh
from leasehold_sync.connectors import connector_named
from leasehold_sync.data import apps as rows
from leasehold_sync.errors import BadApp, CredentialMissing, UnknownResource
from leasehold_sync.model.apps import App, check_app, read_credential_reference
from leasehold_sync.model.pages import Config, Resource

if TYPE_CHECKING:
    from leasehold.kit.data import Database

BEGIN = "sync.begin"  # the task that a schedule runs


def get(database: Database, app_key: str) -> App:
    """Return an app, else `AppNotFound`."""
    with database.read() as connection:
        return rows.get(connection, app_key)


def find(database: Database) -> list[App]:
    """List all of them, by key."""
    with database.read() as connection:
        return rows.find(connection)


def save(client: lh.Client, database: Database, app: App) -> None:
    """Add an app, or change it, with its schedule."""
    check_app(app)
    resources_of(app)
    _schedule(client, app)
    with database.write() as connection:
        rows.save(connection, app, datetime.now(UTC))


def remove(client: lh.Client, database: Database, app_key: str) -> None:
    """Forget an app and its schedule; what came from it stays."""
    with database.write() as connection:
        rows.remove(connection, app_key)
    _unschedule(client, _schedule_name(app_key))


def _schedule(client: lh.Client, app: App) -> None:
    name = _schedule_name(app.app_key)
    if app.schedule is None:
        _unschedule(client, name)
        return
    try:
        client.schedules.set(
            name, app.schedule, BEGIN, {"app_key": app.app_key}, options={"queue": "sync"}
        )
    except lh.BadOption as error:
        raise BadApp("schedule", str(error)) from error


def _unschedule(client: lh.Client, name: str) -> None:
    if any(each.name == name for each in client.schedules.list()):
        client.schedules.delete(name)


def _schedule_name(app_key: str) -> str:
    return f"sync {app_key}"


def resources_of(app: App) -> dict[str, Resource]:
    """Return what a sync of this app reads, by name: all that its connector has, or some of it."""
    known = {each.name: each for each in connector_named(app.connector).resources}
    chosen = tuple(known) if app.resources is None else app.resources
    unknown = [name for name in chosen if name not in known]
    if unknown:
        raise UnknownResource(unknown, tuple(known))
    return {name: known[name] for name in chosen}


def choose(app: App, wanted: Sequence[str] | None) -> tuple[str, ...]:
    """Return what is to be synced, each once: all that the app has, or what was asked for."""
    valid = tuple(resources_of(app))
    if wanted is None:
        return valid
    unknown = [name for name in wanted if name not in valid]
    if unknown or not wanted:
        raise UnknownResource(unknown, valid)
    return tuple(dict.fromkeys(wanted))


def config_of(client: lh.Client, app: App) -> Config:
    """Read the credential, and put together what a connector is told."""
    return Config(
        app_key=app.app_key,
        credential=_credential(client, app.credential),
        base_url=app.base_url,
        sync_from=app.sync_from,
        options=app.options,
    )


def _credential(client: lh.Client, text: str) -> lh.Secret[str]:
    reference = read_credential_reference(text)
    if reference is None:
        return lh.Secret("")
    if reference.kind == "env":
        found = os.environ.get(reference.name)
        if not found:
            raise CredentialMissing(text, "there is no such variable in the environment")
        return lh.Secret(found)
    try:
        return client.credentials.get(reference.name)
    except (lh.CredentialNotFound, lh.EncryptionError) as error:
        raise CredentialMissing(text, str(error)) from error


def read_toml(path: Path | str) -> list[App]:
    """Read `[apps.KEY]` tables; a field that we don't know is refused."""
    try:
        document = tomllib.loads(Path(path).read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadApp("TOML", str(error)) from error
    return [_read(key, fields) for key, fields in document.get("apps", {}).items()]


def _read(key: str, fields: Mapping[str, Any]) -> App:
    said = {"app_key": key, **fields}
    if isinstance(said.get("sync_from"), date):
        said["sync_from"] = _moment(said["sync_from"])
    try:
        return msgspec.convert(said, App)
    except msgspec.ValidationError as error:
        raise BadApp(f"apps.{key}", str(error)) from error


def _moment(said: date) -> datetime:
    """Read a date as its first moment, and a time without a zone as UTC."""
    moment = said if isinstance(said, datetime) else datetime.combine(said, time())
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)
