"""The ASGI application, put together."""

from __future__ import annotations

from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI

from leasehold_links.tasks import database_of
from leasehold_links.web import problems

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    import leasehold as lh


def make_app(client: lh.Client) -> FastAPI:
    """Make the library's pages and API over a queue's database."""
    app = FastAPI(
        title="leasehold-links",
        summary="A library of links that enriches itself.",
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=_living,
        redirect_slashes=False,  # a POST that is redirected may lose its body
    )
    app.state.client = client
    app.state.database = database_of(client.url)
    problems.install(app)
    return app


@asynccontextmanager
async def _living(app: FastAPI) -> AsyncIterator[None]:
    """At the end give the connections back."""
    try:
        yield
    finally:
        app.state.database.close()
