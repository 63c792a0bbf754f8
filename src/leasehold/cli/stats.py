"""`leasehold stats` and `leasehold failures`: how it stands, what happened, what went wrong."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.values import read_duration

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.model.failures import FailureGroup


@click.command(cls=Command, example="leasehold stats\nleasehold stats --window 24h --json")
@click.option(
    "--window",
    type=read_duration,
    metavar="TIME",
    default="1h",
    show_default=True,
    help="How far back to look: 10 seconds to 7 days.",
)
@with_session
def stats(session: Session, *, window: float) -> None:
    """Say how the queues stand now, and what happened lately.

    Run times are those of attempts that succeeded, failed or died; percentiles are within a factor
    of two.
    """
    from leasehold.cli.output import plain, print_json, show
    from leasehold.cli.stat_tables import kinds_table, queues_table, summary

    with session.client() as client:
        found = client.stats.overview(window)
    if session.is_json:
        print_json(plain(found))
        return
    show(summary(found), "", queues_table(found), "", kinds_table(found))


@click.command(cls=Command, example="leasehold failures\nleasehold failures --since 1h --limit 5")
@click.option(
    "--since",
    type=read_duration,
    metavar="TIME",
    default="24h",
    show_default=True,
    help="How far back to look.",
)
@click.option(
    "--limit",
    type=click.IntRange(min=1),
    default=50,
    show_default=True,
    help="How many groups at most.",
)
@with_session
def failures(session: Session, *, since: float, limit: int) -> None:
    """Group what did not end well by what went wrong, the most frequent first.

    Attempts that failed, died or lapsed, the newest 10,000; those whose messages differ in numbers
    and ids only are one group. Shown with the id of the newest job.
    """
    from leasehold.cli.output import plain, print_json

    with session.client() as client:
        found = client.stats.failures(since, limit=limit)
    if session.is_json:
        print_json({"failures": [plain(each) for each in found]})
        return
    _print(found)


def _print(found: list[FailureGroup]) -> None:
    from leasehold.cli.output import cell, make_table, print_rows
    from leasehold.model.wording import since as ago

    now = datetime.now(UTC)
    table = make_table("count", "dead", "waiting", "kind", "last", "job", "error")
    for each in found:
        table.add_row(
            cell(f"{each.count:,}"),
            cell(f"{each.dead:,}", "bold red" if each.dead else ""),
            cell(f"{each.waiting:,}"),
            cell(each.kind),
            cell(ago(each.last_at, now)),
            cell(each.sample, "dim"),
            cell(f"{each.error}: {each.message}".strip(": ")),
        )
    print_rows(table, empty="No failures.", rows=found)
