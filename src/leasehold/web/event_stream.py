"""Server-sent events: what one listener hears, as a browser reads it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, TypeAlias

from starlette.responses import Response
from starlette.types import Scope

if TYPE_CHECKING:
    from starlette.types import Receive, Send

    from leasehold.web.streams import Listener, Seen

HEARTBEAT_SECONDS = 15.0
# Then the browser connects anew: a client that vanished without a word is gone by then.
LONGEST_SECONDS = 600.0
RETRY_MILLISECONDS = 1_000

# Returns when the stream has to end.
End: TypeAlias = Callable[[Scope], Coroutine[Any, Any, object]]


class EventStream(Response):
    """An answer that goes on: `first` at once, then what `write` makes of each change."""

    def __init__(
        self,
        listener: Listener,
        *,
        write: Callable[[Seen], bytes],
        ends: Sequence[End],
        first: bytes = b"",
    ) -> None:
        super().__init__()
        self._listener = listener
        self._write = write
        self._ends = ends
        self._first = first

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ends: set[asyncio.Task[Any]] = {
            asyncio.ensure_future(_until_gone(receive)),
            *(asyncio.ensure_future(end(scope)) for end in self._ends),
        }
        try:
            with suppress(OSError):  # the client has gone
                await self._serve(send, ends)
        finally:
            self._listener.close()
            for task in ends:
                task.cancel()

    async def _serve(self, send: Send, ends: set[asyncio.Task[Any]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await _write(send, f"retry: {RETRY_MILLISECONDS}\n\n".encode() + self._first)
        until = time.monotonic() + LONGEST_SECONDS
        is_last = False
        while not is_last and time.monotonic() < until:
            changed = asyncio.ensure_future(self._listener.signal.wait())
            await asyncio.wait(
                {changed, *ends},
                timeout=HEARTBEAT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            changed.cancel()
            if any(task.done() for task in ends):
                break
            is_last = await self._tell(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _tell(self, send: Send) -> bool:
        """Send what was heard, or that we are still there; returns whether that was the end."""
        seen = self._listener.hear()
        await _write(send, b": still here\n\n" if seen is None else self._write(seen))
        return seen is not None and seen.is_last


_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy in between must not collect it
]


async def _write(send: Send, data: bytes) -> None:
    await send({"type": "http.response.body", "body": data, "more_body": True})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
