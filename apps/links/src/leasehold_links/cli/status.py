"""`leasehold-links status`: imports and enrichments at a glance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from leasehold.cli.kit import (
    Command,
    cell,
    first_line,
    make_table,
    plain,
    print_json,
    show,
    with_session,
)
from leasehold_links.cli.opening import USER, open_library

if TYPE_CHECKING:
    from leasehold.cli.kit import Session
    from leasehold_links.curating import Stats

_COUNTED = ("imported", "duplicate", "skipped", "failed")


@click.command(
    cls=Command, example="leasehold-links status\nleasehold-links status --json --most 50"
)
@click.option("--most", type=click.IntRange(1), default=10, show_default=True, help="Imports.")
@USER
@with_session
def status(session: Session, *, most: int, user_id: str) -> None:
    """Show the newest imports of a library, and how far its links are enriched."""
    from leasehold_links.curating import stats
    from leasehold_links.data import imports

    with open_library(session) as library:
        with library.database.read() as connection:
            listed = imports.newest(connection, user_id, most)
        found = stats(library.database, user_id)
    if session.is_json:
        print_json({"user": user_id, "imports": listed, "enrichment": plain(found)})
        return
    _print_imports(listed)
    _print_stats(found)


def _print_imports(listed: list[dict[str, Any]]) -> None:
    if not listed:
        click.echo("no import yet: leasehold-links import bookmarks.html")
        return
    table = make_table(
        "import", "status", "processed", "imported", "duplicate", "skipped", "failed", ""
    )
    for row in listed:
        numbers = (row[name] for name in ("imported", "duplicate", "skipped", "failed"))
        table.add_row(
            cell(row["id"]),
            cell(row["status"]),
            cell(f"{row['processed']:,} of {row['total']:,}"),
            *(cell(f"{number:,}") for number in numbers),
            cell(first_line(row["error"]) or row["file"]),
        )
    show(table)


def _print_stats(found: Stats) -> None:
    parts = (f"{amount:,} {name}" for name, amount in plain(found)["by_status"].items() if amount)
    click.echo(f"enrichment: {', '.join(parts) or 'nothing yet'}")
