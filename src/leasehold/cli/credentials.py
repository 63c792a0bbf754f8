"""`leasehold credentials`: values that applications keep encrypted in the store."""

from __future__ import annotations

import sys
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Group, with_session
from leasehold.cli.failing import NotFound

if TYPE_CHECKING:
    from leasehold.cli.session import Session

_NAME = click.argument("name")
_TENANT = click.option("--tenant", default="", help="Whose it is.")


@click.group(cls=Group, example="leasehold credentials set stripe < key.txt")
def credentials() -> None:
    """Keep, list and remove encrypted values; no command shows one."""


@credentials.command("set", example="leasehold credentials set stripe --tenant acme < key.txt")
@_NAME
@_TENANT
@click.option("--by", help="Who sets it.")
@with_session
def set_credential(session: Session, *, name: str, tenant: str, by: str | None) -> None:
    """Keep what comes in on stdin under a NAME; never as an argument, which others could see."""
    from leasehold.cli.output import print_json

    value = _read()
    with session.client(may_create=True) as client:
        client.credentials.set(name, value, tenant=tenant, by=by)
    if session.is_json:
        print_json({"name": name, "tenant": tenant, "set": True})
    else:
        click.echo(f"{name} set")


@credentials.command("list", example="leasehold credentials list --json")
@click.option("--tenant", help="Only this tenant's.")
@with_session
def list_credentials(session: Session, *, tenant: str | None) -> None:
    """List the names, whose they are, and the key that encrypted each."""
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows
    from leasehold.model.wording import since

    with session.client() as client:
        found = client.credentials.list(tenant=tenant)
    if session.is_json:
        print_json({"credentials": [plain(each) for each in found]})
        return
    now = datetime.now(UTC)
    table = make_table("name", "tenant", "key", "set by", "set")
    for each in found:
        table.add_row(
            cell(each.name),
            cell(each.tenant),
            cell(each.key or ""),
            cell(each.set_by or ""),
            cell(since(each.updated_at, now)),
        )
    print_rows(table, empty="No credentials.", rows=found)


@credentials.command("remove", example="leasehold credentials remove stripe")
@_NAME
@_TENANT
@with_session
def remove_credential(session: Session, *, name: str, tenant: str) -> None:
    """Forget the value under a NAME."""
    from leasehold.cli.output import print_json

    with session.client() as client:
        if not client.credentials.remove(name, tenant=tenant):
            raise NotFound(f"there is no credential {name!r}")
    if session.is_json:
        print_json({"name": name, "tenant": tenant, "removed": True})
    else:
        click.echo(f"{name} removed")


def _read() -> str:
    """Read the value; one line end that an editor has added is not part of it."""
    text = sys.stdin.read()
    return text.removesuffix("\n").removesuffix("\r")
