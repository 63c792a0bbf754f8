"""Stands before the application: who is it, how often do they ask, and what has to be confirmed."""

from __future__ import annotations

import hmac
import math
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from starlette.datastructures import Headers
from starlette.requests import cookie_parser

from leasehold.acting import acting_as
from leasehold.errors import StoreError
from leasehold.model.audit import Actor
from leasehold.tokens import PREFIX as TOKEN_PREFIX
from leasehold.web.access.access import NOTHING_SHOWN, OPEN, Credential, TooMany
from leasehold.web.access.cookies import cookie_name
from leasehold.web.access.identity import STATE, Manner
from leasehold.web.access.rights import CSRF_PENDING, needs_of, unauthenticated
from leasehold.web.guard import SAFE_METHODS, answer, refuse
from leasehold.web.problems import Problem, make_problem, problem_of

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from starlette.routing import Route
    from starlette.types import ASGIApp, Receive, Scope, Send

    from leasehold.web.access.access import Access
    from leasehold.web.access.identity import Identity

CREDENTIAL = "leasehold_credential"
CSRF_HEADER = "x-csrf-token"
LOGIN = "/login"
_FOR_PROGRAMS = ("/api/", "/health/", "/worker", "/metrics")
_STORES = "/stores/"


class AccessGate:
    """Lets nobody in whom it does not know, but for what is for everybody."""

    def __init__(
        self,
        app: ASGIApp,
        access: Access,
        routes: Sequence[Route],
        public_paths: Collection[str],
        asking_paths: Collection[str],
    ) -> None:
        self._app = app
        self._access = access
        self._open_routes = [
            route
            for route in routes
            if (needs := needs_of(route)) and needs.is_for_everybody(access.settings)
        ]
        self._public_paths = public_paths  # of applications
        self._asking_paths = asking_paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or STATE in scope.setdefault("state", {}):
            await self._app(scope, receive, send)
            return
        try:
            problem = await self._find_problem(scope)
        except TooMany as error:
            problem = too_many(error.seconds, "too many wrong credentials came from your address")
        except StoreError as error:
            problem = problem_of(error)
        if problem is None:
            with acting_as(_actor(scope)):
                await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await refuse(problem, scope, send)
        else:
            await self._refuse(problem, scope, send)

    async def _find_problem(self, scope: Scope) -> Problem | None:
        """Find out who asks, and write it down; says why they may not."""
        identity, credential = await self._identify(scope)
        scope["state"][STATE] = identity
        scope["state"][CREDENTIAL] = credential
        if identity is None:
            return None if self._is_for_everybody(below(scope)) else unauthenticated()
        if identity.manner is Manner.OPEN:
            return None
        wait = self._access.rates.take(f"{identity.manner}:{identity.name}")
        if wait > 0:
            return too_many(wait, "you ask too often")
        scope["state"][CSRF_PENDING] = _must_confirm(scope, identity)
        return None

    async def _identify(self, scope: Scope) -> tuple[Identity | None, Credential]:
        if not await self._access.is_on():
            return OPEN, NOTHING_SHOWN
        credential = read_credential(scope)
        if not credential.secret or self._is_anothers(credential, below(scope)):
            return None, credential
        find = self._access.by_cookie if credential.is_cookie else self._access.by_bearer
        return await find(credential.secret, credential.address), credential

    def _is_anothers(self, credential: Credential, path: str) -> bool:
        """Whether it is an application's own matter, and no wrong one of ours to be counted."""
        is_ours = credential.is_cookie or credential.secret.startswith(TOKEN_PREFIX)
        return not is_ours and _is_below(path, self._asking_paths)

    def _is_for_everybody(self, path: str) -> bool:
        if path.startswith(_STORES):
            path = "/" + path.removeprefix(_STORES).partition("/")[2]
        if _is_below(path, self._public_paths):
            return True
        return any(route.path_regex.match(path) for route in self._open_routes)

    async def _refuse(self, problem: Problem, scope: Scope, send: Send) -> None:
        headers = Headers(scope=scope)
        is_unknown = problem.status == 401  # noqa: PLR2004 - its own name
        is_for_person = "text/html" in headers.get("accept", "") or "hx-request" in headers
        if not is_unknown or not is_for_person or below(scope).startswith(_FOR_PROGRAMS):
            await answer(problem, send)
            return
        where = f"{scope.get('root_path', '')}{LOGIN}?next={quote(_asked(scope), safe='/')}"
        await _send_to(where, send, is_script=headers.get("hx-request") == "true")


def _actor(scope: Scope) -> Actor:
    """Say who it is, for the audit record."""
    identity: Identity | None = scope["state"][STATE]
    client = scope.get("client")
    return Actor(
        name="" if identity is None else identity.name,
        via="api" if below(scope).startswith(_FOR_PROGRAMS) else "dashboard",
        address=client[0] if client else "",
        is_certain=identity is not None and identity.manner is not Manner.OPEN,
    )


def read_credential(scope: Scope) -> Credential:
    """Read what a request shows: a bearer token goes before a cookie."""
    headers = Headers(scope=scope)
    client = scope.get("client")
    address = client[0] if client else ""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme:
        is_bearer = scheme.lower() == "bearer"
        return Credential(secret.strip() if is_bearer else "-", is_cookie=False, address=address)
    cookies: dict[str, str] = cookie_parser(headers.get("cookie", ""))
    return Credential(cookies.get(cookie_name(scope), ""), is_cookie=True, address=address)


def below(scope: Scope) -> str:
    """Return the path below wherever the service is mounted."""
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _is_below(path: str, prefixes: Collection[str]) -> bool:
    return any(f"{path}/".startswith(f"{each}/") for each in prefixes)


def is_confirmed(given: str, identity: Identity) -> bool:
    """Whether this is the CSRF token of the session."""
    return hmac.compare_digest(given.encode(), identity.csrf.encode())


def too_many(seconds: float, detail: str) -> Problem:
    """Make the answer for those who ask too often."""
    headers = {"Retry-After": str(max(1, math.ceil(seconds)))}
    return make_problem(429, "too-many-requests", f"{detail}; wait a little", headers=headers)


def _must_confirm(scope: Scope, identity: Identity) -> bool:
    """Whether it is still to be shown that a page of ours asks, and not somebody else's."""
    if identity.manner is not Manner.SESSION or scope["type"] != "http":
        return False
    if scope["method"] in SAFE_METHODS:
        return False
    return not is_confirmed(Headers(scope=scope).get(CSRF_HEADER, ""), identity)


def _asked(scope: Scope) -> str:
    """Return where to go after the login: only a page can be asked for again."""
    if scope["type"] != "http" or scope["method"] not in SAFE_METHODS:
        return "/"
    query = scope.get("query_string", b"").decode("latin-1")
    return below(scope) + (f"?{query}" if query else "")


async def _send_to(address: str, send: Send, *, is_script: bool) -> None:
    """Lead a browser to the login; its script is told in the way that it understands."""
    name = b"hx-redirect" if is_script else b"location"
    headers: list[Any] = [(name, address.encode()), (b"content-length", b"0")]
    status = 401 if is_script else 303
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": b""})
