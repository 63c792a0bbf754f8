"""The OpenAPI document: every answer that a route can give, errors too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi

from leasehold.web import PROBLEM_SCHEMA, make_problem
from leasehold_links.web.problems import MEDIA_TYPE

if TYPE_CHECKING:
    from fastapi import FastAPI
    from fastapi.routing import APIRoute

_REFERENCE = {"$ref": "#/components/schemas/Problem"}
_SAID = {
    400: ("bad-request", "the body can't be read"),
    401: ("unauthenticated", "say who you are: Authorization: Bearer lh_…"),
    403: ("wrong-scope", "this needs the scope operate"),
    404: ("link-not-found", "there is no such link of yours"),
    409: ("already-there", "the folder has this link already"),
    413: ("too-large", "the body is too large"),
    421: ("unknown-host", "the service does not answer to this name"),
    422: ("bad-request", "query.limit: Input should be less than or equal to 200"),
    429: ("too-many-requests", "you ask too often; wait a little"),
    500: ("unexpected", "the service met an error that it did not expect"),
    503: ("store-unavailable", "the database can't be reached just now; try again"),
}
_ALWAYS = (400, 401, 403, 413, 421, 422, 429, 500, 503)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route: these, and what any route may answer."""
    return {status: _response(status) for status in sorted({*_ALWAYS, *statuses})}


def _response(status: int) -> dict[str, Any]:
    name, detail = _SAID[status]
    made = make_problem(status, name, detail)
    example = {"type": made.type, "title": made.title, "status": status, "detail": detail}
    content = {"schema": _REFERENCE, "examples": {name: {"value": example}}}
    return {"description": made.title, "content": {MEDIA_TYPE: content}}


def name_operation(route: APIRoute) -> str:
    """Let generated clients have our functions' names."""
    return route.name


def describe(app: FastAPI) -> None:
    """Let the application's OpenAPI document have the schema of problems."""

    def make() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            parts = document.setdefault("components", {})
            parts.setdefault("schemas", {})["Problem"] = PROBLEM_SCHEMA
            parts["securitySchemes"] = {"token": {"type": "http", "scheme": "bearer"}}
            document["security"] = [{"token": []}, {}]
            app.openapi_schema = document
        return app.openapi_schema

    app.openapi = make  # type: ignore[method-assign] # FastAPI's own way to extend it
