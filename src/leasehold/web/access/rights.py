"""What each route needs: declared beside it, checked before its body is read.

A route that declares nothing can't be added: `create_app` refuses it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from fastapi import APIRouter, Request, Response
from fastapi.routing import APIRoute

from leasehold.model.access import Right
from leasehold.web.access.depth import refuse_depth
from leasehold.web.access.identity import identity_of
from leasehold.web.problems import Problem, Refused, make_problem

if TYPE_CHECKING:
    from starlette.routing import Route

    from leasehold.web.access.identity import Identity
    from leasehold.web.settings import WebSettings

CSRF_PENDING = "leasehold_csrf_pending"
_NAME = "leasehold_needs"
Endpoint = TypeVar("Endpoint", bound=Callable[..., Any])


class Needs(NamedTuple):
    """What somebody has to have for a route; no right at all: it is for everybody."""

    right: Right | None
    for_tenants: bool = True
    open_if: str = ""  # a setting that makes it for everybody

    def is_for_everybody(self, settings: WebSettings) -> bool:
        return self.right is None or bool(self.open_if and getattr(settings, self.open_if))


def declare(needs: Needs) -> Callable[[Endpoint], Endpoint]:
    """Say what an endpoint needs."""

    def note(endpoint: Endpoint) -> Endpoint:
        setattr(endpoint, _NAME, needs)
        return endpoint

    return note


for_everybody = declare(Needs(None))
reads = declare(Needs(Right.READ))
operates = declare(Needs(Right.OPERATE))
administers = declare(Needs(Right.ADMIN))
# The same, of what belongs to no tenant: who is bound to one is refused.
reads_all = declare(Needs(Right.READ, for_tenants=False))
operates_all = declare(Needs(Right.OPERATE, for_tenants=False))
administers_all = declare(Needs(Right.ADMIN, for_tenants=False))
reads_metrics = declare(Needs(Right.READ, for_tenants=False, open_if="has_open_metrics"))


def needs_of(route: Route) -> Needs | None:
    """Return what a route has declared."""
    return getattr(route.endpoint, _NAME, None)


def refuse_undeclared(routes: Iterable[Route]) -> None:
    """Fail where a route does not say what it needs."""
    bare = [f"{route.path} ({route.name})" for route in routes if needs_of(route) is None]
    if bare:
        msg = f"these routes do not say what right they need: {', '.join(bare)}"
        raise RuntimeError(msg)


def authorise(request: Request, needs: Needs) -> None:
    """Raise `Refused` unless whoever asks may have this."""
    if needs.is_for_everybody(request.app.state.site.settings):
        return
    identity = identity_of(request)
    if identity is None:
        raise Refused(unauthenticated())
    problem = find_refusal(identity, needs)
    if problem is not None:
        raise Refused(problem)


def find_refusal(identity: Identity, needs: Needs) -> Problem | None:
    """Say why somebody may not have this; None when they may."""
    if needs.right is not None and not identity.may(needs.right):
        about = {"needs": needs.right.value, "has": identity.right.value}
        detail = f"this needs the scope {needs.right}; yours is {identity.right}"
        return make_problem(403, "wrong-scope", detail, about=about)
    if identity.tenant is not None and not needs.for_tenants:
        detail = "this belongs to no tenant, and you are bound to one"
        return make_problem(403, "not-for-tenants", detail)
    return None


def unauthenticated(detail: str = "say who you are: Authorization: Bearer lh_…") -> Problem:
    """Make the answer for those whom nobody knows."""
    headers = {"WWW-Authenticate": 'Bearer realm="leasehold"'}
    return make_problem(401, "unauthenticated", detail, headers=headers)


def refuse_unconfirmed(request: Request) -> None:
    """Raise `Refused` for a change by a session that has not shown its CSRF token."""
    if request.scope.get("state", {}).get(CSRF_PENDING):
        raise Refused(wrong_csrf())


def wrong_csrf() -> Problem:
    detail = "the form is not of this session: load the page again, and send it from there"
    return make_problem(403, "wrong-csrf", detail)


class GuardedRoute(APIRoute):
    """A route for programs, which looks who asks before it reads what they say."""

    def get_route_handler(self) -> Callable[[Request], Awaitable[Response]]:  # type: ignore[override] # a coroutine is awaitable
        handle = super().get_route_handler()
        needs = needs_of(self)

        async def guarded(request: Request) -> Response:
            if needs is None:
                raise Refused(unauthenticated())
            authorise(request, needs)
            refuse_unconfirmed(request)
            await refuse_depth(request)
            return await handle(request)

        return guarded


class ApiRouter(APIRouter):
    """A router whose routes are guarded, and have our functions' names in generated clients."""

    def __init__(self, **options: Any) -> None:
        super().__init__(
            route_class=GuardedRoute,
            generate_unique_id_function=lambda route: route.name,
            **options,
        )
