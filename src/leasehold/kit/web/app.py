"""The ASGI application of an application, put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI

from leasehold.kit.web.body_limit import BodyLimit
from leasehold.kit.web.pages import Pages
from leasehold.kit.web.problems import Problems, install_database
from leasehold.web.answering import Answering, install
from leasehold.web.described import add_routes, describe


def make_app(
    *,
    title: str,
    summary: str,
    routers: Sequence[APIRouter],
    problems: Problems,
    pages: Pages | None = None,
    lifespan: Callable[[FastAPI], Any] | None = None,
    large: Collection[str] = (),
    openapi_url: str = "/api/openapi.json",
) -> FastAPI:
    """Make it of routers; whatever goes wrong is answered as a problem, or as a page to a person.

    Bodies are small, but at the paths in `large`, whose routes read them piece by piece.
    """
    app = FastAPI(
        title=title,
        summary=summary,
        openapi_url=openapi_url,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        redirect_slashes=False,  # a POST that is redirected may lose its body
    )
    routers = routers if pages is None else [*routers, pages.router]
    add_routes(app, routers)
    app.add_middleware(BodyLimit, large=large)
    install(app, _answering(problems, pages))
    install_database(app)
    describe(app, security=[{"token": []}, {}])  # where nobody is asked, none is needed
    return app


def _answering(problems: Problems, pages: Pages | None) -> Answering:
    if pages is None:
        return Answering(tell=problems.tell)
    return Answering(tell=problems.tell, find_page=pages.find_problem_page)
