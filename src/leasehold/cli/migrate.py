"""`leasehold migrate`: bring the tables up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.commands import Command, with_session
from leasehold.cli.failing import EXIT_NOT_FOUND, EXIT_REFUSED

if TYPE_CHECKING:
    from leasehold.cli.session import Session
    from leasehold.client import Client
    from leasehold.store.base import SchemaStatus
    from leasehold.web.own_tables import Migrated

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
@click.option("--apps/--no-apps", "has_apps", default=True, help="Installed applications, too.")
@click.option("--app", "apps", multiple=True, metavar="MODULE:NAME", help="This application, too.")
@with_session
def migrate(
    session: Session,
    *,
    check: bool,
    dry_run: bool,
    roles: bool,
    role_prefix: str | None,
    has_apps: bool,
    apps: tuple[str, ...],
) -> None:
    """Show the version of the tables and run what is missing, also of applications.

    Safe beside workers, and when several do it at once. With --roles it also makes, or brings up to
    date, the roles that keep tenants apart; that needs a superuser, or CREATEROLE and the tables.
    """
    from leasehold.acting import record

    if role_prefix is not None and not roles:
        raise click.UsageError("--role-prefix goes with --roles")
    is_looking = check or dry_run
    changed: tuple[str, ...] = ()
    migrated: list[Migrated] = []
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
        if not after.pending:
            migrated = _migrate_applications(client, apps, has_apps=has_apps, is_looking=is_looking)
    if session.is_json:
        _print_json(after, applied, changed if roles else None, migrated)
    else:
        _print(session, before, after, applied, migrated)
        if roles and not after.pending:
            _print_roles(changed, is_looking=is_looking)
    is_behind = bool(after.pending or changed or any(each.pending for each in migrated))
    is_broken = any(each.error is not None for each in migrated)
    code = EXIT_NOT_FOUND if check and is_behind else EXIT_REFUSED if is_broken else 0
    click.get_current_context().exit(code)


def _migrate_applications(
    client: Client, apps: tuple[str, ...], *, has_apps: bool, is_looking: bool
) -> list[Migrated]:
    """Let applications bring their own tables up to date, behind the queue's."""
    try:
        from leasehold.web.applications import find_applications, load_applications
        from leasehold.web.own_tables import migrate_applications
    except ModuleNotFoundError:  # nothing for the web is installed, so no application is
        return []
    from leasehold.acting import record

    found = [*(find_applications() if has_apps else []), *load_applications(apps)]
    migrated = migrate_applications(found, client, is_looking=is_looking)
    for each in migrated:
        if each.applied:
            named = f"{each.name}: {', '.join(each.applied)}"
            record(client.store, "migrate", named, count=len(each.applied))
    return migrated


def _print_json(
    after: SchemaStatus,
    applied: tuple[str, ...],
    changed: tuple[str, ...] | None,
    migrated: list[Migrated],
) -> None:
    from leasehold.cli.output import plain, print_json

    roles = {} if changed is None else {"roles": changed}
    apps = {"applications": [plain(each) for each in migrated]} if migrated else {}
    print_json({**plain(after), "applied": applied, **roles, **apps})


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
    session: Session,
    before: SchemaStatus,
    after: SchemaStatus,
    applied: tuple[str, ...],
    migrated: list[Migrated],
) -> None:
    click.echo(f"{session.shown_url}: tables at version {before.version}", nl=False)
    click.echo(f", this leasehold has {before.code_version}")
    for name in applied:
        click.echo(f"  applied {name}")
    for name in after.pending:
        click.echo(f"  pending {name}")
    for each in migrated:
        _print_application(session, each)
    is_behind = after.pending or any(each.pending for each in migrated)
    click.echo("Run `leasehold migrate`." if is_behind else "Up to date.")


def _print_application(session: Session, migrated: Migrated) -> None:
    for step in migrated.applied:
        click.echo(f"  applied {migrated.name}: {step}")
    for step in migrated.pending:
        click.echo(f"  pending {migrated.name}: {step}")
    if migrated.error is not None:
        click.echo(f"  BROKEN {migrated.name}: {session.hide_secrets(migrated.error)}", err=True)
