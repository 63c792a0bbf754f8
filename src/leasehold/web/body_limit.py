"""No body is larger than the service wants to hold in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException
from starlette.datastructures import Headers

from leasehold.web.guard import answer
from leasehold.web.problems import make_problem

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_TOO_LARGE = 413


class BodyLimit:
    """Refuses a body that says it is too large, and cuts off one that turns out to be."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = Headers(scope=scope).get("content-length", "")
        if said.isdecimal() and int(said) > self._limit:
            await answer(make_problem(_TOO_LARGE, "too-large", self._detail), send)
            return
        await self._app(scope, self._counting(receive), send)

    def _counting(self, receive: Receive) -> Receive:
        seen = 0

        async def count() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > self._limit:
                raise HTTPException(_TOO_LARGE, self._detail)
            return message

        return count

    @property
    def _detail(self) -> str:
        return f"the body is larger than {self._limit:,} bytes"
