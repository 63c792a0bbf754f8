"""What plugs into the service: API and pages, tasks, and the tables beside the queue's."""

from __future__ import annotations

from leasehold.web import Application
from leasehold_documents import tasks
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.settings import settings
from leasehold_documents.web.app import make_app

NAME = "documents"
_AROUND_A_FILE = 1_048_576  # bytes: what a form has beside its file


def application(store_url: str | None = None) -> Application:
    """Make the application; without a database of its own it lives in the service's."""
    return Application(
        name=NAME,
        title="Documents",
        make_app=make_app,
        tasks=tasks,
        store_url=store_url,
        body_limit=settings().file_bytes + _AROUND_A_FILE,
        # People show tokens of the application's own, and links to files are for who has them.
        is_asking=True,
        is_for_tenants=True,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
