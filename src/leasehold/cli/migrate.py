"""`leasehold migrate`: bring the tables up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.failing import EXIT_NOT_FOUND

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.store.base import SchemaStatus

_EXAMPLE = """\
leasehold migrate --dry-run
leasehold migrate
leasehold migrate --check || echo 'not up to date'"""


@click.command(cls=Command, example=_EXAMPLE)
@click.option("--check", is_flag=True, help="Change nothing; exit 3 when something is pending.")
@click.option("--dry-run", is_flag=True, help="Change nothing; show what would be run.")
@with_session
def migrate(session: Session, *, check: bool, dry_run: bool) -> None:
    """Show the version of the tables and run what is missing.

    Safe beside workers, and when several do it at once.
    """
    from leasehold.acting import record

    is_looking = check or dry_run
    with session.client(may_create=not is_looking) as client:
        before = client.store.schema()
        applied = () if is_looking else client.store.migrate()
        if applied:
            record(client.store, "migrate", ", ".join(applied), count=len(applied))
        after = client.store.schema()
        if not after.pending:
            client.store.check_schema()  # tables that are too new for this code
    if session.is_json:
        _print_json(after, applied)
    else:
        _print(session, before, after, applied)
    click.get_current_context().exit(EXIT_NOT_FOUND if check and after.pending else 0)


def _print_json(after: SchemaStatus, applied: tuple[str, ...]) -> None:
    from leasehold.cli.output import plain, print_json

    print_json({**plain(after), "applied": applied})


def _print(
    session: Session, before: SchemaStatus, after: SchemaStatus, applied: tuple[str, ...]
) -> None:
    click.echo(f"{session.shown_url}: tables at version {before.version}", nl=False)
    click.echo(f", this leasehold has {before.code_version}")
    for name in applied:
        click.echo(f"  applied {name}")
    for name in after.pending:
        click.echo(f"  pending {name}")
    click.echo("Up to date." if not after.pending else "Run `leasehold migrate`.")
