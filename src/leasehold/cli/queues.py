"""`leasehold queues` and `leasehold workers`: what waits, and who is there."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session

if TYPE_CHECKING:
    from leasehold.cli.session import Session

_COUNTS = ("ready", "scheduled", "failed", "running", "parked")


@click.command(cls=Command, example="leasehold queues")
@with_session
def queues(session: Session) -> None:
    """Count the live jobs of each queue.

    Ready jobs can start now, scheduled ones later; failed ones wait for their next try; parked
    ones wait for a worker that knows their kind.
    """
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows

    with session.client() as client:
        found = client.counts()
    if session.is_json:
        print_json({"queues": [plain(each) for each in found]})
        return
    table = make_table("queue", *_COUNTS)
    for each in found:
        numbers = [getattr(each, name) for name in _COUNTS]
        table.add_row(cell(each.queue), *(cell(f"{number:,}") for number in numbers))
    print_rows(table, empty="No live jobs.", rows=found)


@click.command(cls=Command, example="leasehold workers --json")
@with_session
def workers(session: Session) -> None:
    """List the workers that have shown themselves."""
    from leasehold.cli.output import cell, make_table, plain, print_json, print_rows, since

    with session.client() as client:
        found = client.workers()
    if session.is_json:
        print_json({"workers": [{**plain(each), "id": str(each.id)} for each in found]})
        return
    now = datetime.now(UTC)
    table = make_table(
        "worker", "queues", "kinds", "running", "slots", "version", "started", "seen"
    )
    for each in found:
        table.add_row(
            cell(each.name),
            cell(", ".join(each.queues)),
            cell(len(each.kinds)),
            cell(each.running),
            cell(each.slots),
            cell(each.version),
            cell(since(each.started_at, now)),
            cell(since(each.seen_at, now)),
        )
    print_rows(table, empty="No workers.", rows=found)
