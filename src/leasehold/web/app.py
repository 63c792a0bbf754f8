"""The ASGI application, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

from leasehold._version import __version__
from leasehold.web.api import health
from leasehold.web.settings import WebSettings
from leasehold.web.site import Site

if TYPE_CHECKING:
    from leasehold.client import Client


def create_app(client: Client, *, settings: WebSettings | None = None) -> FastAPI:
    """Make the service over this client's store. Who made the client closes it."""
    app = FastAPI(title="leasehold", version=__version__, docs_url=None, redoc_url=None)
    app.state.site = Site(client=client, settings=settings or WebSettings())
    app.include_router(health.router)
    return app
