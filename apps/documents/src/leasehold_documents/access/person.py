"""One person in one tenant: what they see, and what they may do there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from leasehold_documents.access.enqueuing import BoundEnqueuer
from leasehold_documents.data import audit, people
from leasehold_documents.data.binding import MEMBER, bind_member
from leasehold_documents.errors import Forbidden

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    import leasehold as lh
    from leasehold.kit.data import Database

_RANKS = ("reader", "member", "admin")  # each may do what those before it may


class Access:
    """A person's way into a tenant; `Forbidden`, and an audit row, for who is no member of it.

    Whether they are one is looked at again by each transaction: who was removed sees nothing more.
    """

    def __init__(
        self, client: lh.Client, database: Database, user_id: UUID, tenant_id: UUID
    ) -> None:
        self.database = database
        self.user_id = user_id
        self.tenant_id = tenant_id
        with database.read() as connection:
            role = people.role_of(connection, user_id, tenant_id)
        self.role = self._admitted(role)
        self.client = client.for_tenant(str(tenant_id))

    def require(self, role: str) -> None:
        """Raise `Forbidden` for who is less than that: "reader", "member" or "admin"."""
        if _RANKS.index(self.role) < _RANKS.index(role):
            raise Forbidden(f"only who is {role} of the organization may do this")

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Look, as this person."""
        with self.database.read() as connection:
            self._bind(connection)
            yield connection

    @contextmanager
    def browse(self) -> Iterator[Connection]:
        """Look at how jobs stand, as this person."""
        with self.database.browse() as connection:
            self._bind(connection)
            yield connection

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Change, as this person; committed at the end of the `with`, unless it fails."""
        self.require("member")
        with self.database.write_session() as session:
            self._bind(session.connection())
            yield session

    def on(self, session: Session) -> BoundEnqueuer:
        """Enqueue the tenant's jobs in a transaction of `write`."""
        return BoundEnqueuer(self.client, session, MEMBER)

    def _bind(self, connection: Connection) -> None:
        bind_member(connection, self.user_id, self.tenant_id)
        if people.role_of(connection, self.user_id, self.tenant_id) is None:
            raise Forbidden(_STRANGER)

    def _admitted(self, role: str | None) -> str:
        if role is None:
            audit.record(
                self.database, "tenant.refused", tenant_id=self.tenant_id, user_id=self.user_id
            )
            raise Forbidden(_STRANGER)
        return role


_STRANGER = "only members of an organization may see what is in it"
