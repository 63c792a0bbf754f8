"""No body is larger than the service wants to hold in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException
from starlette.datastructures import Headers

from leasehold.web.guard import answer
from leasehold.web.problems import make_problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = 413


class BodyLimit:
    """Refuses a body that says it is too large, and cuts off one that turns out to be."""

    def __init__(self, app: ASGIApp, limit: int, limits: Mapping[str, int]) -> None:
        self._app = app
        self._limit = limit
        self._limits = limits  # of applications, by their path

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limit_of(scope)
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said) > limit:
            await answer(make_problem(_TOO_LARGE, "too-large", _detail(limit)), send)
            return
        await self._app(scope, counting(receive, limit), send)

    def _limit_of(self, scope: Scope) -> int:
        path: str = scope["path"].removeprefix(scope.get("root_path", ""))
        for prefix, limit in self._limits.items():
            if f"{path}/".startswith(f"{prefix}/"):
                return limit
        return self._limit


def counting(receive: Receive, limit: int) -> Receive:
    """Cut a body off that turns out to be larger than that."""
    seen = 0

    async def count() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > limit:
            raise HTTPException(_TOO_LARGE, _detail(limit))
        return message

    return count


def _detail(limit: int) -> str:
    return f"the body is larger than {limit:,} bytes"
