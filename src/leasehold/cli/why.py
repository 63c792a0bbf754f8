"""`leasehold why`: the reason that a job does not run now."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session

if TYPE_CHECKING:
    from rich.table import Table

    from leasehold.cli.session import Session
    from leasehold.model.causes import Cause
    from leasehold.model.why import Why


@click.command(cls=Command, example="leasehold why 0192f0c1-2a3b-7c4d-8e5f-60718293a4b5")
@click.argument("job_id", metavar="ID")
@with_session
def why(session: Session, *, job_id: str) -> None:
    """Say why a job does not run now, and what to do about it.

    It looks with the same eyes as a worker that comes for jobs. What else holds the job up comes
    after the first reason.
    """
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        said = client.why(job_id)
    if session.is_json:
        print_json({"why": plain(said)})
    else:
        _print(said)


def _print(said: Why) -> None:
    from leasehold.cli.output import cell, make_list, show, state_cell

    table = make_list(2)
    table.add_row(cell("state", "bold"), state_cell(said.state))
    _add(table, "why", said)
    for cause in said.also:
        _add(table, "also", cause)
    show(table)


def _add(table: Table, name: str, cause: Why | Cause) -> None:
    from leasehold.cli.output import cell
    from leasehold.model.wording import since

    table.add_row(cell(name, "bold"), cell(cause.text, wraps=True))
    if cause.until is not None:
        table.add_row("", cell(f"passes {since(cause.until, datetime.now(UTC))}", "dim"))
    for job_id in cause.jobs:
        table.add_row("", cell(job_id, "dim"))
    table.add_row("", cell(cause.advice, wraps=True))
