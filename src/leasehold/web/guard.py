"""Who may ask: the names that the service answers to, no other site's pages, read-only.

A browser says with each change where it comes from (Origin, Sec-Fetch-Site); what says nothing is
no browser and can't be tricked by a page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from leasehold.web.problems import MEDIA_TYPE, Problem, make_problem
from leasehold.web.settings import ANY_HOST

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from leasehold.web.settings import WebSettings

SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})
_OWN_SITE = frozenset({"same-origin", "none"})  # none: typed in, or a bookmark


class Guard:
    """Refuses a request before anything reads it."""

    def __init__(self, app: ASGIApp, settings: WebSettings) -> None:
        self._app = app
        self._settings = settings
        self._hosts = LOOPBACK | {name.lower() for name in settings.hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        problem = self._refuse(scope)
        if problem is None:
            await self._app(scope, receive, send)
        else:
            await refuse(problem, scope, send)

    def _refuse(self, scope: Scope) -> Problem | None:
        headers = Headers(scope=scope)
        if not self._is_known(headers.get("host", "")):
            return make_problem(
                421,
                "unknown-host",
                "the service does not answer to this name; allow it with --allow-host, "
                "or WebSettings(hosts=...)",
            )
        if scope["type"] == "websocket":
            return None if is_own_page(headers) else _cross_site()
        if scope["method"] in SAFE_METHODS:
            return None
        if self._settings.is_read_only:
            return make_problem(403, "read-only", "the service is read-only: it changes nothing")
        return None if is_own_page(headers) else _cross_site()

    def _is_known(self, host: str) -> bool:
        return ANY_HOST in self._hosts or host_name(host) in self._hosts


def is_own_page(headers: Headers) -> bool:
    """Whether a request comes from one of our own pages, or from no page at all."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in _OWN_SITE
    origin = headers.get("origin")
    return origin is None or urlsplit(origin).netloc.lower() == headers.get("host", "").lower()


def host_name(host: str) -> str:
    """Take the port off a Host header, and the brackets of an IPv6 address; "" if it is none."""
    try:
        return (urlsplit(f"//{host}").hostname or "").rstrip(".")
    except ValueError:
        return ""


def _cross_site() -> Problem:
    return make_problem(
        403, "cross-site", "another site's page asked for this change; only our own pages may"
    )


async def refuse(problem: Problem, scope: Scope, send: Send) -> None:
    """Send a problem, or close a websocket with what it says."""
    if scope["type"] == "websocket":
        await send({"type": "websocket.close", "code": 1008, "reason": problem.detail[:100]})
    else:
        await answer(problem, send)


async def answer(problem: Problem, send: Send) -> None:
    """Send a problem from outside of the application."""
    body = problem.encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        *((name.lower().encode(), value.encode()) for name, value in problem.headers.items()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
