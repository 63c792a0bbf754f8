"""Server-sent events: tells open pages that what they show has changed.

All who watch one page share one poller, which looks at it while anybody listens. However many pages
are watched, looking takes a fortieth of one connection's time.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from starlette.responses import Response

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

MOST_STREAMS = 256
HEARTBEAT_SECONDS = 15.0
# Then the browser connects anew: a client that vanished without a word is gone by then.
LONGEST_SECONDS = 600.0
RETRY_MILLISECONDS = 1_000
STANDS_EVERY_SECONDS = 1.0
LEAST_REST_SECONDS = 1.0
LONGEST_REST_SECONDS = 30.0
REST_FACTOR = 40


class Seen(NamedTuple):
    """What a look saw: a mark that differs when the topic does, and what to show of it."""

    mark: str
    body: bytes


Watch: TypeAlias = Callable[[], Awaitable[Seen]]
# Whether whoever listens still may.
Stands: TypeAlias = Callable[[], Awaitable[bool]]


class TooManyStreams(Exception):
    """So many pages are open that another one may not be live."""


class _Topic:
    """What many listeners watch: their signals, and the task that looks."""

    def __init__(self) -> None:
        self.listeners: set[Listener] = set()
        self.task: asyncio.Task[None] | None = None
        self.seen: Seen | None = None


class Streams:
    """All open streams of a process. Used on the event loop only."""

    def __init__(self, *, most: int = MOST_STREAMS) -> None:
        self._most = most
        self._topics: dict[str, _Topic] = {}
        self.open = 0

    @property
    def watched(self) -> int:
        """How many different topics somebody listens to."""
        return len(self._topics)

    def last(self, name: str, mark: str) -> Seen | None:
        """Return what the poller of a topic saw last, if that is what somebody was told of."""
        topic = self._topics.get(name)
        seen = None if topic is None else topic.seen
        return seen if seen is not None and seen.mark == mark else None

    def listen(self, name: str, watch: Watch) -> Listener:
        """Follow a topic; `TooManyStreams` when there is no room for another one."""
        if self.open >= self._most:
            raise TooManyStreams
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic()
            topic.task = asyncio.create_task(self._poll(topic, watch))
        self.open += 1
        return Listener(self, name, topic)

    def leave(self, name: str, topic: _Topic, listener: Listener) -> None:
        """Stop to follow; with the last listener its poller ends."""
        topic.listeners.discard(listener)
        self.open -= 1
        if not topic.listeners and self._topics.get(name) is topic:
            del self._topics[name]
            if topic.task is not None:
                topic.task.cancel()

    async def _poll(self, topic: _Topic, watch: Watch) -> None:
        while True:
            started = time.monotonic()
            # A look that fails tells nothing: the page's own request will say what is wrong.
            with suppress(Exception):
                topic.seen = await watch()
                for listener in topic.listeners:
                    listener.hear(topic.seen.mark)
            await asyncio.sleep(self._rest(time.monotonic() - started))

    def _rest(self, took_seconds: float) -> float:
        rest = took_seconds * REST_FACTOR * max(1, self.watched)
        return min(max(LEAST_REST_SECONDS, rest), LONGEST_REST_SECONDS)


class Listener:
    """One open stream's ear."""

    def __init__(self, streams: Streams, name: str, topic: _Topic) -> None:
        self._streams = streams
        self._name = name
        self._topic = topic
        self._told: str | None = None
        self.signal = asyncio.Event()
        topic.listeners.add(self)

    def hear(self, mark: str) -> None:
        """Take note of what was seen.

        It is compared with what this one was told, not with what was seen before: who has come
        meanwhile may have looked in between, and what has changed back since has changed for them.
        """
        if mark != self._told:
            self.signal.set()

    def tell(self) -> str:
        """Return the mark of what was seen last: it is told now."""
        self.signal.clear()
        self._told = "" if self._topic.seen is None else self._topic.seen.mark
        return self._told

    def close(self) -> None:
        self._streams.leave(self._name, self._topic, self)


async def _always() -> bool:
    return True


class EventStream(Response):
    """An ASGI response that says `tick` at once and after each change, until somebody ends it.

    A change comes with its mark: who asks for it by that gets what the poller has made already. The
    first tick has none and lets a page that comes back after a break look for itself, so nothing
    depends on Last-Event-ID; the next look is told in any case.
    """

    def __init__(self, listener: Listener, ending: asyncio.Event, stands: Stands = _always) -> None:
        super().__init__()
        self._listener = listener
        self._ending = ending
        self._stands = stands

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:  # noqa: ARG002
        gone = asyncio.create_task(_until_gone(receive))
        ended = asyncio.create_task(self._ending.wait())
        refused = asyncio.create_task(self._until_refused())
        try:
            with suppress(OSError):  # the client has gone
                await self._serve(send, {gone, ended, refused})
        finally:
            self._listener.close()
            for task in (gone, ended, refused):
                task.cancel()

    async def _until_refused(self) -> None:
        """Return when whoever listens may not any more."""
        while await self._stands():  # noqa: ASYNC110 - nobody tells us that a token was revoked
            await asyncio.sleep(STANDS_EVERY_SECONDS)

    async def _serve(self, send: Send, ends: set[asyncio.Task[object]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await _write(send, f"retry: {RETRY_MILLISECONDS}\n\nevent: tick\ndata:\n\n")
        until = time.monotonic() + LONGEST_SECONDS
        while time.monotonic() < until:
            changed = asyncio.create_task(self._listener.signal.wait())
            await asyncio.wait(
                {changed, *ends},
                timeout=HEARTBEAT_SECONDS,
                return_when=asyncio.FIRST_COMPLETED,
            )
            changed.cancel()
            if any(task.done() for task in ends):
                break
            await _write(send, self._next())
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    def _next(self) -> str:
        if not self._listener.signal.is_set():
            return ": still here\n\n"
        return f"event: tick\ndata: {self._listener.tell()}\n\n"


_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-store"),
    (b"x-accel-buffering", b"no"),  # a proxy in between must not collect it
]


async def _write(send: Send, text: str) -> None:
    await send({"type": "http.response.body", "body": text.encode(), "more_body": True})


async def _until_gone(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
