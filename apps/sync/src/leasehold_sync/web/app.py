"""The ASGI application, put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from leasehold.kit import web
from leasehold.kit.data import database_of
from leasehold_sync.web.api import jobs, starting, worker
from leasehold_sync.web.hub import Hub
from leasehold_sync.web.pages import apps, entities, job
from leasehold_sync.web.pages.shell import PAGES
from leasehold_sync.web.problems import PROBLEMS

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

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
RUNS_GRACE_SECONDS = 1.5  # the service gives an application about two


def make_app(client: lh.Client) -> FastAPI:
    """Make the API and the pages over a queue's database."""
    app = web.make_app(
        title="leasehold-sync",
        summary="SaaS data in your own database, by workers that live for less than a minute.",
        routers=ROUTERS,
        problems=PROBLEMS,
        pages=PAGES,
        lifespan=_living,
        large=LARGE,
        openapi_url="/openapi.json",
    )
    app.state.hub = Hub(client, database_of(client.url))
    return app


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """At the end wait for runs that were told to stop, and give the connections back."""
    hub: Hub = app.state.hub
    try:
        yield
    finally:
        await hub.runs.join(RUNS_GRACE_SECONDS)
        hub.database.close()
