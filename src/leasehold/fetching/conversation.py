"""A fetch from its URL to the last byte, as steps that somebody else carries out.

It says what to do next (look up, connect, send, receive), and is told what came of it. What runs
it, on a thread or on an event loop, decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

from leasehold.errors import BadOption
from leasehold.fetching.addresses import read_address
from leasehold.fetching.answers import Head, Hop
from leasehold.fetching.decoding import OFFERED
from leasehold.fetching.errors import (
    AddressRefused,
    ConnectionFailed,
    FetchFailed,
    NameNotFound,
    RedirectRefused,
    TlsFailed,
    TooSlow,
)
from leasehold.fetching.exchange import Exchange
from leasehold.fetching.urls import follow, read_url

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping, Sequence

    from leasehold.fetching.addresses import Address
    from leasehold.fetching.exchange import Start
    from leasehold.fetching.rules import FetchRules
    from leasehold.fetching.urls import Url


@dataclass(frozen=True, slots=True)
class Ask:
    """Ask the caller whether this URL may be fetched; he raises if not."""

    url: str


@dataclass(frozen=True, slots=True)
class Resolve:
    """Give the addresses of a name."""

    url: str
    host: str
    port: int
    seconds: float


@dataclass(frozen=True, slots=True)
class Connect:
    """Connect to this very address; for TLS, with this name."""

    url: str
    address: Address
    port: int
    server_name: str | None
    seconds: float


@dataclass(frozen=True, slots=True)
class Send:
    url: str
    data: bytes
    seconds: float


@dataclass(frozen=True, slots=True)
class Receive:
    url: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Close:
    pass


Action: TypeAlias = Ask | Resolve | Connect | Send | Receive | Close
_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
_MOST_ADDRESSES = 4  # that are tried, of all that were checked
# Ours to say: how long a message is decides where the next one begins.
_OURS = frozenset(
    {
        *("host", "connection", "content-length", "transfer-encoding", "accept-encoding", "te"),
        *("trailer", "upgrade", "expect", "keep-alive", "proxy-connection", "proxy-authorization"),
    }
)
# What says nothing of who asks; all others go to the first URL's origin only.
_FOR_ALL = frozenset(
    ["accept", "accept-language", "user-agent", "if-none-match", "if-modified-since", "range"]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What is asked for."""

    url: str
    method: str = "GET"
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    redirects: int

    def __post_init__(self) -> None:
        if self.method not in _METHODS:
            raise BadOption(f"method: {self.method!r} is not one of {', '.join(_METHODS)}")
        for name in self.headers:
            if name.lower() in _OURS:
                raise BadOption(f"the header {name} is set by the fetcher")

    @property
    def follows(self) -> int:
        """How many redirects are followed; what changes something is never sent on."""
        return self.redirects if self.method in {"GET", "HEAD"} else 0


class Conversation:
    """The deadline of all of it counts from here."""

    def __init__(self, order: Order, rules: FetchRules, *, now: Callable[[], float]) -> None:
        self._order = order
        self._rules = rules
        self._now = now
        self._deadline = now() + rules.seconds
        self._hops: list[Hop] = []
        self._first: Url | None = None
        self._url: Url | None = None
        self._exchange: Exchange | None = None

    @property
    def wire_bytes(self) -> int:
        return 0 if self._exchange is None else self._exchange.wire_bytes

    def open(self) -> Generator[Action, Any, Head]:
        """Follow redirects to an answer that is none, or one that is not to be followed."""
        try:
            return (yield from self._open())
        except FetchFailed as error:
            error.hops = tuple(self._hops)
            raise

    def piece(self) -> Generator[Action, Any, bytes]:
        """Return the next piece of its body; b"" is the end."""
        exchange = self._exchange
        if exchange is None:
            return b""
        try:
            while (piece := exchange.piece()) is None:
                exchange.feed((yield self._receive()))
            return piece
        except FetchFailed as error:
            error.hops = tuple(self._hops)
            raise

    def _open(self) -> Generator[Action, Any, Head]:
        self._first = self._url = read_url(self._order.url, self._rules)
        while True:
            url = self._url
            start, address = yield from self._hop(url)
            next_url = self._next_url(url, start)
            if next_url is None or not self._order.follows:
                return self._head(url, start, address, next_url)
            yield Close()
            self._hops.append(Hop(str(url), start.status, str(address), str(next_url)))
            self._check_hops(next_url)
            self._url = next_url

    def _hop(self, url: Url) -> Generator[Action, Any, tuple[Start, Address]]:
        yield Ask(str(url))
        # A host that is an address is never led elsewhere.
        route = None if url.address is not None else self._rules.route_of(url.host)
        addresses = [route[0]] if route else (yield from self._addresses(url))
        self._exchange = exchange = Exchange(url, self._rules)
        order = self._order
        written = exchange.ask(order.method, url, self._fields(url), order.body)
        address = yield from self._connect(url, addresses, route[1] if route else url.port)
        yield Send(str(url), written, self._left(self._rules.idle_seconds))
        while (start := exchange.start()) is None:
            exchange.feed((yield self._receive()))
        return start, address

    def _addresses(self, url: Url) -> Generator[Action, Any, list[Address]]:
        """Return addresses that may be reached.

        One that may not refuses them all: no honest name has both kinds, and which of them is
        connected to must never be a matter of chance, order or a failed first try.
        """
        if url.address is not None:
            return [self._checked(url, str(url.address))]
        seconds = self._left(self._rules.connect_seconds)
        found: Sequence[str] = yield Resolve(str(url), url.host, url.port, seconds)
        if not found:
            raise NameNotFound(str(url), "its name has no address")
        return [self._checked(url, each) for each in found]

    def _checked(self, url: Url, text: str) -> Address:
        address = read_address(text)
        if address is None:
            raise AddressRefused(str(url), text[:60], "it is no address, or of one link only")
        reason = self._rules.why_refused(address, url.port)
        if reason is not None:
            raise AddressRefused(str(url), str(address), reason)
        return address

    def _connect(
        self, url: Url, addresses: list[Address], port: int
    ) -> Generator[Action, Any, Address]:
        server_name = url.host if url.scheme == "https" else None
        failed: FetchFailed | None = None
        for address in addresses[:_MOST_ADDRESSES]:
            seconds = self._left(self._rules.connect_seconds)
            try:
                yield Connect(str(url), address, port, server_name, seconds)
            except TlsFailed:
                raise
            except (ConnectionFailed, TooSlow) as error:
                failed = error
            else:
                return address
        raise failed or NameNotFound(str(url), "its name has no address")

    def _fields(self, url: Url) -> list[tuple[str, str]]:
        is_first = self._first is not None and url.origin == self._first.origin
        own = [
            (name, value)
            for name, value in self._order.headers.items()
            if is_first or name.lower() in _FOR_ALL
        ]
        fields = [("Host", url.authority), *own]
        if self._order.body or self._order.method not in {"GET", "HEAD"}:
            fields.append(("Content-Length", str(len(self._order.body))))
        return [*fields, ("Accept-Encoding", OFFERED), ("Connection", "close")]

    def _next_url(self, url: Url, start: Start) -> Url | None:
        if start.status not in _REDIRECTS:
            return None
        locations = set(start.headers.all("location"))
        if not locations:
            return None
        if len(locations) > 1:
            raise RedirectRefused(str(url), "it names more than one Location")
        return follow(url, locations.pop(), self._rules)

    def _check_hops(self, next_url: Url) -> None:
        if any(hop.url == str(next_url) for hop in self._hops):
            raise RedirectRefused(str(next_url), "its redirects lead in a circle")
        if len(self._hops) > self._order.follows:
            raise RedirectRefused(str(next_url), f"over {self._order.follows} redirects")

    def _head(self, url: Url, start: Start, address: Address, next_url: Url | None) -> Head:
        return Head(
            url=str(url),
            status=start.status,
            headers=start.headers,
            address=str(address),
            hops=tuple(self._hops),
            next_url=None if next_url is None else str(next_url),
        )

    def _receive(self) -> Receive:
        return Receive(str(self._url), self._left(self._rules.idle_seconds))

    def _left(self, most: float) -> float:
        left = self._deadline - self._now()
        if left <= 0:
            reason = f"not done within {self._rules.seconds:g} seconds"
            raise TooSlow(str(self._url or self._order.url), reason)
        return min(left, most)
