"""The demo as an application: its page lists its web, which answers as long as it is served."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leasehold.kit.web import lifespan_of
from leasehold.web import Application
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.demo.file import FILE_NAME, PLACES, demo_file
from leasehold_links.demo.living import Demo
from leasehold_links.demo.texts import TEXTS, language_of

if TYPE_CHECKING:
    from starlette.requests import Request

    import leasehold as lh

NAME = "links-demo"
_PAGE = """<!doctype html><html lang="{language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>{title}</title>
<h1>{title}</h1>
<p>{about}</p>
<p><a href="{base}/links/">{library}</a> · <a href="{base}/">{dashboard}</a> ·
<a href="{here}/{file}" download>{download}</a></p>
<table><thead><tr><th scope="col">{address}</th><th scope="col">{ends}</th>
<th scope="col">{visits}</th></tr></thead><tbody>{rows}</tbody></table>
</html>"""


def make_app(client: lh.Client) -> Starlette:
    """Make the page; the names lead to the demo's web from here on."""
    demo = Demo(client)

    async def show(request: Request) -> Response:
        return HTMLResponse(_render(demo, request), headers={"Vary": "Accept-Language"})

    async def download(_request: Request) -> Response:
        return Response(demo_file(), media_type="text/html; charset=utf-8")

    demo.open()
    routes = [Route("/", show), Route(f"/{FILE_NAME}", download)]
    return Starlette(routes=routes, lifespan=lifespan_of(demo))


def _render(demo: Demo, request: Request) -> str:
    here = request.scope["root_path"]
    language = language_of(request.headers.get("accept-language", ""))
    seen = {} if demo.web is None else demo.web.seen
    rows = "".join(
        f"<tr><td>{escape(place.url)}</td>"
        f"<td>{escape(place.reason or place.ends)}</td><td>{seen.get(place.key, 0)}</td></tr>"
        for place in PLACES
    )
    base = here.removesuffix(f"/{NAME}")
    values = {"base": base, "here": here, "file": FILE_NAME, "rows": rows, "language": language}
    return _PAGE.format(**values, **TEXTS[language])


def make_application() -> Application:
    """Make the demo, which needs the library's tables."""
    return Application(
        name=NAME,
        title="Links: the demo's web",
        make_app=make_app,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
