"""The OpenAPI document: every answer that a route can give, errors too, with examples."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import Route

from leasehold import errors
from leasehold.web.access.rights import needs_of
from leasehold.web.problems import KINDS, MEDIA_TYPE, TITLES, make_problem, type_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from fastapi import APIRouter, FastAPI

_REFERENCE = {"$ref": "#/components/schemas/Problem"}
PROBLEM_SCHEMA: dict[str, Any] = {
    "title": "Problem",
    "type": "object",
    "description": "What went wrong (RFC 9457). `type` is stable: tell errors apart by it.",
    "required": ["type", "title", "status", "detail"],
    "properties": {
        "type": {"type": "string", "description": "Like `urn:leasehold:problem:job-not-found`."},
        "title": {"type": "string"},
        "status": {"type": "integer"},
        "detail": {"type": "string", "description": "What happened, and what to do."},
        "instance": {"type": "string", "description": "The path that was asked for."},
        "faults": {
            "type": "array",
            "description": "All that is wrong with the request.",
            "items": {
                "title": "Fault",
                "type": "object",
                "required": ["at", "message"],
                "properties": {"at": {"type": "string"}, "message": {"type": "string"}},
            },
        },
        "about": {
            "type": "object",
            "description": "What the error carries: ids, a state, a key.",
            "additionalProperties": True,
        },
    },
}
_TOKEN = "token"  # noqa: S105 - a name in the document
_SCHEME = {
    "type": "http",
    "scheme": "bearer",
    "description": "A token of `leasehold token add`, or a JWT of the issuer that is configured.",
}
_DENIED = (401, 403, 429)  # what a route may answer that is not for everybody
# What any route may answer.
_ALWAYS = (400, 403, 413, 421, 422, 500, 503)


def problems(*kinds: type[errors.LeaseholdError]) -> dict[int | str, dict[str, Any]]:
    """Describe the errors of a route: these, and what any route may answer."""
    said: dict[int | str, dict[str, Any]] = {
        status: response(TITLES[status], {}) for status in _ALWAYS
    }
    for kind in kinds:
        status, title, _ = KINDS[kind]
        examples = said.get(status, {}).get("content", {}).get(MEDIA_TYPE, {}).get("examples", {})
        example = {"type": type_of(kind), "title": title, "status": status, "detail": "…"}
        said[status] = response(title, {**examples, kind.__name__: {"value": example}})
    return said


def problem_response(status: int, name: str, detail: str) -> dict[int | str, dict[str, Any]]:
    """Describe an error that is none of the library's."""
    made = make_problem(status, name, detail)
    example = {"type": made.type, "title": made.title, "status": status, "detail": detail}
    return {status: response(detail, {name: {"value": example}})}


def response(description: str, examples: dict[str, Any]) -> dict[str, Any]:
    """Describe an answer that is a problem."""
    content: dict[str, Any] = {"schema": _REFERENCE}
    if examples:
        content["examples"] = examples
    return {"description": description, "content": {MEDIA_TYPE: content}}


def add_routes(app: FastAPI, routers: Iterable[APIRouter]) -> None:
    """Add the routes of these routers, and note them; generated clients have our functions' names.

    The routes themselves: what is included in FastAPI's way is made anew for each application, a
    millisecond for each route at the first request.
    """
    routes = [route for router in routers for route in router.routes]
    for route in routes:
        if isinstance(route, APIRoute):
            route.unique_id = route.name
    app.router.routes.extend(routes)
    app.state.routes = [route for route in routes if isinstance(route, Route)]


def _describe_access(route: APIRoute, operations: dict[str, Any]) -> None:
    """Say what a route needs, and how it answers those who do not have it."""
    needs = needs_of(route)
    if needs is None or needs.right is None:
        return
    for method in route.methods or ():
        operation = operations[method.lower()]
        operation["security"] = [{_TOKEN: []}]
        operation["x-leasehold-scope"] = needs.right.value
        operation["x-leasehold-tenants"] = needs.for_tenants
        for status in _DENIED:
            operation["responses"].setdefault(str(status), response(TITLES[status], {}))


def describe(app: FastAPI, **parts: Any) -> None:
    """Let the application's OpenAPI document have the schema of problems, and these parts."""

    def make() -> dict[str, Any]:
        if app.openapi_schema is None:
            document = get_openapi(
                title=app.title,
                version=app.version,
                summary=app.summary,
                description=app.description,
                routes=app.routes,
                tags=app.openapi_tags,
            )
            schemas = document.setdefault("components", {}).setdefault("schemas", {})
            schemas["Problem"] = PROBLEM_SCHEMA
            document["components"]["securitySchemes"] = {_TOKEN: _SCHEME}
            for route in app.state.routes:
                if isinstance(route, APIRoute) and route.include_in_schema:
                    _describe_access(route, document["paths"][route.path_format])
            app.openapi_schema = document | parts
        return app.openapi_schema

    app.openapi = make  # type: ignore[method-assign] # FastAPI's own way to extend it
