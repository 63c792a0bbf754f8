"""The demo as an application: its page lists the sample tasks, its feed runs as long as it does."""

from __future__ import annotations

from contextlib import asynccontextmanager
from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from leasehold.demo import tasks
from leasehold.demo.feed import Feed
from leasehold.registry import Registry
from leasehold.web import Application

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from starlette.requests import Request
    from starlette.responses import Response

    from leasehold.client import Client

_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Sample tasks</title>
<h1>Sample tasks</h1>
<p>These run in the embedded worker, and a feed enqueues some of them every second.
<a href="{base}/">Watch them.</a></p>
<dl>{tasks}</dl>
</html>"""


def make_app(client: Client) -> Starlette:
    """Make the page; while it is served, the feed enqueues."""
    listed = "".join(
        f"<dt>{escape(task.name)}</dt><dd>{escape((task.handler.__doc__ or '').strip())}</dd>"
        for task in Registry(tasks)
    )

    async def show(request: Request) -> Response:
        base = request.scope["root_path"].removesuffix(f"/{application.name}")
        return HTMLResponse(_PAGE.format(base=base, tasks=listed))

    @asynccontextmanager
    async def lifespan(_app: Starlette) -> AsyncIterator[None]:
        feed = Feed(client)
        feed.start()
        yield
        feed.stop()

    return Starlette(routes=[Route("/", show)], lifespan=lifespan)


application = Application(name="demo", title="Sample tasks", make_app=make_app, tasks=tasks)
