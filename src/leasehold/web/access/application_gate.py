"""Stands before an application that lives in the service."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from msgspec.structs import replace
from starlette.datastructures import Headers

from leasehold.acting import acting_as, current_actor
from leasehold.model.access import Right
from leasehold.web.access.identity import identity_of
from leasehold.web.access.lasting import OVER, Lasting
from leasehold.web.access.rights import (
    CSRF_PENDING,
    Needs,
    find_refusal,
    unauthenticated,
    wrong_csrf,
)
from leasehold.web.guard import refuse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from leasehold.web.applications import Application
    from leasehold.web.problems import Problem


class ApplicationGate:
    """Lets in who may read; who is bound to a tenant only where that is declared."""

    def __init__(self, app: ASGIApp, application: Application, lasting: Lasting) -> None:
        self._app = app
        self._lasting = lasting
        self._name = application.name
        self._is_open = application.is_for_everybody
        self._is_asking = application.is_asking
        self._needs = Needs(Right.READ, for_tenants=application.is_for_tenants)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = None
        if scope["type"] != "lifespan" and not self._is_open:
            problem = self._find_problem(scope)
        if problem is None:
            if scope["type"] != "lifespan":
                scope.setdefault("state", {})[OVER] = partial(self._lasting.until_over, scope)
            with acting_as(replace(current_actor(), via=self._name)):
                await self._app(scope, receive, send)
        else:
            await refuse(problem, scope, send)

    def _find_problem(self, scope: Scope) -> Problem | None:
        identity = identity_of(scope)
        if identity is None:
            return None if self._is_asking else unauthenticated()
        if _is_unsaid(scope):
            return wrong_csrf()
        return find_refusal(identity, self._needs)


def _is_unsaid(scope: Scope) -> bool:
    """Whether a session changes something without a word of where it comes from.

    An application's forms know nothing of our CSRF token. But a browser says whose page sent one
    (and another site's is refused before this), so one that says nothing is refused.
    """
    if not scope.get("state", {}).get(CSRF_PENDING):
        return False
    headers = Headers(scope=scope)
    return "origin" not in headers and "sec-fetch-site" not in headers
