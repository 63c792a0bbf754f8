"""Turns whatever went wrong in a request into its answer, here and in applications."""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from leasehold.errors import LeaseholdError, StoreError
from leasehold.web.problems import MEDIA_TYPE, Fault, Problem, Refused, make_problem, problem_of

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.routing import Route

_logger = logging.getLogger("leasehold.web")
_NAMES = {404: "not-found", 405: "method-not-allowed", 400: "bad-request", 413: "too-large"}
_DETAILS = {
    404: "there is nothing at this path",
    405: "this path does not know this method; Allow says which",
    400: "the body can't be read",
}
_NOT_ALLOWED = 405

ErrorPage: TypeAlias = Callable[[Request, Problem], Response]


def _no_page(_request: Request) -> None:
    """Programs ask, and nobody else."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """How errors are told: as which problem, and on which page to a person at a browser."""

    tell: Callable[[LeaseholdError], Problem] = problem_of
    find_page: Callable[[Request], ErrorPage | None] = _no_page  # None where programs ask


def install(app: FastAPI, answering: Answering) -> None:
    """Let the application answer every error with a problem."""
    app.state.answering = answering
    handlers: dict[Any, Any] = {
        LeaseholdError: _answer_error,
        Refused: _answer_refused,
        HTTPException: _answer_http,
        RequestValidationError: _answer_invalid,
        Exception: _answer_crash,
    }
    for kind, handler in handlers.items():
        app.add_exception_handler(kind, handler)


def respond(request: Request, problem: Problem) -> Response:
    """Answer with the problem, or with a page for who asks for one."""
    problem = msgspec.structs.replace(problem, instance=request.url.path)
    if "text/html" in request.headers.get("accept", ""):
        answering: Answering = request.app.state.answering
        show_page = answering.find_page(request)
        if show_page is not None:
            return show_page(request, problem)
    return Response(
        problem.encode(),
        status_code=problem.status,
        media_type=MEDIA_TYPE,
        headers=problem.headers,
    )


def path_of(request: Request) -> str:
    """Return the path below wherever the application is mounted."""
    path: str = request.scope["path"]
    return path.removeprefix(request.scope.get("root_path", ""))


def _allowed_methods(request: Request) -> str:
    """Name the methods of all routes of a path: the framework names those of the first one."""
    path = path_of(request)
    routes: list[Route] = request.app.state.routes
    found = {
        method for each in routes if each.path_regex.match(path) for method in each.methods or ()
    }
    return ", ".join(sorted(found))


def _answer_error(request: Request, error: LeaseholdError) -> Response:
    if isinstance(error, StoreError):
        _logger.warning("store failed", extra={"path": request.url.path, "error": str(error)})
    answering: Answering = request.app.state.answering
    return respond(request, answering.tell(error))


def _answer_refused(request: Request, error: Refused) -> Response:
    return respond(request, error.problem)


def _answer_http(request: Request, error: HTTPException) -> Response:
    name = _NAMES.get(error.status_code, f"http-{error.status_code}")
    detail = _DETAILS.get(error.status_code, str(error.detail))
    headers = dict(error.headers or {})
    if error.status_code == _NOT_ALLOWED and (allowed := _allowed_methods(request)):
        headers["Allow"] = allowed
    return respond(request, make_problem(error.status_code, name, detail, headers=headers))


def _answer_invalid(request: Request, error: RequestValidationError) -> Response:
    """Name what is wrong, without the value: it may be a secret, or nothing that can be sent."""
    faults = tuple(
        Fault(at=".".join(map(str, each["loc"])), message=each["msg"]) for each in error.errors()
    )
    detail = "; ".join(f"{each.at}: {each.message}" for each in faults[:3])
    return respond(request, make_problem(422, "bad-request", detail, faults=faults))


def _answer_crash(request: Request, _error: Exception) -> Response:
    """The server logs the traceback; the caller learns only that it was not its fault."""
    detail = "the service met an error that it did not expect; its log says which"
    return respond(request, make_problem(500, "unexpected", detail))
