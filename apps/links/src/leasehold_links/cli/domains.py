"""`leasehold-links domains`: domains that may not want us, and what is decided about them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click
import msgspec

from leasehold.cli.kit import (
    Listing,
    answer,
    cell,
    make_table,
    os_user,
    print_json,
    print_rows,
    with_session,
)
from leasehold_links.cli.opening import open_library

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_links.data.domains import DomainInfo

_EXAMPLE = """\
leasehold-links domains
leasehold-links domains --state blocked
leasehold-links domains block example.com
leasehold-links domains allow example.com --requeue"""
_PAGE = 500
_STATES = ("candidate", "blocked", "allowed")

BY = click.option("--by", default=lambda: os_user() or "somebody", help="Who says so.")


@click.group(cls=Listing, example=_EXAMPLE)
@click.option("--state", type=click.Choice(_STATES), help="Only these.")
@with_session
def domains(session: Session, *, state: str | None) -> None:
    """List domains with what counts against them; block or allow them."""
    _print(session, _all(session, state))


@domains.command("block", example="leasehold-links domains block example.com")
@click.argument("domain")
@BY
@with_session
def block(session: Session, *, domain: str, by: str) -> None:
    """Fetch nothing of a domain any more."""
    from leasehold_links import curating

    with open_library(session) as (_, database):
        made = curating.block(database, domain, by=by)
    answer(session, f"{made.domain} is blocked", **msgspec.to_builtins(made))


@domains.command("allow", example="leasehold-links domains allow example.com --requeue")
@click.argument("domain")
@click.option("--requeue", is_flag=True, help="Try what died of it again.")
@BY
@with_session
def allow(session: Session, *, domain: str, requeue: bool, by: str) -> None:
    """Lift a block, or say that a candidate is none.

    It says how many links died of it; --requeue tries them again.
    """
    from leasehold_links import curating

    with open_library(session) as (client, database):
        made = curating.allow(database, domain, by=by)
        done = curating.requeue_lifted(client, database, domain).requeued if requeue else 0
    told = f"{made.domain} is allowed"
    if requeue:
        told += f"; {done:,} links will be tried again"
    elif made.requeueable:
        told += f"; {made.requeueable:,} links died of it: try them again with --requeue"
    answer(session, told, **msgspec.to_builtins(made), requeued=done)


def _all(session: Session, state: str | None) -> list[DomainInfo]:
    from leasehold_links import curating

    with open_library(session) as (_, database):
        found = page = curating.list_domains(database, state, limit=_PAGE)
        while len(page) == _PAGE:
            page = curating.list_domains(database, state, after=page[-1].domain, limit=_PAGE)
            found += page
    return found


def _print(session: Session, found: list[DomainInfo]) -> None:
    if session.is_json:
        print_json(msgspec.to_builtins(found))
        return
    table = make_table("domain", "state", "answers", "reasons", "decided by")
    for each in found:
        reasons = ", ".join(sorted({one.reason for one in each.evidence}))
        told = (each.domain, each.state, each.evidence_count, reasons, each.decided_by)
        table.add_row(*map(cell, told))
    print_rows(table, empty="Nothing is known against any domain.", rows=found)
