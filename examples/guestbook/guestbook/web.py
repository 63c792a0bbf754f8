"""The guestbook's page, and how it presents itself to the service."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.routing import Route

from guestbook import tasks
from leasehold.web import Application

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from leasehold import Client

_PAGE = """<!doctype html><html lang="en"><title>Guestbook</title>
<h1>Guestbook</h1>
<form method="post" action="{root}">
<label>Your name <input name="name" required></label> <button>Sign</button>
</form>
<ul>{entries}</ul>
</html>"""


def make_app(client: Client) -> Starlette:
    """Make the page over the client of the store that the service gives us."""

    async def show(request: Request) -> Response:
        signed = await run_in_threadpool(client.find, kind=tasks.sign, state="succeeded", limit=20)
        entries = "".join(f"<li>{escape(str(job.result))}</li>" for job in signed)
        return HTMLResponse(_PAGE.format(root=request.scope["root_path"], entries=entries))

    async def sign(request: Request) -> Response:
        async with request.form() as form:
            name = str(form["name"])
        await run_in_threadpool(client.enqueue, tasks.sign, name)
        return RedirectResponse(request.scope["root_path"], status_code=303)

    return Starlette(routes=[Route("/", show, methods=["GET"]), Route("/", sign, methods=["POST"])])


application = Application(name="guestbook", title="Guestbook", make_app=make_app, tasks=tasks)
