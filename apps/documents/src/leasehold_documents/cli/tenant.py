"""`leasehold-documents tenant`: the organizations, and what a page costs them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import (
    Listing,
    answer,
    cell,
    make_table,
    print_json,
    print_rows,
    with_session,
)
from leasehold_documents.cli.opening import open_documents, tenant_of

if TYPE_CHECKING:
    from leasehold.cli.kit import Session

_EXAMPLE = """\
leasehold-documents tenant
leasehold-documents tenant add "Hausverwaltung Lindenhof"
leasehold-documents tenant price "Hausverwaltung Lindenhof" --fast 1 --hires 3"""
_CENTS = click.IntRange(0, 100_000)


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def tenant(session: Session) -> None:
    """List organizations; add one, or say what a page costs it."""
    _list(session)


@tenant.command("list", example="leasehold-documents tenant list --json")
@with_session
def list_(session: Session) -> None:
    """List organizations."""
    _list(session)


def _list(session: Session) -> None:
    from leasehold_documents.data import people

    with open_documents(session) as (_, database), database.read() as connection:
        rows = people.find_organizations(connection)
    if session.is_json:
        print_json({"tenants": rows})
        return
    table = make_table("organization", "id", "fast", "hires")
    for row in rows:
        table.add_row(
            cell(row["name"]),
            cell(row["id"]),
            *(_price(row[name]) for name in ("fast_cents", "hires_cents")),
        )
    print_rows(table, empty="no organization yet: leasehold-documents tenant add", rows=rows)


def _price(cents: int | None) -> str:
    return "as set" if cents is None else f"{cents} ct"


@tenant.command("add", example='leasehold-documents tenant add "Hausverwaltung Lindenhof"')
@click.argument("name")
@with_session
def add(session: Session, *, name: str) -> None:
    """Add an organization, with folders for German papers."""
    from leasehold_documents import access

    with open_documents(session, may_create=True) as (_, database):
        tenant_id = access.create_organization(database, name)
    answer(session, f"{name} is {tenant_id}", tenant_id=str(tenant_id), name=name)


@tenant.command("price", example="leasehold-documents tenant price Lindenhof --fast 1 --hires 3")
@click.argument("name", metavar="NAME|ID")
@click.option("--fast", type=_CENTS, help="Cents for a page.  [default: as the settings say]")
@click.option("--hires", type=_CENTS, help="The same for scans.")
@with_session
def price(session: Session, *, name: str, fast: int | None, hires: int | None) -> None:
    """Say what a page costs an organization. What was estimated before stays as it was."""
    from leasehold_documents.data import people

    with open_documents(session) as (_, database):
        tenant_id = tenant_of(database, name)
        with database.write() as connection:
            people.set_prices(connection, tenant_id, fast_cents=fast, hires_cents=hires)
    told = f"a page costs {name} {_price(fast)} fast, {_price(hires)} hires"
    answer(session, told, tenant_id=str(tenant_id), fast_cents=fast, hires_cents=hires)
