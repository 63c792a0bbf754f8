"""The rows of organizations, users and memberships."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any, NamedTuple
from uuid import UUID

from sqlalchemy import delete, insert, select, update

from leasehold.kit.data import upsert
from leasehold_documents.data.tables import memberships, organizations, users

if TYPE_CHECKING:
    from sqlalchemy import Connection


class Membership(NamedTuple):
    """A tenant that somebody belongs to, and as what."""

    tenant_id: UUID
    name: str
    role: str


def role_of(connection: Connection, user_id: UUID, tenant_id: UUID) -> str | None:
    """Say what somebody is in a tenant; None: a stranger."""
    found: str | None = connection.scalar(
        select(memberships.c.role).where(
            memberships.c.user_id == user_id, memberships.c.tenant_id == tenant_id
        )
    )
    return found


def memberships_of(connection: Connection, user_id: UUID) -> list[Membership]:
    """List somebody's tenants by name."""
    found = connection.execute(
        select(organizations.c.id, organizations.c.name, memberships.c.role)
        .join(memberships, memberships.c.tenant_id == organizations.c.id)
        .where(memberships.c.user_id == user_id)
        .order_by(organizations.c.name, organizations.c.id)
    )
    return [Membership(*row) for row in found]


def members_of(connection: Connection, tenant_id: UUID) -> list[dict[str, Any]]:
    """List a tenant's people by address, with their roles."""
    columns = (users.c.id, users.c.email, users.c.name, users.c.language, memberships.c.role)
    found = connection.execute(
        select(*columns)
        .join(memberships, memberships.c.user_id == users.c.id)
        .where(memberships.c.tenant_id == tenant_id)
        .order_by(users.c.email)
    )
    return [dict(row) for row in found.mappings()]


def get_user(connection: Connection, user_id: UUID) -> dict[str, Any] | None:
    row = connection.execute(select(users).where(users.c.id == user_id)).mappings().first()
    return None if row is None else dict(row)


def user_named(connection: Connection, email: str) -> UUID | None:
    found: UUID | None = connection.scalar(select(users.c.id).where(users.c.email == email))
    return found


def get_organization(connection: Connection, tenant_id: UUID) -> dict[str, Any] | None:
    wanted = select(organizations).where(organizations.c.id == tenant_id)
    row = connection.execute(wanted).mappings().first()
    return None if row is None else dict(row)


def find_organizations(connection: Connection) -> list[dict[str, Any]]:
    wanted = select(organizations).order_by(organizations.c.name, organizations.c.id)
    return [dict(row) for row in connection.execute(wanted).mappings()]


def find_users(connection: Connection) -> list[dict[str, Any]]:
    return [
        dict(row) for row in connection.execute(select(users).order_by(users.c.email)).mappings()
    ]


def add_organization(connection: Connection, tenant_id: UUID, name: str, now: datetime) -> None:
    row = {"id": tenant_id, "name": name, "created_at": now}
    connection.execute(insert(organizations), row)


def set_prices(
    connection: Connection, tenant_id: UUID, *, fast_cents: int | None, hires_cents: int | None
) -> None:
    """Say what a page costs a tenant; None: as the settings say."""
    prices = {"fast_cents": fast_cents, "hires_cents": hires_cents}
    connection.execute(update(organizations).where(organizations.c.id == tenant_id), prices)


def add_user(
    connection: Connection, user_id: UUID, *, email: str, name: str, language: str, now: datetime
) -> None:
    row = {"id": user_id, "email": email, "name": name, "language": language, "created_at": now}
    connection.execute(insert(users), row)


def put_membership(
    connection: Connection, user_id: UUID, tenant_id: UUID, role: str, now: datetime
) -> None:
    """Let somebody in, or change what they are."""
    row = {"user_id": user_id, "tenant_id": tenant_id, "role": role, "created_at": now}
    upsert(connection, memberships, row, key=("user_id", "tenant_id"), keep=("created_at",))


def remove_membership(connection: Connection, user_id: UUID, tenant_id: UUID) -> bool:
    is_it = (memberships.c.user_id == user_id, memberships.c.tenant_id == tenant_id)
    return bool(connection.execute(delete(memberships).where(*is_it)).rowcount)
