"""A reply as it comes: server-sent events, read by bytes, since a text may hold any line's end."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from leasehold_memory.errors import BadAnswer, ModelDown
from leasehold_memory.llm.completions import read_completion
from leasehold_memory.llm.reasons import BadReason
from leasehold_memory.llm.thoughts import Thoughts
from leasehold_memory.llm.wire import MOST_BYTES, check_status

if TYPE_CHECKING:
    import httpx

WHAT = "chat"
_DATA = b"data:"
_DONE = b"[DONE]"
LONGEST_SECONDS = 600.0  # that a reply may take as a whole


async def stream_text(
    client: httpx.AsyncClient, url: str, credentials: dict[str, str], body: bytes
) -> AsyncIterator[str]:
    """Yield what a reply consists of; raise if it is none, or ends before its end."""
    headers = {"Accept": "text/event-stream", **credentials}
    async with client.stream("POST", url, content=body, headers=headers) as response:
        check_status(response.status_code, response.headers)
        if response.headers.get("content-type", "").startswith("application/json"):
            whole = b"".join([piece async for piece in _bounded(response)])
            yield read_completion(whole, WHAT).text(WHAT)
            return
        async for text in _texts(response):
            yield text


async def _texts(response: httpx.Response) -> AsyncIterator[str]:
    thoughts = Thoughts()
    has_text = is_whole = False
    async for event in _events(response):
        if event == _DONE:
            is_whole = True
            break
        completion = read_completion(event, WHAT)
        if completion.is_error:
            raise ModelDown("it broke off with an error")
        if completion.is_refusal and not has_text:
            raise BadAnswer(BadReason.REFUSED, WHAT)
        is_whole = is_whole or completion.is_last
        if shown := thoughts.feed(completion.piece):
            has_text = True
            yield shown
    if not is_whole:
        raise ModelDown("it broke off")
    if rest := thoughts.end():
        has_text = True
        yield rest
    if not has_text:
        raise BadAnswer(BadReason.EMPTY, WHAT)


async def _events(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield the data of each event; each is one line."""
    rest = b""
    async for piece in _bounded(response):
        *lines, rest = (rest + piece).split(b"\n")
        for line in lines:
            if line.startswith(_DATA):
                yield line[len(_DATA) :].strip()
    if rest.startswith(_DATA):
        yield rest[len(_DATA) :].strip()


async def _bounded(response: httpx.Response) -> AsyncIterator[bytes]:
    """Yield what comes, as long as it isn't too much or too late."""
    loop = asyncio.get_running_loop()
    ends_at, size = loop.time() + LONGEST_SECONDS, 0
    async for piece in response.aiter_bytes():
        size += len(piece)
        if size > MOST_BYTES:
            raise BadAnswer(BadReason.TOO_LONG, WHAT)
        if loop.time() > ends_at:
            raise ModelDown("no whole answer in time")
        yield piece
