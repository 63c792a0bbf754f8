"""Only a bookmark file may be large: every other body is small, and is read into memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import HTTPException

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

SMALL_BYTES = 262_144
_UPLOADS = frozenset({"/api/imports", "/imports"})


class BodyLimit:
    """Cuts off a body that is none of a file's and turns out to be large."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            path: str = scope["path"].removeprefix(scope.get("root_path", ""))
            if path not in _UPLOADS:
                receive = _counting(receive)
        await self._app(scope, receive, send)


def _counting(receive: Receive) -> Receive:
    seen = 0

    async def count() -> Message:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > SMALL_BYTES:
            raise HTTPException(413, f"the body is larger than {SMALL_BYTES:,} bytes")
        return message

    return count
