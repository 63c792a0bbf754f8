"""How an application's own errors are answered, and described in its OpenAPI document."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from leasehold.errors import LeaseholdError
from leasehold.web import Problem, Refused, make_problem, problem_of
from leasehold.web.answering import respond
from leasehold.web.described import response

if TYPE_CHECKING:
    from fastapi import FastAPI, Request
    from starlette.responses import Response

_logger = logging.getLogger("leasehold.web")
_AWAY = "the database can't be reached, or is busy, just now; try again"


class _Example(NamedTuple):
    name: str
    detail: str


# What any route may answer.
_ALWAYS = {
    400: _Example("bad-request", "the body can't be read"),
    401: _Example("unauthenticated", "say who you are: Authorization: Bearer lh_…"),
    403: _Example("wrong-scope", "this needs the scope operate"),
    413: _Example("too-large", "the body is too large"),
    421: _Example("unknown-host", "the service does not answer to this name"),
    422: _Example("bad-request", "query.limit: Input should be less than or equal to 200"),
    429: _Example("too-many-requests", "you ask too often; wait a little"),
    500: _Example("unexpected", "the service met an error that it did not expect"),
    503: _Example("store-unavailable", _AWAY),
}


class Problems:
    """Which status and name each of an application's errors has; the others are the queue's."""

    def __init__(self, kinds: Mapping[type[LeaseholdError], tuple[int, str]]) -> None:
        self._kinds = kinds

    def tell(self, error: LeaseholdError) -> Problem:
        """Make a problem of an error; one that is not here is told as what it derives from."""
        found = next((each for each in type(error).__mro__ if each in self._kinds), None)
        if found is None:
            return problem_of(error)
        status, name = self._kinds[found]
        about = {each: str(value) for each, value in vars(error).items()}
        return make_problem(status, name, str(error), about=about)

    def responses(self, *statuses: int) -> dict[int | str, dict[str, Any]]:
        """Describe the errors of a route: these, and what any route may answer."""
        return {status: self._response(status) for status in sorted({*_ALWAYS, *statuses})}

    def _response(self, status: int) -> dict[str, Any]:
        said = [_ALWAYS[status]] if status in _ALWAYS else []
        own = [
            _Example(name, (kind.__doc__ or name).splitlines()[0])
            for kind, (known, name) in self._kinds.items()
            if known == status
        ]
        examples = {}
        for each in said + own:
            made = make_problem(status, each.name, each.detail)
            value = {"type": made.type, "title": made.title, "status": status}
            examples[each.name] = {"value": value | {"detail": each.detail}}
        return response(make_problem(status, "", "").title, examples)


def not_found(what: str) -> Refused:
    """Say that it is not there; the same for what is somebody else's."""
    return Refused(make_problem(404, f"{what}-not-found", f"there is no such {what} of yours"))


def install_database(app: FastAPI) -> None:
    """Let a database that is away for a moment be no fault of ours, and worth another try."""
    for kind in (DBAPIError, PoolTimeout):
        app.add_exception_handler(kind, _answer_database)


def _answer_database(request: Request, error: Exception) -> Response:
    _logger.warning("database failed", extra={"path": request.url.path, "error": str(error)[:500]})
    problem = make_problem(503, "store-unavailable", _AWAY, headers={"Retry-After": "1"})
    return respond(request, problem)
