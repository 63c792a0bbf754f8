"""The ASGI application, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit import web
from leasehold.kit.data import database_of
from leasehold_sync.web.api import jobs, starting, worker
from leasehold_sync.web.hub import Hub
from leasehold_sync.web.pages import apps, entities, job
from leasehold_sync.web.pages.shell import PAGES
from leasehold_sync.web.problems import PROBLEMS

if TYPE_CHECKING:
    from fastapi import FastAPI

    import leasehold as lh

ROUTERS = (
    starting.router,
    worker.router,
    jobs.router,
    apps.front,
    apps.router,
    job.router,
    entities.router,
)
LARGE = ("/", "/worker")  # as large as the whole application's may be


def make_app(client: lh.Client) -> FastAPI:
    """Make the API and the pages over a queue's database."""
    hub = Hub(client, database_of(client.url))
    app = web.make_app(
        title="leasehold-sync",
        summary="SaaS data in your own database, by workers that live for less than a minute.",
        routers=ROUTERS,
        problems=PROBLEMS,
        pages=PAGES,
        lifespan=web.lifespan_over(hub.database, hub.runs),
        large=LARGE,
        openapi_url="/openapi.json",
    )
    app.state.hub = hub
    return app
