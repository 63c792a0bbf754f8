"""The rows of connectors. Who asks says whose: another tenant's connector is not there."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any
from uuid import UUID

from sqlalchemy import delete, insert, or_, select, update

from leasehold_documents.data.tables import connectors

if TYPE_CHECKING:
    from sqlalchemy import Connection

PENDING, ACTIVE, EXPIRED = "pending", "active", "expired"


def add(connection: Connection, row: Mapping[str, Any]) -> None:
    connection.execute(insert(connectors), dict(row))


def get(connection: Connection, tenant_id: UUID, connector_id: UUID) -> dict[str, Any] | None:
    """Read a connector of this tenant."""
    is_it = (connectors.c.id == connector_id, connectors.c.tenant_id == tenant_id)
    row = connection.execute(select(connectors).where(*is_it)).mappings().first()
    return None if row is None else dict(row)


def get_of_anyone(connection: Connection, connector_id: UUID) -> dict[str, Any] | None:
    """Read a connector, whosever it is: for a worker that is to compare that."""
    row = connection.execute(select(connectors).where(connectors.c.id == connector_id))
    found = row.mappings().first()
    return None if found is None else dict(found)


def find(connection: Connection, tenant_id: UUID) -> list[dict[str, Any]]:
    """List a tenant's connectors by name, those left out that nobody has consented to."""
    wanted = (
        select(connectors)
        .where(connectors.c.tenant_id == tenant_id, connectors.c.status != PENDING)
        .order_by(connectors.c.name, connectors.c.id)
    )
    return [dict(row) for row in connection.execute(wanted).mappings()]


def change(
    connection: Connection, tenant_id: UUID, connector_id: UUID, now: datetime, **values: Any
) -> bool:
    is_it = (connectors.c.id == connector_id, connectors.c.tenant_id == tenant_id)
    changed = update(connectors).where(*is_it).values(**values, updated_at=now)
    return bool(connection.execute(changed).rowcount)


def remove(connection: Connection, tenant_id: UUID, connector_id: UUID) -> bool:
    is_it = (connectors.c.id == connector_id, connectors.c.tenant_id == tenant_id)
    return bool(connection.execute(delete(connectors).where(*is_it)).rowcount)


def forget_pending(connection: Connection, tenant_id: UUID, before: datetime) -> None:
    """Forget those that were begun long ago and that nobody has consented to."""
    is_old = (connectors.c.status == PENDING, connectors.c.created_at < before)
    connection.execute(delete(connectors).where(connectors.c.tenant_id == tenant_id, *is_old))


# -- tokens --------------------------------------------------------------------------------------
def take_turn(
    connection: Connection, connector_id: UUID, now: datetime, lasts: timedelta
) -> int | None:
    """Take the turn to refresh the tokens; returns its ticket, None while it is somebody else's."""
    is_free = or_(connectors.c.refresh_until.is_(None), connectors.c.refresh_until < now)
    taken = (
        update(connectors)
        .where(connectors.c.id == connector_id, is_free)
        .values(refresh_ticket=connectors.c.refresh_ticket + 1, refresh_until=now + lasts)
        .returning(connectors.c.refresh_ticket)
    )
    ticket: int | None = connection.scalar(taken)
    return ticket


def end_turn(connection: Connection, connector_id: UUID, ticket: int, **values: Any) -> bool:
    """Give the turn back, and write what it came to; False for who was too late."""
    # The fence: whoever was given a later ticket has the say.
    is_mine = (connectors.c.id == connector_id, connectors.c.refresh_ticket == ticket)
    ended = update(connectors).where(*is_mine).values(refresh_until=None, **values)
    return bool(connection.execute(ended).rowcount)


def expire(connection: Connection, connector_id: UUID, token_version: int, now: datetime) -> bool:
    """Say that the consent is over, unless newer tokens have come meanwhile."""
    # The fence: only the tokens that were refused are over.
    is_it = (connectors.c.id == connector_id, connectors.c.token_version == token_version)
    expired = update(connectors).where(*is_it).values(status=EXPIRED, updated_at=now)
    return bool(connection.execute(expired).rowcount)
