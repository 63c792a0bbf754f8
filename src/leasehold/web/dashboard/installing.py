"""What the dashboard adds to the service beside its routes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi.responses import HTMLResponse

from leasehold.web.answering import path_of
from leasehold.web.dashboard.answering import look_of
from leasehold.web.dashboard.csrf import fill_in
from leasehold.web.dashboard.looks import Page
from leasehold.web.dashboard.rendering import render, wrap
from leasehold.web.streams import Streams

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

    from leasehold.web.answering import ErrorPage
    from leasehold.web.problems import Problem

# Where programs ask: they are never answered with a page.
_FOR_PROGRAMS = ("/api/", "/health/", "/worker", "/metrics")


def install(app: FastAPI) -> None:
    """Keep the open streams."""
    app.state.streams = Streams()


def find_page(request: Request) -> ErrorPage | None:
    """Let people see a page where a program sees a problem."""
    return None if path_of(request).startswith(_FOR_PROGRAMS) else show_problem


def show_problem(request: Request, problem: Problem) -> Response:
    """Say it on a page."""
    look = look_of(request)
    values = {"title": problem.title, "text": problem.detail}
    page = Page(template="trouble.html", title=problem.title, values=values, is_live=False)
    headers = problem.headers | {"Cache-Control": "no-store"}
    body = fill_in(wrap(look, page, render(look, page), etag=""), look)
    return HTMLResponse(body, problem.status, headers=headers)
