"""The service itself: workers and what is done for all tenants."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from leasehold_documents.access.enqueuing import BoundEnqueuer
from leasehold_documents.data.binding import WORKER, bind_worker

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
    def write(self) -> Iterator[Session]:
        """Change; committed at the end of the `with`, unless it fails."""
        with self.database.write_session() as session:
            bind_worker(session.connection())
            yield session

    def on(self, session: Session) -> BoundEnqueuer:
        """Enqueue in a transaction of `write`; say whose the job is by `tenant=`."""
        return BoundEnqueuer(self.client, session, WORKER)
