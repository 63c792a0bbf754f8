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
leasehold migrate --roles
leasehold migrate --check || echo 'not up to date'"""


@click.command(cls=Command, example=_EXAMPLE)
@click.option("--check", is_flag=True, help="Change nothing; exit 3 when something is pending.")
@click.option("--dry-run", is_flag=True, help="Change nothing; show what would be run.")
@click.option(
    "--roles",
    is_flag=True,
    help="Make PostgreSQL roles (owner, migrator, worker, app) and row level security for tenants.",
)
@click.option("--role-prefix", metavar="TEXT", help="What their names begin with [leasehold_].")
@with_session
def migrate(
    session: Session, *, check: bool, dry_run: bool, roles: bool, role_prefix: str | None
) -> None:
    """Show the version of the tables and run what is missing.

    Safe beside workers, and when several do it at once. With --roles it also makes, or brings up to
    date, the roles that keep tenants apart; that needs a superuser, or CREATEROLE and the tables.
    """
    from leasehold.acting import record

    if role_prefix is not None and not roles:
        raise click.UsageError("--role-prefix goes with --roles")
    is_looking = check or dry_run
    changed: tuple[str, ...] = ()
    with session.client(may_create=not is_looking) as client:
        before = client.store.schema()
        applied = () if is_looking else client.store.migrate()
        if applied:
            record(client.store, "migrate", ", ".join(applied), count=len(applied))
        after = client.store.schema()
        if not after.pending:
            client.store.check_schema()  # tables that are too new for this code
        if roles and not after.pending:
            changed = client.store.set_up_roles(role_prefix, dry_run=is_looking)
            if changed and not is_looking:
                record(client.store, "migrate", "roles", count=len(changed))
    if session.is_json:
        _print_json(after, applied, changed if roles else None)
    else:
        _print(session, before, after, applied)
        if roles and not after.pending:
            _print_roles(changed, is_looking=is_looking)
    is_behind = bool(after.pending or changed)
    click.get_current_context().exit(EXIT_NOT_FOUND if check and is_behind else 0)


def _print_json(
    after: SchemaStatus, applied: tuple[str, ...], changed: tuple[str, ...] | None
) -> None:
    from leasehold.cli.output import plain, print_json

    roles = {} if changed is None else {"roles": changed}
    print_json({**plain(after), "applied": applied, **roles})


def _print_roles(changed: tuple[str, ...], *, is_looking: bool) -> None:
    """Name what changed by tables and roles; what exactly is too much to read, and is in JSON."""
    from leasehold.model.wording import count

    if not changed:
        click.echo("Roles, rights and policies are as they should be.")
        return
    chief = [each for each in changed if " is a member of " in each or each.startswith("role ")]
    for each in chief:
        click.echo(f"  {each}")
    rest = count(len(changed) - len(chief), "change")
    tables = len({each.split(":")[0].split(" belongs ")[0] for each in changed} - set(chief))
    said = "would be made" if is_looking else "made"
    click.echo(f"  {rest} of owners, rights and policies {said}, in {tables} places (--json: all)")


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
