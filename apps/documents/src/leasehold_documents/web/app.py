"""The ASGI application, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit import web
from leasehold.kit.data import database_of
from leasehold_documents.web.api import ROUTERS as API
from leasehold_documents.web.hub import Hub
from leasehold_documents.web.pages import ROUTERS as PAGE_ROUTERS
from leasehold_documents.web.pages.shell import PAGES
from leasehold_documents.web.problems import PROBLEMS

if TYPE_CHECKING:
    from fastapi import FastAPI

    import leasehold as lh

ROUTERS = (*API, *PAGE_ROUTERS)
LARGE = frozenset({"/api/documents", "/papers"})  # where files are handed in


def make_app(client: lh.Client) -> FastAPI:
    """Make the API and the pages over a queue's database."""
    hub = Hub(client, database_of(client.url))
    app = web.make_app(
        title="leasehold-documents",
        summary="Many tenants' papers: extracted with consent, classified, and found.",
        routers=ROUTERS,
        problems=PROBLEMS,
        pages=PAGES,
        lifespan=web.lifespan_over(hub.database, hub.runs),
        large=LARGE,
    )
    app.state.hub = hub
    return app
