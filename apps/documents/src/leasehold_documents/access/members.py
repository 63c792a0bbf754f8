"""Organizations, people, and who belongs where."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from uuid import UUID, uuid4

from sqlalchemy.exc import IntegrityError

from leasehold_documents.data import nodes, people
from leasehold_documents.errors import AlreadyThere, NotFound
from leasehold_documents.model.filing import DEFAULT_PLACES, Place

if TYPE_CHECKING:
    from leasehold.kit.data import Database
    from leasehold_documents.data.people import Membership


def create_organization(
    database: Database, name: str, *, places: Sequence[Place] = DEFAULT_PLACES
) -> UUID:
    """Make a tenant, with places where its papers are filed."""
    tenant_id, now = uuid4(), datetime.now(UTC)
    with database.write() as connection:
        people.add_organization(connection, tenant_id, name, now)
        nodes.add_tree(connection, tenant_id, places, now)
    return tenant_id


def create_user(database: Database, email: str, *, name: str = "", language: str = "de") -> UUID:
    """Make a person, of no tenant yet; `AlreadyThere` for an address that somebody has."""
    user_id, now = uuid4(), datetime.now(UTC)
    try:
        with database.write() as connection:
            people.add_user(
                connection, user_id, email=email.strip(), name=name, language=language, now=now
            )
    except IntegrityError as error:
        raise AlreadyThere("user", email) from error
    return user_id


def user_named(database: Database, email: str) -> UUID:
    """Find a person by their address, else `NotFound`."""
    with database.read() as connection:
        found = people.user_named(connection, email.strip())
    if found is None:
        raise NotFound("user", email)
    return found


def organization_named(database: Database, name: str) -> UUID:
    """Find a tenant by its name or its id, else `NotFound`; of equal names the oldest."""
    with database.read() as connection:
        rows = people.find_organizations(connection)
    found = [row for row in rows if name in {row["name"], str(row["id"])}]
    if not found:
        raise NotFound("organization", name)
    oldest: UUID = min(found, key=lambda row: row["created_at"])["id"]
    return oldest


def memberships_of(database: Database, user_id: UUID) -> list[Membership]:
    """List the tenants that somebody belongs to, by name."""
    with database.read() as connection:
        return people.memberships_of(connection, user_id)


def add_member(database: Database, user_id: UUID, tenant_id: UUID, role: str = "member") -> None:
    """Let somebody in as "reader", "member" or "admin", or change what they are."""
    with database.write() as connection:
        if people.get_user(connection, user_id) is None:
            raise NotFound("user", user_id)
        if people.get_organization(connection, tenant_id) is None:
            raise NotFound("organization", tenant_id)
        people.put_membership(connection, user_id, tenant_id, role, datetime.now(UTC))


def remove_member(
    database: Database,
    user_id: UUID,
    tenant_id: UUID,
    *,
    cancel: Callable[[UUID, UUID], object],
) -> bool:
    """Shut somebody out, then `cancel(tenant_id, user_id)` what waits by their consent.

    In this order they can give no consent in between; who is interrupted does it again: that
    cancels, also when the membership has gone before. Says whether it was there.
    """
    with database.write() as connection:
        was_there = people.remove_membership(connection, user_id, tenant_id)
    cancel(tenant_id, user_id)
    return was_there
