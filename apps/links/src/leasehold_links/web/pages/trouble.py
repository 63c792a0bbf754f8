"""The page that a person sees instead of a problem's JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold_links.web.pages.rendering import render
from leasehold_links.web.pages.visiting import visit_of

if TYPE_CHECKING:
    from fastapi import Request
    from starlette.responses import Response

    from leasehold.web import Problem


def show_problem(request: Request, problem: Problem) -> Response:
    """Say it in the reader's language, as exactly as we have words for it."""
    visit = visit_of(request)
    say, name = visit.say, problem.type.rpartition(":")[2]
    status = f"problem.{problem.status}"
    text = say.known(f"problem.{name}", status if say.has(status) else "problem.500")
    title = say.known(f"problem.title.{problem.status}", "problem.title.other")
    page = render(visit, "problem.html", status=problem.status, title=title, text=text)
    page.headers.update(problem.headers)
    return page
