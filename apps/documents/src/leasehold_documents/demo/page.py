"""The demo as an application: its page tells what there is to see; papers come meanwhile."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leasehold.kit.web import lifespan_of
from leasehold.web import Application
from leasehold_documents.data.migrating import MIGRATIONS
from leasehold_documents.demo.living import Demo
from leasehold_documents.demo.papers import BAKERY, HOUSES
from leasehold_documents.demo.texts import TEXTS, THINGS, language_of

if TYPE_CHECKING:
    from starlette.requests import Request

    import leasehold as lh

NAME = "documents-demo"
_PAGE = """<!doctype html><html lang="{language}"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>{title}</title>
<h1>{title}</h1>
<p>{about}</p>
<p><a href="{base}/documents/">{papers}</a> · <a href="{base}/">{dashboard}</a></p>
<ul>{things}</ul>
<table><thead><tr><th scope="col">{organization}</th><th scope="col">{papers}</th></tr></thead>
<tbody>{rows}</tbody></table>
</html>"""


def make_app(client: lh.Client) -> Starlette:
    """Make the page; papers come from the start of the service on."""
    demo = Demo(client)

    def show(request: Request) -> Response:
        return HTMLResponse(_render(demo, request), headers={"Vary": "Accept-Language"})

    demo.open()
    return Starlette(routes=[Route("/", show)], lifespan=lifespan_of(demo))


def _render(demo: Demo, request: Request) -> str:
    language = language_of(request.headers.get("accept-language", ""))
    rows = "".join(
        f"<tr><td>{escape(name)}</td><td>{len(demo.rows(name))}</td></tr>"
        for name in (HOUSES, BAKERY)
    )
    things = "".join(f"<li>{escape(thing)}</li>" for thing in THINGS[language])
    base = request.scope["root_path"].removesuffix(f"/{NAME}")
    values = {"base": base, "rows": rows, "things": things, "language": language}
    return _PAGE.format(**values, **TEXTS[language])


def make_application() -> Application:
    """Make the demo, which needs the tables of documents."""
    return Application(
        name=NAME,
        title="Documents: the demo",
        make_app=make_app,
        migrate=MIGRATIONS.migrate,
        pending=MIGRATIONS.pending,
    )
