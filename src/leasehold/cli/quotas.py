"""`leasehold quotas`: what tenants may have, and how far they have used it up."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import BY, answer
from leasehold.cli.values import OFF

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.model.quotas import QuotaInfo

_EXAMPLE = """\
leasehold quotas
leasehold quotas set acme --waiting 10000 --running 20 --rate 100/minute
leasehold quotas set acme --rate off
leasehold quotas remove acme"""
TENANT = click.argument("tenant")


def _read_count(text: str) -> int | str:
    if text == OFF or text.isdecimal():
        return text if text == OFF else int(text)
    raise click.BadParameter(f"{text!r} is neither a whole number nor {OFF}")


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def quotas(session: Session) -> None:
    """Show what tenants may have, and how far they have used it up.

    A tenant without quotas has no limits.
    """
    with session.client() as client:
        found = client.quotas.list()
    _print(session, found)


@quotas.command("set", example="leasehold quotas set acme --waiting 10000 --rate 100/minute")
@TENANT
@click.option(
    "--waiting", type=_read_count, metavar="N|off", help="Jobs that have not ended and do not run."
)
@click.option("--running", type=_read_count, metavar="N|off", help="At once, in all workers.")
@click.option("--rate", metavar="N/TIME|off", help="Enqueues: 100/minute, 5000/1h.")
@BY
@with_session
def set_quota(
    session: Session,
    *,
    tenant: str,
    waiting: int | str | None,
    running: int | str | None,
    rate: str | None,
    by: str | None,
) -> None:
    """Change quotas of a tenant; `off` takes one away, those that are not named stay."""
    given = {"waiting": waiting, "running": running, "rate": rate}
    said: dict[str, Any] = {
        name: None if value == OFF else value for name, value in given.items() if value is not None
    }
    with session.client() as client:
        client.quotas.set(tenant, **said, by=by)
    answer(session, f"{tenant} has its new quotas", tenant=tenant)


@quotas.command("remove", example="leasehold quotas remove acme")
@TENANT
@with_session
def remove(session: Session, *, tenant: str) -> None:
    """Take all quotas of a tenant away."""
    with session.client() as client:
        is_changed = client.quotas.remove(tenant)
    text = f"{tenant} has no quotas any more" if is_changed else f"{tenant} had no quotas"
    answer(session, text, tenant=tenant, is_changed=is_changed)


def _print(session: Session, found: list[QuotaInfo]) -> None:
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows
    from leasehold.cli.throttles import rate_text

    if session.is_json:
        print_json({"quotas": [plain(each) for each in found]})
        return
    table = make_table("tenant", "waiting", "running", "rate", "left", "set by")
    for each in found:
        table.add_row(
            cell(each.tenant),
            cell(_of(each.waiting, each.waiting_limit)),
            cell(_of(each.running, each.running_limit)),
            cell("" if each.rate is None else rate_text(each.rate)),
            cell("" if each.tokens is None else f"{max(0.0, each.tokens):,.1f}"),
            cell(each.set_by or ""),
        )
    print_rows(table, empty="No tenant has quotas.", rows=found)


def _of(count: int, limit: int | None) -> str:
    return f"{count:,}" if limit is None else f"{count:,} of {limit:,}"
