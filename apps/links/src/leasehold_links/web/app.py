"""The ASGI application, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit import web
from leasehold.kit.data import database_of
from leasehold_links.web.api import domains, enrichment, export, folders, imports, links
from leasehold_links.web.library import Library
from leasehold_links.web.pages import choices, dead, link
from leasehold_links.web.pages import domains as domain_pages
from leasehold_links.web.pages import imports as import_pages
from leasehold_links.web.pages import library as library_pages
from leasehold_links.web.pages.visiting import PAGES
from leasehold_links.web.problems import PROBLEMS

if TYPE_CHECKING:
    from fastapi import FastAPI

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
)


def make_app(client: lh.Client) -> FastAPI:
    """Make the library's pages and API over a queue's database."""
    library = Library(client, database_of(client.url))
    app = web.make_app(
        title="leasehold-links",
        summary="A library of links that enriches itself.",
        routers=ROUTERS,
        problems=PROBLEMS,
        pages=PAGES,
        lifespan=web.lifespan_over(library.database),
        large={"/api/imports", "/imports"},  # a bookmark file
    )
    app.state.library = library
    return app
