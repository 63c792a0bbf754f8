"""What plugs into the service: pages and API, tasks, and how large a file may be."""

from __future__ import annotations

import logging

from leasehold.web import Application
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.settings import settings
from leasehold_links.tasks import daily, enrich, import_file, retain
from leasehold_links.telling import EnrichmentLog
from leasehold_links.web.app import make_app

NAME = "links"
_AROUND_A_FILE = 1_048_576  # bytes: what a form has beside its file


def application(store_url: str | None = None) -> Application:
    """Make the application; without a database of its own it lives in the service's."""
    return Application(
        name=NAME,
        title="Links",
        make_app=make_app,
        tasks=[import_file, enrich, retain],
        schedules=[daily],
        observers=[EnrichmentLog(logging.DEBUG)],
        store_url=store_url,
        body_limit=settings().file_bytes + _AROUND_A_FILE,
        # Everybody has a library of their own: who is bound to a tenant, too (web/people.py).
        is_for_tenants=True,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
