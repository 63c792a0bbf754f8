"""Opens the tables that a command is about, and finds whom it acts for."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar
from uuid import UUID

import click

from leasehold.cli.kit import NotFound
from leasehold.kit.cli import Opened, open_tables

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from leasehold.cli.kit import Session
    from leasehold.kit.data import Database, Migrations
    from leasehold_documents.access import Access

F = TypeVar("F", bound="Callable[..., Any]")


class Who(NamedTuple):
    """Whom a command acts for, as it was said."""

    tenant: str | None
    user: str | None


TENANT = click.option(
    "--tenant",
    metavar="NAME|ID",
    help="The organization.  [default: LEASEHOLD_DOCUMENTS_TENANT, else the only one]",
)
USER = click.option(
    "--user",
    metavar="EMAIL|ID",
    help="As whom.  [default: LEASEHOLD_DOCUMENTS_USER, else its only person]",
)


def acting(command: F) -> F:
    """Add --tenant and --user."""
    return TENANT(USER(command))


def migrations() -> Migrations:
    from leasehold_documents.data.migrating import MIGRATIONS

    return MIGRATIONS


@contextmanager
def open_documents(session: Session, *, may_create: bool = False) -> Iterator[Opened]:
    """Open them. Tables of a SQLite file are made for those who write; else they must be there."""
    from leasehold_documents import errors

    try:
        with open_tables(session, migrations, may_create=may_create) as opened:
            yield opened
    except (errors.NotFound, errors.NotInVault) as error:
        raise NotFound(str(error)) from error


@contextmanager
def open_access(session: Session, who: Who) -> Iterator[Access]:
    """Open the organization as one of its people."""
    with open_documents(session) as opened:
        yield access_of(opened, who)


def access_of(opened: Opened, who: Who) -> Access:
    """Find the organization, and be one of its people."""
    from leasehold_documents.access import Access

    client, database = opened
    tenant_id = tenant_of(database, who.tenant)
    return Access(client, database, _user_of(database, who.user, tenant_id), tenant_id)


def tenant_of(database: Database, said: str | None) -> UUID:
    """Return the organization that was named, by the option or the settings, or the only one."""
    from leasehold_documents import access
    from leasehold_documents.data import people
    from leasehold_documents.settings import settings

    if name := said or settings().tenant:
        return access.organization_named(database, name)
    with database.read() as connection:
        found = [row["id"] for row in people.find_organizations(connection)]
    return _only(found, "organization", "--tenant", "leasehold-documents init")


def user_named(database: Database, name: str) -> UUID:
    """Return a person by address or id."""
    from leasehold_documents import access

    try:
        return UUID(name)
    except ValueError:
        return access.user_named(database, name)


def _user_of(database: Database, said: str | None, tenant_id: UUID) -> UUID:
    from leasehold_documents.data import people
    from leasehold_documents.settings import settings

    if name := said or settings().user:
        return user_named(database, name)
    with database.read() as connection:
        found = [row["id"] for row in people.members_of(connection, tenant_id)]
    return _only(found, "person of it", "--user", "leasehold-documents user add")


def _only(found: Sequence[UUID], what: str, option: str, command: str) -> UUID:
    if not found:
        raise NotFound(f"there is no {what} yet: {command}")
    if len(found) > 1:
        raise click.UsageError(f"there is more than one {what}: name one by {option}")
    return found[0]
