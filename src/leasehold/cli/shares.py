"""`leasehold shares`: who takes turns, and whose turns count more than once."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Listing, with_session
from leasehold.cli.controlling import BY, NAME, answer

if TYPE_CHECKING:
    from leasehold.cli.session import Session

_EXAMPLE = """\
leasehold shares
leasehold shares set user:7 --weight 3"""


@click.group(cls=Listing, example=_EXAMPLE)
@with_session
def shares(session: Session) -> None:
    """List the shares that have jobs waiting or a weight, or change a weight.

    Shares of one queue and priority take turns; one of weight 3 starts three jobs for each one of
    a share of weight 1, which is usual.
    """
    _list(session)


@shares.command("set", example="leasehold shares set user:7 --weight 3")
@NAME
@click.option("--weight", type=int, required=True, help="A whole number from 1 to 1,000.")
@BY
@with_session
def set_weight(session: Session, *, name: str, weight: int, by: str | None) -> None:
    """Change the weight of a share, from the workers' next looks on."""
    with session.client() as client:
        client.shares.set(name, weight=weight, by=by)
    answer(session, f"{name} has the weight {weight:,}", name=name, weight=weight)


def _list(session: Session) -> None:
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows

    with session.client() as client:
        found = client.shares.list()
    if session.is_json:
        print_json({"shares": [plain(each) for each in found]})
        return
    table = make_table("share", "weight", "waiting", "set by")
    for each in found:
        table.add_row(
            cell(each.name), cell(each.weight), cell(f"{each.waiting:,}"), cell(each.set_by)
        )
    print_rows(table, empty="No shares.", rows=found)
