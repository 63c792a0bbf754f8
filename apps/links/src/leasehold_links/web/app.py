"""The ASGI application, put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.routing import Route

from leasehold.kit.data import database_of
from leasehold_links.web import problems
from leasehold_links.web.api import domains, enrichment, export, folders, imports, links
from leasehold_links.web.body_limit import BodyLimit
from leasehold_links.web.described import describe, name_operation
from leasehold_links.web.library import Library
from leasehold_links.web.pages import choices, dead, link, static_files
from leasehold_links.web.pages import domains as domain_pages
from leasehold_links.web.pages import imports as import_pages
from leasehold_links.web.pages import library as library_pages
from leasehold_links.web.pages.trouble import show_problem

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import leasehold as lh


ROUTERS = (
    imports.router,
    folders.router,
    links.router,
    enrichment.router,
    domains.router,
    export.router,
    library_pages.router,
    import_pages.router,
    link.router,
    dead.router,
    domain_pages.router,
    choices.router,
    static_files.router,
)


def make_app(client: lh.Client) -> FastAPI:
    """Make the library's pages and API over a queue's database."""
    app = FastAPI(
        title="leasehold-links",
        summary="A library of links that enriches itself.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=name_operation,
        lifespan=_living,
        redirect_slashes=False,  # a POST that is redirected may lose its body
    )
    app.state.library = Library(client, database_of(client.url))
    for router in ROUTERS:
        app.include_router(router)
    app.state.problem_page = show_problem
    routes = (route for router in ROUTERS for route in router.routes)
    app.state.routes = [route for route in routes if isinstance(route, Route)]
    app.add_middleware(BodyLimit)
    problems.install(app)
    describe(app)
    return app


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """At the end give the connections back."""
    try:
        yield
    finally:
        app.state.library.database.close()
