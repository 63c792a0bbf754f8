"""Only what is meant to be large may be: every other body is small, and is read into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.web.body_limit import counting

if TYPE_CHECKING:
    from collections.abc import Collection

    from starlette.types import ASGIApp, Receive, Scope, Send

SMALL_BYTES = 262_144


class BodyLimit:
    """Cuts off a body that turns out to be large, at all paths but some."""

    def __init__(self, app: ASGIApp, large: Collection[str]) -> None:
        self._app = app
        self._large = large

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path: str = scope["path"].removeprefix(scope.get("root_path", ""))
            if path not in self._large:
                receive = counting(receive, SMALL_BYTES)
        await self._app(scope, receive, send)
