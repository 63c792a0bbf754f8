"""The ASGI application, put together."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.kit import web
from leasehold_memory.web import pages
from leasehold_memory.web.api import chat, entities, health, jobs, replay, settings, streams, units
from leasehold_memory.web.hub import Companion, Hub
from leasehold_memory.web.problems import PROBLEMS

if TYPE_CHECKING:
    from fastapi import FastAPI

ROUTERS = (
    chat.router,
    units.router,
    entities.router,
    jobs.router,
    replay.router,
    settings.router,
    health.router,
    streams.router,
    *pages.ROUTERS,
)


def make_app(companion: Companion) -> FastAPI:
    """Make the API and the pages of a companion, which starts and ends with it."""
    hub = Hub(companion)
    app = web.make_app(
        title="leasehold-memory",
        summary="A companion that chats at once and remembers afterwards.",
        routers=ROUTERS,
        problems=PROBLEMS,
        pages=pages.PAGES,
        lifespan=web.lifespan_of(hub),
    )
    app.state.hub = hub
    return app
