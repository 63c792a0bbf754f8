"""`leasehold-documents init`: from nothing to an organization that can take papers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from leasehold.cli.kit import Command, answer, os_user, with_session
from leasehold_documents.cli.opening import migrations

if TYPE_CHECKING:
    from uuid import UUID

    from leasehold.cli.kit import Session
    from leasehold.kit.data import Database

_EXAMPLE = """\
leasehold-documents init
leasehold-documents init --tenant "Hausverwaltung Lindenhof" --user anna@example.org"""


@click.command(cls=Command, example=_EXAMPLE)
@click.option("--tenant", default="Meine Organisation", show_default=True, help="Its name.")
@click.option(
    "--user", default=os_user, show_default="you, by your user name", help="An e-mail address."
)
@with_session
def init(session: Session, *, tenant: str, user: str | None) -> None:
    """Make the tables, an organization with its folders, and its first person.

    Safe to repeat: what is there stays as it is.
    """
    from leasehold.kit.data import database_of
    from leasehold_documents import access

    with session.client(may_create=True) as client:
        client.store.migrate()
        migrations().migrate(client)
        database = database_of(client.url)
        try:
            tenant_id = _tenant(database, tenant)
            user_id = _user(database, user or "admin")
            access.add_member(database, user_id, tenant_id, "admin")
        finally:
            database.close()
    told = f"{tenant} is ready, and {user or 'admin'} is its admin"
    answer(session, told, tenant_id=str(tenant_id), user_id=str(user_id))
    if not session.is_json:
        click.echo("  leasehold-documents upload FILE…     takes papers", err=True)
        click.echo("  leasehold-documents serve            serves pages and works", err=True)


def _tenant(database: Database, name: str) -> UUID:
    from leasehold_documents import access
    from leasehold_documents.errors import NotFound

    try:
        return access.organization_named(database, name)
    except NotFound:
        return access.create_organization(database, name)


def _user(database: Database, email: str) -> UUID:
    from leasehold_documents import access
    from leasehold_documents.errors import NotFound

    try:
        return access.user_named(database, email)
    except NotFound:
        return access.create_user(database, email)
