"""Server-sent events: what many watch is looked at once, however many they are.

A look that fails tells nothing, and the next one may: a stream outlives a database's restart.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import anyio.to_thread
from starlette.responses import Response

from leasehold.web import Refused, make_problem, until_over

if TYPE_CHECKING:
    from starlette.types import Receive, Scope, Send

MOST_STREAMS = 256
HEARTBEAT_SECONDS = 15.0
# Then the browser connects anew: a client that vanished without a word is gone by then.
LONGEST_SECONDS = 600.0
RETRY_MILLISECONDS = 1_000
LEAST_REST_SECONDS = 0.25
LONGEST_REST_SECONDS = 10.0
REST_FACTOR = 20  # a look that takes long is not taken often


class Seen(NamedTuple):
    """What a look saw, as JSON, and whether there will be nothing else to see."""

    data: bytes
    is_last: bool = False


Look: TypeAlias = Callable[[], Seen]  # in a thread


class _Topic:
    def __init__(self, look: Look) -> None:
        self.look = look
        self.ears: set[Ear] = set()
        self.seen: Seen | None = None
        self.task: asyncio.Task[None] | None = None


class Following:
    """All open streams of a process. Used on the event loop only."""

    def __init__(self, *, most: int = MOST_STREAMS) -> None:
        self._most = most
        self._topics: dict[str, _Topic] = {}
        self.open = 0

    @property
    def watched(self) -> int:
        """How many different topics somebody follows."""
        return len(self._topics)

    def follow(self, name: str, look: Look) -> Ear:
        """Follow a topic; refused when there is no room for another stream."""
        if self.open >= self._most:
            detail = "too many streams are open; ask again in a while"
            raise Refused(
                make_problem(503, "too-many-streams", detail, headers={"Retry-After": "10"})
            )
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic(look)
            topic.task = asyncio.create_task(self._watch(topic))
        self.open += 1
        return Ear(self, name, topic)

    def leave(self, name: str, topic: _Topic, ear: Ear) -> None:
        """Stop to follow; with the last one nobody looks any more."""
        topic.ears.discard(ear)
        self.open -= 1
        if not topic.ears and self._topics.get(name) is topic:
            del self._topics[name]
            if topic.task is not None:
                topic.task.cancel()

    async def _watch(self, topic: _Topic) -> None:
        while topic.seen is None or not topic.seen.is_last:
            started = time.monotonic()
            with suppress(Exception):
                seen = await anyio.to_thread.run_sync(topic.look)
                if seen != topic.seen:
                    topic.seen = seen
                    for ear in topic.ears:
                        ear.signal.set()
            rest = (time.monotonic() - started) * REST_FACTOR
            await asyncio.sleep(min(max(LEAST_REST_SECONDS, rest), LONGEST_REST_SECONDS))


class Ear:
    """One open stream of a topic."""

    def __init__(self, following: Following, name: str, topic: _Topic) -> None:
        self._following = following
        self._name = name
        self._topic = topic
        self.signal = asyncio.Event()
        topic.ears.add(self)
        if topic.seen is not None:
            self.signal.set()

    def hear(self) -> Seen | None:
        """Return what was seen last; None when that is known already."""
        if not self.signal.is_set():
            return None
        self.signal.clear()
        return self._topic.seen

    def close(self) -> None:
        self._following.leave(self._name, self._topic, self)


class EventStream(Response):
    """Sends each change as an event of this name; `end` when there will be no other one."""

    def __init__(self, ear: Ear, event: str) -> None:
        super().__init__()
        self._ear = ear
        self._event = event

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        ends = {
            asyncio.ensure_future(_until_gone(receive)),
            asyncio.ensure_future(until_over(scope)),
        }
        try:
            with suppress(OSError):  # the client has gone
                await self._serve(send, ends)
        finally:
            self._ear.close()
            for task in ends:
                task.cancel()

    async def _serve(self, send: Send, ends: set[asyncio.Task[None]]) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": _HEADERS})
        await _write(send, f"retry: {RETRY_MILLISECONDS}\n\n".encode())
        until = time.monotonic() + LONGEST_SECONDS
        is_last = False
        while not is_last and time.monotonic() < until:
            heard = asyncio.ensure_future(self._ear.signal.wait())
            any_of: set[asyncio.Task[Any]] = {heard, *ends}
            await asyncio.wait(
                any_of, timeout=HEARTBEAT_SECONDS, return_when=asyncio.FIRST_COMPLETED
            )
            heard.cancel()
            if any(task.done() for task in ends):
                break
            is_last = await self._tell(send)
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    async def _tell(self, send: Send) -> bool:
        """Send what was heard, or that we are still there; returns whether that was the end."""
        seen = self._ear.hear()
        if seen is None:
            await _write(send, b": still here\n\n")
            return False
        await _write(send, b"event: %b\ndata: %b\n\n" % (self._event.encode(), seen.data))
        if seen.is_last:
            await _write(send, b"event: end\ndata: %b\n\n" % seen.data)
        return seen.is_last


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
