"""`leasehold-links dead`: links that could not be enriched, and another try for them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from uuid import UUID

import click
import msgspec

from leasehold.cli.kit import Group, answer, cell, make_table, print_json, print_rows, with_session
from leasehold_links.cli.opening import USER, open_library

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_links.data.enrichments import Wanted

_EXAMPLE = """\
leasehold-links dead
leasehold-links dead --list --domain example.com
leasehold-links dead requeue --reason timeout
leasehold-links dead requeue --link 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"""
_PAGE = 500

DOMAIN = click.option("--domain", help="Only those of this domain.")
REASON = click.option("--reason", "reasons", multiple=True, help="Only those with this reason.")
EVERYBODY = click.option("--everybody", is_flag=True, help="Of all users, not of one.")


@click.group(cls=Group, invoke_without_command=True, example=_EXAMPLE)
@DOMAIN
@REASON
@EVERYBODY
@click.option("--list", "is_listed", is_flag=True, help="Each of them, not only how many.")
@USER
@with_session
def dead(
    session: Session,
    *,
    domain: str | None,
    reasons: tuple[str, ...],
    everybody: bool,
    is_listed: bool,
    user_id: str,
) -> None:
    """Count links that could not be enriched by domain and reason; or list them."""
    if click.get_current_context().invoked_subcommand is not None:
        return
    wanted = _wanted(user_id, domain, reasons, everybody=everybody)
    if is_listed:
        _list(session, wanted)
    else:
        _count(session, wanted)


@dead.command("requeue", example="leasehold-links dead requeue --domain example.com")
@click.option("--link", "link_id", type=click.UUID, help="Only this one.")
@DOMAIN
@REASON
@EVERYBODY
@USER
@with_session
def requeue(
    session: Session,
    *,
    link_id: UUID | None,
    domain: str | None,
    reasons: tuple[str, ...],
    everybody: bool,
    user_id: str,
) -> None:
    """Try them again: one, those of a domain or a reason, or all."""
    from leasehold_links import curating

    with open_library(session) as (client, database):
        if link_id is not None:
            count = int(curating.requeue_link(client, database, user_id, link_id))
        else:
            wanted = _wanted(user_id, domain, reasons, everybody=everybody)
            count = curating.requeue(client, database, wanted).requeued
    answer(session, f"{count:,} will be tried again", requeued=count)


def _wanted(
    user_id: str, domain: str | None, reasons: tuple[str, ...], *, everybody: bool
) -> Wanted:
    from leasehold_links.curating import read_domain
    from leasehold_links.data.enrichments import Wanted

    return Wanted(
        user_id=None if everybody else user_id,
        domain=None if domain is None else read_domain(domain),
        reasons=reasons or None,
    )


def _count(session: Session, wanted: Wanted) -> None:
    from leasehold_links import curating

    with open_library(session) as (_, database):
        found = curating.group_dead(database, wanted)
    if session.is_json:
        print_json(msgspec.to_builtins(found))
        return
    table = make_table("domain", "reason", "links")
    for each in found:
        table.add_row(cell(each.domain), cell(each.reason), cell(f"{each.count:,}"))
    print_rows(table, empty="All links are well.", rows=found)


def _list(session: Session, wanted: Wanted) -> None:
    from leasehold_links import curating

    with open_library(session) as (_, database):
        found = page = curating.list_dead(database, wanted, limit=_PAGE)
        while len(page) == _PAGE:
            page = curating.list_dead(database, wanted, after=page[-1].canonical_id, limit=_PAGE)
            found += page
    if session.is_json:
        print_json(msgspec.to_builtins(found))
        return
    table = make_table("link", "reason", "address")
    for each in found:
        table.add_row(cell(each.link_id or each.canonical_id), cell(each.reason), cell(each.url))
    print_rows(table, empty="All links are well.", rows=found)
