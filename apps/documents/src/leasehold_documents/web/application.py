"""What plugs into the service: the tables beside the queue's, so far."""

from __future__ import annotations

from leasehold.web import Application
from leasehold_documents.data.migrating import MIGRATIONS


def application(store_url: str | None = None) -> Application:
    """Make the application; without a database of its own it lives in the service's."""
    return Application(
        name="documents",
        title="Documents",
        store_url=store_url,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
