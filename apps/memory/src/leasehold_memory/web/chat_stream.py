"""A reply as server-sent events, until its end or until nobody listens any more."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import Response

import leasehold as lh
from leasehold.web import until_over
from leasehold_memory.chatting import Event

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

_logger = logging.getLogger("leasehold_memory.web")
HEARTBEAT_SECONDS = 15.0
_UNREAD_SECONDS = 30.0  # after which somebody who reads nothing has left
_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy in between must not collect it
]


class ChatStream(Response):
    """Sends each event as `write` writes it, and an error in place of the end.

    `on_end` is called when all of it is over.
    """

    def __init__(
        self,
        events: AsyncGenerator[Event],
        *,
        write: Callable[[Event | Exception], bytes],
        on_end: Callable[[], None],
    ) -> None:
        super().__init__()
        self._events = events
        self._write = write
        self._on_end = on_end
        self._next: asyncio.Future[Event | None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        gone = asyncio.ensure_future(_until_gone(receive))
        over = asyncio.ensure_future(until_over(scope))
        try:
            with suppress(OSError, TimeoutError):  # the listener has gone
                await self._serve(send, {gone, over})
                if not gone.done():
                    await _send(send, b"", is_last=True)
        finally:
            gone.cancel()
            over.cancel()
            await self._end()

    async def _serve(self, send: Send, leaving: set[asyncio.Future[Any]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        while True:
            self._next = self._next or asyncio.ensure_future(anext(self._events, None))
            await asyncio.wait(
                {self._next, *leaving},
                timeout=HEARTBEAT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if any(task.done() for task in leaving):
                return
            if not self._next.done():
                await _send(send, b": still here\n\n")
                continue
            ended, self._next = self._next, None
            try:
                event = ended.result()
            except (lh.LeaseholdError, SQLAlchemyError, sqlite3.Error) as error:
                _logger.warning("chat failed", extra={"error": type(error).__name__})
                await _send(send, self._write(error))
                return
            if event is None:
                return
            await _send(send, self._write(event))

    async def _end(self) -> None:
        """Let the chat store what had come, however it ended; only then give its memory back."""
        try:
            if self._next is not None and not self._next.done():
                self._next.cancel()
                await asyncio.wait({self._next})
            await self._events.aclose()
        finally:
            self._on_end()


async def _send(send: Send, data: bytes, *, is_last: bool = False) -> None:
    message = {"type": "http.response.body", "body": data, "more_body": not is_last}
    await asyncio.wait_for(send(message), _UNREAD_SECONDS)


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
