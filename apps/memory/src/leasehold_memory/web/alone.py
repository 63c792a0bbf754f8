"""The application where no service stands around it: its own door, and what guards it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import TYPE_CHECKING

from leasehold.web import WebSettings
from leasehold.web.access.lasting import OVER
from leasehold.web.guard import Guard
from leasehold.web.headers import SecurityHeaders
from leasehold_memory.web.door import Door

if TYPE_CHECKING:
    from fastapi import FastAPI
    from starlette.types import Receive, Scope, Send


class Alone:
    """An ASGI application that asks for the token; `ending` ends answers that go on for long."""

    def __init__(self, app: FastAPI, *, token: Callable[[], str], host: str = "127.0.0.1") -> None:
        settings = WebSettings(hosts=(host,))
        self._app = SecurityHeaders(Guard(Door(app, token), settings))
        self.ending = asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "lifespan":
            scope.setdefault("state", {})[OVER] = self.ending.wait
        await self._app(scope, receive, send)
