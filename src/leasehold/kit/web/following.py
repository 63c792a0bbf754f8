"""Server-sent events: what many watch is looked at once, however many they are."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import anyio.to_thread

from leasehold.web import Refused, event_stream, make_problem, until_over
from leasehold.web.streams import MOST_STREAMS, Pace, Streams, TooManyStreams
from leasehold.web.streams import Seen as Marked

if TYPE_CHECKING:
    from leasehold.web.streams import Listener

# Somebody looks at a bar that moves.
LIVELY = Pace(least_seconds=0.25, longest_seconds=10.0, factor=20)


class Seen(NamedTuple):
    """What a look saw, as JSON, and whether there will be nothing else to see."""

    data: bytes
    is_last: bool = False


Look: TypeAlias = Callable[[], Seen]  # in a thread


class Following:
    """All open streams of an application in a process. Used on the event loop only."""

    def __init__(self, *, most: int = MOST_STREAMS) -> None:
        self._streams = Streams(most=most, pace=LIVELY)

    @property
    def open(self) -> int:
        return self._streams.open

    @property
    def watched(self) -> int:
        """How many different topics somebody follows."""
        return self._streams.watched

    def follow(self, name: str, look: Look) -> Listener:
        """Follow a topic; refused when there is no room for another stream."""
        try:
            return self._streams.listen(name, partial(_see, look), is_told_at_once=True)
        except TooManyStreams:
            detail = "too many streams are open; ask again in a while"
            problem = make_problem(503, "too-many-streams", detail, headers={"Retry-After": "10"})
            raise Refused(problem) from None


async def _see(look: Look) -> Marked:
    seen = await anyio.to_thread.run_sync(look)
    return Marked(seen.data.decode(), seen.data, seen.is_last)


class EventStream(event_stream.EventStream):
    """Sends each change as an event of this name; `end` when there will be no other one."""

    def __init__(self, listener: Listener, event: str) -> None:
        super().__init__(listener, write=partial(_write, event.encode()), ends=[until_over])


def _write(event: bytes, seen: Marked) -> bytes:
    told = b"event: %b\ndata: %b\n\n" % (event, seen.body)
    return told + b"event: end\ndata: %b\n\n" % seen.body if seen.is_last else told
