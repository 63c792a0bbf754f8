"""The ASGI application, put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING

from fastapi import FastAPI

from leasehold._version import __version__
from leasehold.registry import Registry
from leasehold.web import dashboard
from leasehold.web.access.access import Access
from leasehold.web.access.gate import AccessGate
from leasehold.web.access.rights import refuse_undeclared
from leasehold.web.answering import Answering, install
from leasehold.web.api import (
    alerts,
    audit,
    batches,
    bulk,
    health,
    identities,
    jobs,
    keys,
    queues,
    quotas,
    retention,
    runs,
    schedules,
    stats,
    throttles,
    workers,
)
from leasehold.web.body_limit import BodyLimit
from leasehold.web.described import add_routes, describe
from leasehold.web.guard import Guard
from leasehold.web.headers import SecurityHeaders
from leasehold.web.mounting import Aliases
from leasehold.web.settings import WebSettings
from leasehold.web.site import Site

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from fastapi import APIRouter
    from starlette.routing import Route
    from starlette.types import ASGIApp

    from leasehold.client import Client

_TAGS = {
    "jobs": "Enqueue, look at and change jobs.",
    "batches": "Jobs that belong together.",
    "queues": "What waits where; pause, resume, drain.",
    "schedules": "Rules that make jobs.",
    "throttles": "What limits jobs, and whose turns count more.",
    "quotas": "What tenants may have.",
    "retention": "How long ended jobs are kept.",
    "keys": "Which job has a key.",
    "workers": "Who is there.",
    "stats": "How it stands, and what happened lately.",
    "alerts": "What is not as it should be.",
    "access": "Who you are, and what was done by whom.",
    "worker": "Run jobs for a while.",
    "health": "For load balancers and supervisors.",
}
_ROUTERS = (
    bulk.router,  # before jobs: `bulk` is no job's id
    jobs.router,
    batches.router,
    queues.router,
    schedules.router,
    throttles.router,
    throttles.shares_router,
    quotas.router,
    retention.router,
    keys.router,
    workers.router,
    stats.router,
    alerts.router,
    audit.router,
    identities.router,
    runs.router,
    health.router,
)


class Service(FastAPI):
    """A FastAPI application whose every answer, a crash's too, passes what guards it."""

    def build_middleware_stack(self) -> ASGIApp:
        settings: WebSettings = self.state.site.settings
        limited = BodyLimit(
            super().build_middleware_stack(), settings.body_limit, self.state.body_limits
        )
        access: Access = self.state.site.access
        gate = AccessGate(
            limited,
            access,
            self.state.routes,
            self.state.public_paths,
            self.state.asking_paths,
        )
        return Aliases(SecurityHeaders(Guard(gate, settings)), self.state.aliases)


def create_app(
    client: Client,
    *,
    settings: WebSettings | None = None,
    registry: Registry | None = None,
    site: Site | None = None,
) -> FastAPI:
    """Make the service over this client's store. Who made the client closes it.

    `registry` has the tasks that `POST /worker` runs, and whose arguments an enqueue checks.
    """
    app = Service(
        title="leasehold",
        version=__version__,
        summary="A job queue in the database you already have.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        openapi_tags=[{"name": name, "description": text} for name, text in _TAGS.items()],
        lifespan=_living,
        redirect_slashes=False,  # a POST that is redirected may lose its body
    )
    app.state.site = site or Site(
        client=client, settings=settings or WebSettings(), registry=registry or Registry()
    )
    if app.state.site.access is None:
        app.state.site.access = Access(client, app.state.site.settings)
    app.state.body_limits = {}  # of applications, by their path
    app.state.public_paths = set()  # of applications that are for everybody
    app.state.asking_paths = set()  # of those that find out themselves who asks
    app.state.aliases = {}  # paths that stand for others
    add_routes(app, [*_ROUTERS, *_extend(app)])
    refuse_undeclared(app.state.routes)
    install(app, Answering(find_page=dashboard.find_page))
    describe(app)
    return app


def first_segments(app: FastAPI) -> frozenset[str]:
    """Name what our own paths begin with."""
    routes: list[Route] = app.state.routes
    return frozenset(route.path.split("/")[1] for route in routes)


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """At the end, tell whoever keeps a request open."""
    app.state.site.begin()
    try:
        yield
    finally:
        app.state.site.ending.set()


def _extend(app: FastAPI) -> list[APIRouter]:
    """Add the metrics, where there is something to make them with, and the pages."""
    found: list[APIRouter] = []
    if find_spec("prometheus_client") is not None:
        from leasehold.web import metrics

        metrics.install(app)
        app.state.site.observers = (*app.state.site.observers, app.state.metrics)
        found.append(metrics.router)
    dashboard.install(app)
    return [*found, dashboard.router]
