"""The demo as an application: its page lists the APIs, which answer as long as it is served."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leasehold.kit.web import lifespan_of
from leasehold.web import Application
from leasehold_sync.data.migrating import MIGRATIONS
from leasehold_sync.demo.living import Demo
from leasehold_sync.demo.sources import SOURCES

if TYPE_CHECKING:
    from starlette.requests import Request

    import leasehold as lh

NAME = "sync-demo"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Sync: the demo's sources</title>
<h1>Sync: the demo's sources</h1>
<p>Four APIs on this machine, with made-up rows. They answer as long as this service runs.</p>
<p><a href="{base}/sync/ui">The syncs</a> · <a href="{base}/">The dashboard</a></p>
<table><thead><tr><th scope="col">App</th><th scope="col">API</th><th scope="col">About</th>
<th scope="col">Rows</th><th scope="col">Requests</th></tr></thead><tbody>{rows}</tbody></table>
</html>"""


def make_app(client: lh.Client) -> Starlette:
    """Make the page; the APIs have their ports from here on."""
    demo = Demo(client)

    def show(request: Request) -> Response:
        return HTMLResponse(_render(demo, request.scope["root_path"]))

    demo.open()
    return Starlette(routes=[Route("/", show)], lifespan=lifespan_of(demo))


def _render(demo: Demo, here: str) -> str:
    rows = []
    for source in SOURCES:
        server = demo.servers[source.key]
        count = sum(len(found) for found in server.rows.values())
        cells = (source.key, server.name, source.about, f"{count:,}", f"{server.count():,}")
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return _PAGE.format(base=here.removesuffix(f"/{NAME}"), rows="".join(rows))


def make_application() -> Application:
    """Make the demo, which needs the tables of sync."""
    return Application(
        name=NAME,
        title="Sync: the demo's sources",
        make_app=make_app,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
