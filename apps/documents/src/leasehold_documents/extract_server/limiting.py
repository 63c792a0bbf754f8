"""No more at once than the machine can do, and no file larger than was said."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from starlette.exceptions import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

_WAITING = 8  # requests for each place, before they are sent away
_FORM_BYTES = 1_048_576  # around the file


class Places:
    """Places to work at, and a bounded row of those who wait for one."""

    def __init__(self, count: int) -> None:
        self._free = asyncio.Semaphore(count)
        self._most = count * (1 + _WAITING)
        self._here = 0

    @asynccontextmanager
    async def taken(self) -> AsyncIterator[None]:
        if self._here >= self._most:
            raise HTTPException(429, "too many requests at once", headers={"Retry-After": "5"})
        self._here += 1
        try:
            async with self._free:
                yield
        finally:
            self._here -= 1


class BodyLimit:
    """Answers 413 to a body that says it is too large, or turns out to be."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most + _FORM_BYTES

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        left = self._most

        async def counted() -> Message:
            nonlocal left
            message = await receive()
            left -= len(message.get("body", b""))
            if left < 0:
                raise HTTPException(413, "the file is too large")
            return message

        await self._app(scope, counted, send)
