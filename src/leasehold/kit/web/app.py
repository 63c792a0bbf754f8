"""The ASGI application of an application, put together."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import Any

from fastapi import APIRouter, FastAPI
from starlette.routing import Route

from leasehold.kit.web.body_limit import BodyLimit
from leasehold.kit.web.pages import Pages
from leasehold.kit.web.problems import Problems, install_database
from leasehold.web.answering import Answering, install
from leasehold.web.described import describe, name_operation


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
        generate_unique_id_function=name_operation,
        lifespan=lifespan,
        redirect_slashes=False,  # a POST that is redirected may lose its body
    )
    routers = routers if pages is None else [*routers, pages.router]
    for router in routers:
        app.include_router(router)
    routes = (route for router in routers for route in router.routes)
    app.state.routes = [route for route in routes if isinstance(route, Route)]
    app.add_middleware(BodyLimit, large=large)
    install(app, _answering(problems, pages))
    install_database(app)
    describe(app, security=[{"token": []}, {}])  # where nobody is asked, none is needed
    return app


def _answering(problems: Problems, pages: Pages | None) -> Answering:
    if pages is None:
        return Answering(tell=problems.tell)
    return Answering(tell=problems.tell, find_page=pages.find_problem_page)
