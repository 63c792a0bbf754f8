"""The same fetches on an event loop."""

from __future__ import annotations

import asyncio
import contextlib
import inspect
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar, assert_never

from leasehold.fetching.blocking import RECEIVED, USER_AGENT, page_of, with_defaults
from leasehold.fetching.conversation import (
    Ask,
    Close,
    Connect,
    Conversation,
    Order,
    Receive,
    Resolve,
    Send,
)
from leasehold.fetching.errors import ConnectionFailed, FetchFailed
from leasehold.fetching.resolving import Lookups, system_resolver
from leasehold.fetching.rules import FetchRules
from leasehold.fetching.translating import Trust, check_peer, translate

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable, Generator, Mapping

    from leasehold.fetching.answers import Head, Page
    from leasehold.fetching.conversation import Action
    from leasehold.fetching.resolving import Resolver

T = TypeVar("T")
_HANG_UP_SECONDS = 1.0


class AsyncLine:
    """Carries out what a conversation says, over one connection at a time."""

    def __init__(
        self, lookups: Lookups, trust: Trust, before_hop: Callable[[str], object] | None
    ) -> None:
        self._lookups = lookups
        self._trust = trust
        self._before_hop = before_hop
        self._streams: tuple[asyncio.StreamReader, asyncio.StreamWriter] | None = None

    async def run(self, steps: Generator[Action, Any, T]) -> T:
        try:
            action = next(steps)
            while True:
                try:
                    done = await self._perform(action)
                except FetchFailed as error:
                    action = steps.throw(error)
                else:
                    action = steps.send(done)
        except StopIteration as end:
            value: T = end.value
            return value

    async def close(self) -> None:
        """Hang up. Safe twice."""
        if self._streams is None:
            return
        (_, writer), self._streams = self._streams, None
        writer.transport.abort()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(_HANG_UP_SECONDS):
                await writer.wait_closed()

    async def _perform(self, action: Action) -> Any:
        match action:
            case Ask(url=url):
                return await self._ask(url)
            case Resolve(url=url, host=host, port=port, seconds=seconds):
                return await self._lookups.wait_async(url, host, port, seconds)
            case Connect():
                return await self._connect(action)
            case Send() | Receive():
                return await self._talk(action)
            case Close():
                return await self.close()
            case _:
                assert_never(action)

    async def _ask(self, url: str) -> None:
        answer = None if self._before_hop is None else self._before_hop(url)
        if inspect.isawaitable(answer):
            await answer

    async def _connect(self, action: Connect) -> None:
        is_secure = action.server_name is not None
        with translate(action.url):
            async with asyncio.timeout(action.seconds):
                self._streams = await asyncio.open_connection(
                    str(action.address),
                    action.port,
                    ssl=self._trust.context if is_secure else None,
                    server_hostname=action.server_name,
                )
        peer = self._streams[1].get_extra_info("peername") or ("?",)
        check_peer(action.url, action.address, str(peer[0]))

    async def _talk(self, action: Send | Receive) -> bytes | None:
        if self._streams is None:
            raise ConnectionFailed(action.url, "the connection is closed")
        reader, writer = self._streams
        with translate(action.url):
            async with asyncio.timeout(action.seconds):
                if isinstance(action, Receive):
                    return await reader.read(RECEIVED)
                writer.write(action.data)
                await writer.drain()
        return None


class AsyncAnswer:
    """An answer whose body is still to come. Close it, or use it with `async with`."""

    def __init__(self, head: Head, conversation: Conversation, line: AsyncLine) -> None:
        self.head = head
        self._conversation = conversation
        self._line = line

    @property
    def wire_bytes(self) -> int:
        """How many bytes have come so far, headers and framing included."""
        return self._conversation.wire_bytes

    async def pieces(self) -> AsyncIterator[bytes]:
        """Give the decoded body piece by piece; raises where a limit or the deadline is passed."""
        while piece := await self._line.run(self._conversation.piece()):
            yield piece

    async def close(self) -> None:
        await self._line.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()


class AsyncFetcher:
    """`Fetcher` for coroutines; `before_hop` may be one too."""

    def __init__(
        self,
        rules: FetchRules | None = None,
        *,
        user_agent: str = USER_AGENT,
        resolver: Resolver = system_resolver,
        tls: ssl.SSLContext | None = None,
        before_hop: Callable[[str], object] | None = None,
    ) -> None:
        self.rules = rules or FetchRules()
        self._user_agent = user_agent
        self._lookups = Lookups(resolver)
        self._trust = Trust(tls)
        self._before_hop = before_hop

    async def open(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        redirects: int | None = None,
        rules: FetchRules | None = None,
        before_hop: Callable[[str], object] | None = None,
    ) -> AsyncAnswer:
        """Ask, and return as soon as the answer's headers are there; see `Fetcher.open`."""
        kept = rules or self.rules
        order = Order(
            url=url,
            method=method,
            headers=with_defaults(headers, self._user_agent),
            body=body,
            redirects=kept.redirects if redirects is None else redirects,
        )
        conversation = Conversation(order, kept, now=time.monotonic)
        line = AsyncLine(self._lookups, self._trust, before_hop or self._before_hop)
        try:
            return AsyncAnswer(await line.run(conversation.open()), conversation, line)
        except BaseException:
            await line.close()
            raise

    async def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        redirects: int | None = None,
        rules: FetchRules | None = None,
        keep_part: bool = False,
    ) -> Page:
        """Fetch a whole page; see `Fetcher.get`."""
        opened = await self.open(url, headers=headers, redirects=redirects, rules=rules)
        async with opened as answer:
            body = bytearray()
            cut_by: FetchFailed | None = None
            try:
                async for piece in answer.pieces():
                    body += piece
            except FetchFailed as error:
                if not keep_part:
                    raise
                cut_by = error
            return page_of(answer.head, body, answer.wire_bytes, cut_by)
