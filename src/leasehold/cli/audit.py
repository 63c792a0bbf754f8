"""`leasehold audit`: what people did."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.commands import Group, with_session
from leasehold.cli.controlling import BY, answer
from leasehold.cli.values import read_duration

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.model.audit import AuditRecord

_EXAMPLE = """\
leasehold audit --since 24h
leasehold audit --tenant acme --action jobs.delete --json
leasehold audit prune --older 365d"""


@click.group(cls=Group, invoke_without_command=True, example=_EXAMPLE)
@click.option("--tenant", help="Only what was about this tenant's things.")
@click.option("--actor", help="Only what this one did.")
@click.option("--action", help="Only this, like queue.pause.")
@click.option("--since", type=read_duration, metavar="TIME", help="Only the last 24h, for example.")
@click.option("--limit", type=click.IntRange(1, 10_000), default=50, show_default=True)
@with_session
def audit(session: Session, /, *, since: float | None, **words: Any) -> None:
    """Show what people did, the newest first: who, what, from where, how many.

    Rows are kept for ever, unless somebody prunes them; that is in the record, too.
    """
    if click.get_current_context().invoked_subcommand is not None:
        return
    from datetime import timedelta

    with session.client() as client:
        start = None if since is None else client.store.moment() - timedelta(seconds=since)
        found = list(client.audit.list(since=start, **words))
    if session.is_json:
        from leasehold.cli.output import plain, print_json

        print_json({"audit": [plain(each) for each in found]})
    else:
        _print_table(found)


@audit.command("prune", example="leasehold audit prune --older 365d")
@click.option(
    "--older", type=read_duration, metavar="TIME", required=True, help="Than this, like 365d."
)
@BY
@with_session
def prune(session: Session, /, *, older: float, by: str | None) -> None:
    """Take away old rows; a row says that it was done, by whom, and how many went."""
    from leasehold.model.wording import count

    with session.client() as client:
        gone = client.audit.prune(older, by=by)
    answer(session, f"{count(gone, 'row is', 'rows are')} gone", gone=gone)


def _print_table(found: list[AuditRecord]) -> None:
    from leasehold.cli.output import cell, make_table, print_rows

    table = make_table("when", "who", "via", "from", "tenant", "what", "of", "count", "")
    for each in found:
        said = ", ".join(f"{name}={value}" for name, value in each.detail.items())
        table.add_row(
            cell(f"{each.at:%Y-%m-%d %H:%M:%SZ}"),
            *map(cell, (each.actor or "-", each.via, each.address or "-", each.tenant or "-")),
            *map(cell, (each.action, each.subject or "-", f"{each.count:,}", said)),
        )
    print_rows(table, empty="Nobody did anything yet.", rows=found)
