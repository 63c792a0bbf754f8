"""Who may come in where no service stands around the companion: whoever has its token.

Programs show it as `Authorization: Bearer …`. A browser shows it once, by `/?token=…`, and gets a
cookie for it, which is none of the token's own text and is never sent from another site's page.
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers
from starlette.requests import Request, cookie_parser
from starlette.responses import RedirectResponse

from leasehold.web import Identity, Right, make_problem
from leasehold.web.access.identity import STATE
from leasehold.web.answering import respond

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send

OWNER = Identity(name="owner", right=Right.ADMIN)
COOKIE = "memory_door"
_QUERY = "token"
_OPEN = "/static/"  # what the page is made of that says who may not come in
_YEAR_SECONDS = 365 * 86_400


class Door:
    """Lets nobody in who does not show the token, as it is now."""

    def __init__(self, app: FastAPI, token: Callable[[], str]) -> None:
        self._app = app
        self._token = token

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan" or _path(scope).startswith(_OPEN):
            await self._app(scope, receive, send)
        elif self._is_known(scope):
            scope.setdefault("state", {})[STATE] = OWNER
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    def _is_known(self, scope: Scope) -> bool:
        headers = Headers(scope=scope)
        scheme, _, shown = headers.get("authorization", "").partition(" ")
        if scheme:
            return scheme.lower() == "bearer" and _is_same(shown.strip(), self._token())
        cookies: dict[str, str] = cookie_parser(headers.get("cookie", ""))
        return _is_same(cookies.get(COOKIE, ""), cookie_of(self._token()))

    async def _answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Give a browser its cookie for the token in its address, else say what is missing."""
        query = parse_qsl(scope.get("query_string", b"").decode("latin-1"), keep_blank_values=True)
        shown = dict(query).get(_QUERY, "")
        if scope["method"] == "GET" and _is_same(shown, self._token()):
            rest = urlencode([(name, value) for name, value in query if name != _QUERY])
            response = RedirectResponse(scope["path"] + (f"?{rest}" if rest else ""), 303)
            _let_in(response, scope, cookie_of(self._token()))
            await response(scope, receive, send)
            return
        request = Request({**scope, "app": self._app}, receive)
        await respond(request, _unknown())(scope, receive, send)


def cookie_of(token: str) -> str:
    """Return what a browser is given for the token: it opens pages, and can't be turned back."""
    return hmac.new(token.encode(), b"door", hashlib.sha256).hexdigest()


def _is_same(shown: str, meant: str) -> bool:
    return bool(shown) and hmac.compare_digest(shown.encode(), meant.encode())


def _path(scope: Scope) -> str:
    path: str = scope["path"]
    return path.removeprefix(scope.get("root_path", ""))


def _let_in(response: Any, scope: Scope, value: str) -> None:
    response.set_cookie(
        COOKIE,
        value,
        max_age=_YEAR_SECONDS,
        path=scope.get("root_path", "") or "/",
        httponly=True,
        samesite="strict",
        secure=scope.get("scheme") == "https",
    )


def _unknown() -> Any:
    detail = (
        "show the token of this companion: Authorization: Bearer …, or open the address that it "
        "said when it was started"
    )
    headers = {"WWW-Authenticate": "Bearer"}
    return make_problem(401, "unauthenticated", detail, headers=headers)
