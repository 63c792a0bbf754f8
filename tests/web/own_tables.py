"""An application with a table of its own, and one whose tables can't be made."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.applications import Starlette

import leasehold as lh
from leasehold.web import Application
from tests.conformance.tables import open_tables

if TYPE_CHECKING:
    from leasehold.client import Client

STEP = "0001_notes"


@lh.task(name="own.note")
def note() -> None:
    """Needs the table."""


def make_app(_client: Client) -> Starlette:
    return Starlette()


def migrate(client: Client) -> list[str]:
    missing = pending(client)
    for _ in missing:
        with open_tables(client.url) as tables:
            tables.execute("CREATE TABLE own_notes (id integer)")
    return missing


def pending(client: Client) -> list[str]:
    is_file = client.url.startswith("sqlite")
    names = "sqlite_master WHERE name" if is_file else "pg_tables WHERE tablename"
    with open_tables(client.url) as tables:
        return [] if tables.execute(f"SELECT 1 FROM {names} = 'own_notes'") else [STEP]  # noqa: S608 - one of two


def fail(_client: Client) -> list[str]:
    raise RuntimeError("no room: postgresql://me:canary-secret@db/x")


application = Application(
    name="own", title="Own", make_app=make_app, tasks=[note], migrate=migrate, pending=pending
)
broken = Application(name="bad", title="Bad", make_app=make_app, migrate=fail, pending=pending)
