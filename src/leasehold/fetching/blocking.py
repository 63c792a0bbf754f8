"""Fetches on the caller's thread."""

from __future__ import annotations

import socket
import ssl
import time
from typing import TYPE_CHECKING, Any, Self, TypeVar, assert_never

from leasehold._version import __version__
from leasehold.fetching.answers import Head, Page
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
    from collections.abc import Callable, Generator, Iterator, Mapping

    from leasehold.fetching.conversation import Action
    from leasehold.fetching.resolving import Resolver

T = TypeVar("T")
USER_AGENT = f"leasehold/{__version__}"
RECEIVED = 65_536


class Line:
    """Carries out what a conversation says, over one connection at a time."""

    def __init__(
        self, lookups: Lookups, trust: Trust, before_hop: Callable[[str], object] | None
    ) -> None:
        self._lookups = lookups
        self._trust = trust
        self._before_hop = before_hop
        self._socket: socket.socket | None = None

    def run(self, steps: Generator[Action, Any, T]) -> T:
        try:
            action = next(steps)
            while True:
                try:
                    done = self._perform(action)
                except FetchFailed as error:
                    action = steps.throw(error)
                else:
                    action = steps.send(done)
        except StopIteration as end:
            value: T = end.value
            return value

    def close(self) -> None:
        """Hang up. Safe twice."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _perform(self, action: Action) -> Any:
        match action:
            case Ask(url=url):
                return None if self._before_hop is None else self._before_hop(url)
            case Resolve():
                return self._lookups.wait(action.url, action.host, action.port, action.seconds)
            case Connect():
                return self._connect(action)
            case Send() | Receive():
                return self._talk(action)
            case Close():
                return self.close()
            case _:
                assert_never(action)

    def _connect(self, action: Connect) -> None:
        end = time.monotonic() + action.seconds
        with translate(action.url):
            plain = socket.create_connection((str(action.address), action.port), action.seconds)
        self._socket = plain
        try:
            with translate(action.url):
                check_peer(action.url, action.address, plain.getpeername()[0])
                if action.server_name is not None:
                    plain.settimeout(max(end - time.monotonic(), 0.001))
                    name = action.server_name
                    self._socket = self._trust.context.wrap_socket(plain, server_hostname=name)
        except BaseException:
            plain.close()
            raise

    def _talk(self, action: Send | Receive) -> bytes | None:
        if self._socket is None:
            raise ConnectionFailed(action.url, "the connection is closed")
        with translate(action.url):
            self._socket.settimeout(action.seconds)
            if isinstance(action, Receive):
                return self._socket.recv(RECEIVED)
            self._socket.sendall(action.data)
        return None


class Answer:
    """An answer whose body is still to come. Close it, or use it with `with`."""

    def __init__(self, head: Head, conversation: Conversation, line: Line) -> None:
        self.head = head
        self._conversation = conversation
        self._line = line

    @property
    def wire_bytes(self) -> int:
        """How many bytes have come so far, headers and framing included."""
        return self._conversation.wire_bytes

    def pieces(self) -> Iterator[bytes]:
        """Give the decoded body piece by piece; raises where a limit or the deadline is passed."""
        while piece := self._line.run(self._conversation.piece()):
            yield piece

    def close(self) -> None:
        self._line.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class Fetcher:
    """Fetches URLs of strangers. Holds no connection, so it needs no closing; share it freely.

    `resolver` gives a name's addresses, `tls` decides which certificates are trusted, and
    `before_hop` is called with each URL before it is looked up: what it raises ends the fetch.
    """

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

    def open(
        self,
        url: str,
        *,
        method: str = "GET",
        headers: Mapping[str, str] | None = None,
        body: bytes = b"",
        redirects: int | None = None,
        rules: FetchRules | None = None,
        before_hop: Callable[[str], object] | None = None,
    ) -> Answer:
        """Ask, and return as soon as the answer's headers are there.

        Redirects are followed for GET and HEAD. With `redirects=0` the first one is the answer,
        and its `next_url` says where it leads to. `before_hop` stands in for the fetcher's own.
        """
        kept = rules or self.rules
        order = Order(
            url=url,
            method=method,
            headers=with_defaults(headers, self._user_agent),
            body=body,
            redirects=kept.redirects if redirects is None else redirects,
        )
        conversation = Conversation(order, kept, now=time.monotonic)
        line = Line(self._lookups, self._trust, before_hop or self._before_hop)
        try:
            return Answer(line.run(conversation.open()), conversation, line)
        except BaseException:
            line.close()
            raise

    def get(
        self,
        url: str,
        *,
        headers: Mapping[str, str] | None = None,
        redirects: int | None = None,
        rules: FetchRules | None = None,
        keep_part: bool = False,
    ) -> Page:
        """Fetch a whole page.

        With `keep_part` a body that is too large, too slow or broken is no error: the page has
        what came until then, and `cut_by` is the error.
        """
        with self.open(url, headers=headers, redirects=redirects, rules=rules) as answer:
            body = bytearray()
            cut_by: FetchFailed | None = None
            try:
                for piece in answer.pieces():
                    body += piece
            except FetchFailed as error:
                if not keep_part:
                    raise
                cut_by = error
            return page_of(answer.head, body, answer.wire_bytes, cut_by)


def with_defaults(headers: Mapping[str, str] | None, user_agent: str) -> dict[str, str]:
    given = dict(headers or {})
    names = {name.lower() for name in given}
    defaults = {"User-Agent": user_agent, "Accept": "*/*"}
    return {**{k: v for k, v in defaults.items() if k.lower() not in names}, **given}


def page_of(head: Head, body: bytearray, wire_bytes: int, cut_by: FetchFailed | None) -> Page:
    return Page(
        url=head.url,
        status=head.status,
        headers=head.headers,
        address=head.address,
        hops=head.hops,
        next_url=head.next_url,
        body=bytes(body),
        wire_bytes=wire_bytes,
        cut_by=cut_by,
    )
