"""Tells those who watch something that it has changed.

All who watch one topic share one poller, which looks at it while anybody listens. A look that fails
tells nothing, and the next one may: a stream outlives a database's restart.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple, TypeAlias

MOST_STREAMS = 256


class Seen(NamedTuple):
    """What a look saw: a mark that differs when the topic does, and what to show of it."""

    mark: str
    body: bytes
    is_last: bool = False  # there will be nothing else to see


Watch: TypeAlias = Callable[[], Awaitable[Seen]]


class Pace(NamedTuple):
    """How long a poller rests: a look that takes long is not taken often."""

    least_seconds: float
    longest_seconds: float
    factor: int  # of the time that a look took

    def rest(self, took_seconds: float) -> float:
        return min(max(self.least_seconds, took_seconds * self.factor), self.longest_seconds)


# However many pages of the dashboard are watched, looking takes a fortieth of a connection's time.
CALM = Pace(least_seconds=1.0, longest_seconds=30.0, factor=40)


class TooManyStreams(Exception):
    """So many streams are open that there is no room for another one."""


class _Topic:
    """What many listeners watch: their signals, and the task that looks."""

    def __init__(self) -> None:
        self.listeners: set[Listener] = set()
        self.task: asyncio.Task[None] | None = None
        self.seen: Seen | None = None


class Streams:
    """All open streams of a process. Used on the event loop only."""

    def __init__(self, *, most: int = MOST_STREAMS, pace: Pace = CALM) -> None:
        self._most = most
        self._pace = pace
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

    def listen(self, name: str, watch: Watch, *, is_told_at_once: bool = False) -> Listener:
        """Follow a topic; `TooManyStreams` when there is no room for another one.

        One that `is_told_at_once` hears first what others have heard last; else the next look is
        the first that it is told of.
        """
        if self.open >= self._most:
            raise TooManyStreams
        topic = self._topics.get(name)
        if topic is None:
            topic = self._topics[name] = _Topic()
            topic.task = asyncio.create_task(self._poll(topic, watch))
        self.open += 1
        listener = Listener(self, name, topic)
        if is_told_at_once and topic.seen is not None:
            listener.note(topic.seen)
        return listener

    def leave(self, name: str, topic: _Topic, listener: Listener) -> None:
        """Stop to follow; with the last listener its poller ends."""
        topic.listeners.discard(listener)
        self.open -= 1
        if not topic.listeners and self._topics.get(name) is topic:
            del self._topics[name]
            if topic.task is not None:
                topic.task.cancel()

    async def _poll(self, topic: _Topic, watch: Watch) -> None:
        while topic.seen is None or not topic.seen.is_last:
            started = time.monotonic()
            with suppress(Exception):
                topic.seen = await watch()
                for listener in topic.listeners:
                    listener.note(topic.seen)
            await asyncio.sleep(self._rest(time.monotonic() - started))

    def _rest(self, took_seconds: float) -> float:
        return self._pace.rest(took_seconds * max(1, self.watched))


class Listener:
    """One open stream's ear."""

    def __init__(self, streams: Streams, name: str, topic: _Topic) -> None:
        self._streams = streams
        self._name = name
        self._topic = topic
        self._told: str | None = None
        self.signal = asyncio.Event()
        topic.listeners.add(self)

    def note(self, seen: Seen) -> None:
        """Take note of what was seen.

        It is compared with what this one was told, not with what was seen before: who has come
        meanwhile may have looked in between, and what has changed back since has changed for them.
        """
        if seen.mark != self._told:
            self.signal.set()

    def hear(self) -> Seen | None:
        """Return what was seen last, which is told by that; None when there is no news."""
        seen = self._topic.seen
        if seen is None or not self.signal.is_set():
            return None
        self.signal.clear()
        self._told = seen.mark
        return seen

    def close(self) -> None:
        self._streams.leave(self._name, self._topic, self)
