"""Whatever goes wrong is answered as a problem document, or as a page to who asks for one."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from fastapi.exceptions import RequestValidationError
from msgspec.structs import replace
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from starlette.exceptions import HTTPException
from starlette.responses import Response

import leasehold as lh
from leasehold.web import Fault, Problem, make_problem, problem_of
from leasehold_links import errors
from leasehold_links.bookmarks.values import NotBookmarks

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from starlette.routing import Route

MEDIA_TYPE = "application/problem+json"
_logger = logging.getLogger("leasehold_links.web")
_NOT_ALLOWED = 405
_NAMES = {404: "not-found", 405: "method-not-allowed", 400: "bad-request", 413: "too-large"}
_DETAILS = {
    404: "there is nothing at this path",
    405: "this path does not know this method; Allow says which",
    400: "the body can't be read",
}


# How the library's own errors are told; a class that is not here is the queue's.
_KINDS: dict[type[errors.LinksError], tuple[int, str]] = {
    errors.AlreadyThere: (409, "already-there"),
    errors.BadAddress: (422, "bad-address"),
    errors.BadDomain: (422, "bad-domain"),
    errors.FileTooLarge: (413, "too-large"),
    errors.FolderNotFound: (404, "folder-not-found"),
    errors.ImportNotFound: (404, "import-not-found"),
    errors.LinkNotFound: (404, "link-not-found"),
    NotBookmarks: (422, "not-bookmarks"),
}


class Refused(Exception):
    """A request that is answered with a problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def not_found(what: str) -> Refused:
    """Say that it is not there; the same for what is somebody else's."""
    return Refused(make_problem(404, f"{what}-not-found", f"there is no such {what} of yours"))


def tell(error: lh.LeaseholdError) -> Problem:
    """Make a problem of an error of the library or of its queue."""
    kind = _KINDS.get(type(error))  # type: ignore[arg-type] # others are not found, which is meant
    if kind is None:
        return problem_of(error)
    status, name = kind
    about = {each: str(value) for each, value in vars(error).items()}
    return make_problem(status, name, str(error), about=about)


def install(app: FastAPI) -> None:
    """Let the application answer every error with a problem."""
    handlers: dict[Any, Any] = {
        Refused: lambda request, error: respond(request, error.problem),
        lh.LeaseholdError: lambda request, error: respond(request, tell(error)),
        DBAPIError: _answer_database,
        PoolTimeout: _answer_database,
        HTTPException: _answer_http,
        RequestValidationError: _answer_invalid,
        Exception: _answer_crash,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def respond(request: Request, problem: Problem) -> Response:
    """Answer with the problem, or with a page for who asks for one."""
    problem = replace(problem, instance=request.url.path)
    show_page = getattr(request.app.state, "problem_page", None)
    if show_page is not None and _wants_page(request):
        page: Response = show_page(request, problem)
        return page
    return Response(
        problem.encode(), problem.status, media_type=MEDIA_TYPE, headers=problem.headers
    )


def path_of(request: Request) -> str:
    """Return the path below wherever the application is mounted."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


def _wants_page(request: Request) -> bool:
    is_for_person = not path_of(request).startswith("/api/")
    return is_for_person and "text/html" in request.headers.get("accept", "")


def _answer_database(request: Request, error: Exception) -> Response:
    """A database that is away for a moment is no fault of ours, and worth another try."""
    _logger.warning("database failed", extra={"path": request.url.path, "error": str(error)[:500]})
    detail = "the database can't be reached, or is busy, just now; try again"
    problem = make_problem(503, "store-unavailable", detail, headers={"Retry-After": "1"})
    return respond(request, problem)


def _answer_http(request: Request, error: HTTPException) -> Response:
    name = _NAMES.get(error.status_code, f"http-{error.status_code}")
    detail = _DETAILS.get(error.status_code, str(error.detail))
    headers = dict(error.headers or {})
    if error.status_code == _NOT_ALLOWED and (allowed := _allowed_methods(request)):
        headers["Allow"] = allowed
    return respond(request, make_problem(error.status_code, name, detail, headers=headers))


def _allowed_methods(request: Request) -> str:
    """Name the methods of all routes of a path: the framework names those of the first one."""
    path = path_of(request)
    routes: list[Route] = request.app.state.routes
    found = {
        method for each in routes if each.path_regex.match(path) for method in each.methods or ()
    }
    return ", ".join(sorted(found))


def _answer_invalid(request: Request, error: RequestValidationError) -> Response:
    """Name what is wrong, without the value: it may be nothing that can be sent."""
    faults = tuple(
        Fault(at=".".join(map(str, each["loc"])), message=each["msg"]) for each in error.errors()
    )
    detail = "; ".join(f"{each.at}: {each.message}" for each in faults[:3])
    return respond(request, make_problem(422, "bad-request", detail, faults=faults))


def _answer_crash(request: Request, _error: Exception) -> Response:
    """The server logs the traceback; the caller learns only that it was not its fault."""
    detail = "the library met an error that it did not expect; the service's log says which"
    return respond(request, make_problem(500, "unexpected", detail))
