"""What plugs into the service: API and pages, tasks, and the tables beside the queue's."""

from __future__ import annotations

from leasehold.web import Application
from leasehold_sync import tasks
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.web.app import make_app

NAME = "sync"
BODY_BYTES = 1_000_000


def application(store_url: str | None = None) -> Application:
    """Make the application; without a database of its own it lives in the service's."""
    return Application(
        name=NAME,
        title="Sync",
        make_app=make_app,
        tasks=tasks,
        store_url=store_url,
        body_limit=BODY_BYTES,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
