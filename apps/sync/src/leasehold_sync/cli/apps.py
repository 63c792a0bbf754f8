"""`leasehold-sync apps` and `check`: which accounts of which sources there are."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import click
import msgspec

from leasehold.cli.kit import (
    Command,
    Listing,
    answer,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_sync.cli.opening import RESOURCES, open_sync, read_names

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_sync.model.apps import App

_EXAMPLE = """\
leasehold-sync apps
leasehold-sync apps add shop --connector stripe --credential env:STRIPE_KEY
leasehold-sync apps load apps.toml"""
_NOTES = """\
\b
A TOML file has a table for each app; a credential is named, never written down:
  [apps.shop]
  connector = "stripe"
  credential = "env:STRIPE_KEY"        # or "stored:NAME", of leasehold's encrypted store
  sync_from = 2024-01-01
  resources = ["customers", "invoices"]
  schedule = "*/15 * * * *"            # incremental syncs; without it, when somebody says so"""


@click.group(cls=Listing, example=_EXAMPLE, notes=_NOTES)
@with_session
def apps(session: Session) -> None:
    """List apps; add, change and remove them."""
    _list(session)


def _list(session: Session) -> None:
    from leasehold_sync.apps import find

    with open_sync(session) as (_, database):
        listed = find(database)
    if session.is_json:
        print_json({"apps": [msgspec.to_builtins(app) for app in listed]})
        return
    table = make_table("app", "connector", "credential", "resources", "from", "schedule")
    for app in listed:
        table.add_row(
            cell(app.app_key),
            cell(app.connector),
            cell(app.credential),
            cell("all" if app.resources is None else ", ".join(app.resources)),
            cell(f"{app.sync_from:%Y-%m-%d}" if app.sync_from else ""),
            cell(app.schedule),
        )
    print_rows(table, empty="no app yet: leasehold-sync apps add", rows=listed)


@apps.command("list", example="leasehold-sync apps list --json")
@with_session
def list_(session: Session) -> None:
    """List apps."""
    _list(session)


@apps.command("add", example="leasehold-sync apps add shop --connector stripe --credential env:KEY")
@click.argument("app")
@click.option("--connector", required=True, help="What reads it: stripe, notion, intercom, …")
@click.option("--credential", default="", help="env:NAME, or stored:NAME of the encrypted store.")
@click.option("--base-url", default="", help="Where the source is, if not at its usual place.")
@click.option("--sync-from", type=click.DateTime(), help="Nothing that was made before, in UTC.")
@RESOURCES
@click.option("--schedule", metavar="CRON", help="When to sync what has changed.")
@click.option("--option", "options", multiple=True, metavar="NAME=VALUE", help="Of the connector.")
@with_session
def add(
    session: Session,
    /,
    *,
    app: str,
    sync_from: datetime | None,
    resources: str | None,
    options: tuple[str, ...],
    **fields: Any,
) -> None:
    """Add an app, or change all of it."""
    from leasehold_sync.model.apps import App

    chosen = read_names(resources)
    made = App(
        app_key=app,
        sync_from=sync_from.replace(tzinfo=UTC) if sync_from else None,
        resources=None if chosen is None else tuple(chosen),
        options=dict(_option(text) for text in options),
        **fields,
    )
    _save(session, [made])


@apps.command("load", example="leasehold-sync apps load apps.toml")
@click.argument("file", type=click.Path(exists=True, dir_okay=False))
@with_session
def load(session: Session, *, file: str) -> None:
    """Add or change the apps of a TOML file; others stay as they are."""
    from leasehold_sync.apps import read_toml

    _save(session, read_toml(file))


@apps.command("remove", example="leasehold-sync apps remove shop")
@click.argument("app")
@with_session
def remove(session: Session, *, app: str) -> None:
    """Forget an app and its schedule. What was synced stays."""
    from leasehold_sync.apps import get, remove

    with open_sync(session) as (client, database):
        remove(client, database, get(database, app).app_key)
    answer(session, f"{app} is removed", app_key=app)


@click.command(cls=Command, example="leasehold-sync check shop")
@click.argument("app")
@RESOURCES
@with_session
def check(session: Session, *, app: str, resources: str | None) -> None:
    """Read one page of an app and keep nothing, to see whether a sync could read it.

    Without --resources that is the first one it has: those who may read it may read the others.
    """
    from leasehold_sync.apps import get
    from leasehold_sync.checking import check as look

    with open_sync(session) as (client, database):
        seen = look(client, get(database, app), read_names(resources))
    told = ", ".join(f"{count} {name}" for name, count in seen.items())
    answer(session, f"{app} can be read: a page has {told}", app_key=app, seen=seen)


def _save(session: Session, made: list[App]) -> None:
    from leasehold_sync.apps import save

    with open_sync(session, may_create=True) as (client, database):
        for each in made:
            save(client, database, each)
    names = [each.app_key for each in made]
    answer(session, f"{', '.join(names) or 'nothing'} is known now", apps=names)


def _option(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise click.BadParameter(f"{text!r}: write NAME=VALUE", param_hint="--option")
    return name, value
