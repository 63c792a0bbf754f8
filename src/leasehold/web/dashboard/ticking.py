"""The stream of a page: it says `tick` at once and after each change, until somebody ends it.

A change comes with its mark: who asks for it by that gets what the poller has made already. The
first tick has none and lets a page that comes back after a break look for itself, so nothing
depends on Last-Event-ID; the next look is told in any case.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, TypeAlias

from leasehold.web.event_stream import EventStream

if TYPE_CHECKING:
    from leasehold.web.streams import Listener, Seen

STANDS_EVERY_SECONDS = 1.0
# Whether whoever listens still may.
Stands: TypeAlias = Callable[[], Awaitable[bool]]


async def _always() -> bool:
    return True


def tick_stream(listener: Listener, ending: asyncio.Event, stands: Stands = _always) -> EventStream:
    """Tell a page that what it shows has changed."""

    async def until_refused(_scope: object) -> None:
        while await stands():  # noqa: ASYNC110 - nobody tells us that a token was revoked
            await asyncio.sleep(STANDS_EVERY_SECONDS)

    ends = (lambda _scope: ending.wait(), until_refused)
    return EventStream(listener, write=_tick, ends=ends, first=b"event: tick\ndata:\n\n")


def _tick(seen: Seen) -> bytes:
    return f"event: tick\ndata: {seen.mark}\n\n".encode()
