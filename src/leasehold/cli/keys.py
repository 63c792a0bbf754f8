"""`leasehold keys`: who has a key, and forgetting what is remembered of one."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Group, with_session
from leasehold.cli.failing import NotFound

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.model.keys import KeyInfo

_KEY = click.argument("key")
_TENANT = click.option("--tenant", default="", help="Whose key it is.")


@click.group(cls=Group, example="leasehold keys show link:7")
def keys() -> None:
    """Show who has a key, and forget what is remembered of one."""


@keys.command("show", example="leasehold keys show link:7 --tenant acme")
@_KEY
@_TENANT
@with_session
def show_key(session: Session, *, key: str, tenant: str) -> None:
    """Show which job has a KEY, which one waits for it, and since when."""
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        found = client.key(key, tenant=tenant)
    if found is None:
        raise _unknown(key)
    if session.is_json:
        print_json({"key": plain(found)})
    else:
        _print(found)


@keys.command("forget", example="leasehold keys forget link:7")
@_KEY
@_TENANT
@with_session
def forget_key(session: Session, *, key: str, tenant: str) -> None:
    """Forget what is remembered of a KEY that no live job has."""
    from leasehold.cli.output import print_json

    with session.client() as client:
        if not client.forget_key(key, tenant=tenant):
            raise _unknown(key)
    if session.is_json:
        print_json({"key": key, "forgotten": True})
    else:
        click.echo(f"{key} forgotten")


def _print(found: KeyInfo) -> None:
    from leasehold.cli.output import cell, make_list, show, state_cell
    from leasehold.model.wording import since

    now = datetime.now(UTC)
    table = make_list(2)
    table.add_row("key", cell(found.key))
    table.add_row("holder", cell(found.holder))
    table.add_row("state", state_cell(found.holder_state or "gone"))
    if found.next is not None:
        table.add_row("next", cell(found.next))
    table.add_row("taken", cell(since(found.taken_at, now)))
    if found.succeeded_at is not None:
        table.add_row("succeeded", cell(since(found.succeeded_at, now)))
    show(table)


def _unknown(key: str) -> NotFound:
    return NotFound(f"nothing is known of the key {key!r}")
