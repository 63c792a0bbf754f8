"""Whose a transaction is: on PostgreSQL its role and settings, which end with it.

Nothing is set for longer than a transaction, so no pool can hand a tenant's connection to another.
SQLite has no roles: there the `tenant_id` that every data function asks for is the fence.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from sqlalchemy import text
from sqlalchemy.exc import DBAPIError

from leasehold_documents.errors import NotOfRole

if TYPE_CHECKING:
    from sqlalchemy import Connection

MEMBER, WORKER = "documents_member", "documents_worker"
_BIND = text(
    "SELECT set_config('documents.user', :user, true),"
    " set_config('documents.tenant', :tenant, true), set_config('role', :role, true)"
)
_ACT = text("SELECT set_config('role', :role, true)")
_NO_ROLE = "none"  # whoever has logged in
_NO_ROLES = frozenset({"42501", "22023"})  # not allowed to be it; there is none
_IN_FAILED_TRANSACTION = 3  # psycopg.pq.TransactionStatus.INERROR


def bind_member(connection: Connection, user_id: UUID, tenant_id: UUID | None) -> None:
    """Let the rest of the transaction see what this person may; None: of all their tenants."""
    said = {"user": str(user_id), "tenant": "" if tenant_id is None else str(tenant_id)}
    if _has_roles(connection):
        _bind(connection, said | {"role": MEMBER})


def bind_worker(connection: Connection) -> None:
    """Let the rest of the transaction do the work of all tenants."""
    if _has_roles(connection):
        _bind(connection, {"user": "", "tenant": "", "role": WORKER})


def unbind(connection: Connection) -> None:
    """Let the rest of the transaction be who has logged in."""
    if _has_roles(connection):
        connection.execute(_ACT, {"role": _NO_ROLE})


@contextmanager
def as_login(connection: Connection, role: str) -> Iterator[None]:
    """Act as who has logged in, for the queue's own tables, and as `role` again afterwards."""
    if not _has_roles(connection):
        yield
        return
    connection.execute(_ACT, {"role": _NO_ROLE})
    try:
        yield
    finally:
        if not _has_failed(connection):
            connection.execute(_ACT, {"role": role})


def _bind(connection: Connection, said: dict[str, str]) -> None:
    try:
        connection.execute(_BIND, said)
    except DBAPIError as error:
        if getattr(error.orig, "sqlstate", None) not in _NO_ROLES:
            raise
        raise NotOfRole(said["role"]) from None


def _has_roles(connection: Connection) -> bool:
    return connection.dialect.name == "postgresql"


def _has_failed(connection: Connection) -> bool:
    """Whether the transaction can only be rolled back."""
    driver = connection.connection.driver_connection
    return driver is None or driver.info.transaction_status == _IN_FAILED_TRANSACTION
