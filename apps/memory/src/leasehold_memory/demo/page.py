"""Says what the demo has told, as an application beside the memory itself."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, Response
from starlette.routing import Route

from leasehold.kit.web import lifespan_of
from leasehold.web import Application
from leasehold_memory.demo.living import Demo
from leasehold_memory.demo.story import STORY
from leasehold_memory.settings.home import home_folder

if TYPE_CHECKING:
    from starlette.requests import Request

    import leasehold as lh

NAME = "memory-demo"
_PAGE = """<!doctype html><html lang="en"><meta charset="utf-8">
<meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">
<title>Memory: what the demo told</title>
<h1>Memory: what the demo told</h1>
<p>Said once to a new home, as if in the last days. All else on the pages was derived from it.</p>
<p><a href="{base}/memory">The companion</a> · <a href="{base}/">The dashboard</a></p>
<table><thead><tr><th scope="col">Days ago</th><th scope="col">Said</th><th scope="col">Replied</th>
</tr></thead><tbody>{rows}</tbody></table></html>"""


def make_app(_client: lh.Client) -> Starlette:
    """Make the page; the story is told when it starts."""

    def show(request: Request) -> Response:
        return HTMLResponse(_render(request.scope["root_path"]))

    return Starlette(routes=[Route("/", show)], lifespan=lifespan_of(Demo(home_folder())))


def _render(here: str) -> str:
    rows = []
    for told in STORY:
        cells = (str(told.ago.days), told.user_text, told.reply_text)
        rows.append("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in cells) + "</tr>")
    return _PAGE.format(base=here.removesuffix(f"/{NAME}"), rows="".join(rows))


def make_application() -> Application:
    return Application(name=NAME, title="Memory: what the demo told", make_app=make_app)
