"""The service itself: workers and what is done for all tenants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leasehold_documents.access.enqueuing import BoundEnqueuer
from leasehold_documents.data.binding import WORKER, bind_worker, unbind

if TYPE_CHECKING:
    from sqlalchemy import Connection
    from sqlalchemy.orm import Session

    import leasehold as lh
    from leasehold.kit.data import Database


class Service:
    """Reads and writes for all tenants, each time in one transaction as `documents_worker`."""

    def __init__(self, client: lh.Client, database: Database) -> None:
        self.client = client
        self.database = database

    @contextmanager
    def read(self) -> Iterator[Connection]:
        """Look."""
        with self.database.read() as connection:
            bind_worker(connection)
            yield connection

    @contextmanager
    def browse(self) -> Iterator[Connection]:
        """Look at how jobs stand."""
        with self.database.browse() as connection:
            bind_worker(connection)
            yield connection

    @contextmanager
    def write(self) -> Iterator[Session]:
        """Change; committed at the end of the `with`, unless it fails."""
        with self.database.write_session() as session:
            bind_worker(session.connection())
            yield session

    @contextmanager
    def joined(self, connection: Any) -> Iterator[Connection]:
        """Write on the connection of a job's own transaction, which the queue ends as it began."""
        joined = self.database.joined(connection)
        bind_worker(joined)
        yield joined
        unbind(joined)

    def on(self, session: Session | Connection) -> BoundEnqueuer:
        """Enqueue in a transaction of `write` or `joined`; say whose the job is by `tenant=`."""
        return BoundEnqueuer(self.client, session, WORKER)
