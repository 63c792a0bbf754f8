"""Whatever is said by whom: no refused address is connected to, and only our errors are raised."""

import contextlib
import gzip
import itertools
import os
from typing import Any
from urllib.parse import urlsplit

import httpx
from hypothesis import given, settings
from hypothesis import strategies as st

from leasehold.fetching import FetchFailed, FetchRules, UrlRefused
from leasehold.fetching.addresses import read_address
from leasehold.fetching.conversation import Connect, Conversation, Order, Receive, Resolve
from leasehold.fetching.errors import ConnectionFailed
from leasehold.fetching.exchange import Exchange
from leasehold.fetching.urls import Url, read_url
from tests.safety.strangers.servers import answer, redirect
from tests.safety.strangers.ssrf_corpus import DIRECT

_EXAMPLES = int(os.environ.get("LEASEHOLD_FETCH_EXAMPLES", "300"))
_RULES = FetchRules(
    ports=(80, 443, 8080),
    allow=("127.0.0.2:8000",),
    wire_bytes=20_000,
    decoded_bytes=30_000,
    header_bytes=2_000,
)
_PARTS = st.sampled_from(
    [
        *("http", "https", "HTTP", "file", ":", "//", "/", "\\", "@", "?", "#", "[", "]", ".", "%"),
        *("a", "b.test", "127.0.0.1", "::1", "8.8.8.8", "0x7f", "1", "80", ":8080", "xn--", "-"),
        *("_", "%2e", "%00", "\t", "\n", " ", "\x00", "ä", "ß", "\u3002", "\uff11", "\u200d"),
        *("\ud800", "'", "|", "http://", "https://", "localhost", "2130706433", "fe80::1%25lo"),
        *("..", "2606:4700::1"),
    ]
)
_URLS = st.one_of(
    st.lists(_PARTS, max_size=9).map("".join),
    st.lists(_PARTS, max_size=6).map(lambda parts: "http://" + "".join(parts)),
    st.sampled_from([each.format(port=8080) for each in DIRECT]),
    st.sampled_from(["http://a.test/", "http://b.test:8080/x", "https://8.8.8.8/", "/next", "?q"]),
    st.text(max_size=30).map(lambda text: f"http://{text}"),
)
_ADDRESSES = st.sampled_from(
    [
        *("8.8.8.8", "1.1.1.1", "2606:4700::1111", "93.184.216.34"),
        *("127.0.0.1", "127.0.0.2", "10.0.0.1", "169.254.169.254", "::1", "::ffff:8.8.8.8"),
        *("64:ff9b::808:808", "2002:808:808::1", "fe80::1%eth0", "0.0.0.0", "nonsense", ""),  # noqa: S104
    ]
)


@settings(max_examples=int(1.5 * _EXAMPLES))
@given(_URLS)
def test_an_accepted_url_means_the_same_to_every_reader(text: str) -> None:
    try:
        url = read_url(text, _RULES)
    except UrlRefused:
        return
    written = str(url)
    assert written.isascii()
    assert written.isprintable()
    assert read_url(written, _RULES) == url
    parts, other = urlsplit(written), httpx.URL(written)
    assert (parts.scheme, parts.hostname, parts.username) == (url.scheme, url.host, None)
    assert other.raw_host.decode() == url.host
    assert url.port == (parts.port or {"http": 80, "https": 443}[url.scheme])


@settings(max_examples=_EXAMPLES)
@given(
    url=_URLS,
    lookups=st.lists(st.lists(_ADDRESSES, max_size=4), min_size=1, max_size=3),
    locations=st.lists(_URLS, max_size=8),
    failures=st.lists(st.booleans(), min_size=1, max_size=5),
)
def test_no_refused_address_is_ever_connected_to(
    url: str, lookups: list[list[str]], locations: list[str], failures: list[bool]
) -> None:
    said = itertools.chain(map(_redirected, locations), itertools.repeat(answer(b"end")))
    found, failed = itertools.cycle(lookups), itertools.cycle(failures)

    def perform(action: Any) -> Any:
        match action:
            case Resolve():
                return next(found)
            case Connect(address=address, port=port):
                assert _RULES.why_refused(address, port) is None
                assert read_address(str(address)) == address
                if next(failed):
                    raise ConnectionFailed(action.url, "by chance")
            case Receive():
                return next(said)
        return None

    order = Order(url=url, redirects=5)
    with contextlib.suppress(FetchFailed):
        _run(Conversation(order, _RULES, now=lambda: 0.0), perform)


def _redirected(location: str) -> bytes:
    raw = location.encode("utf-8", "surrogatepass")
    return redirect("@@").replace(b"@@", raw)


def _run(conversation: Conversation, perform: Any) -> None:
    steps = conversation.open()
    with contextlib.suppress(StopIteration):
        action = next(steps)
        while True:
            try:
                done = perform(action)
            except FetchFailed as error:
                action = steps.throw(error)
            else:
                action = steps.send(done)


_FRAGMENTS = st.one_of(
    st.binary(max_size=40),
    st.sampled_from(
        [
            b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 103 X\r\n\r\n", b"HTTP/1.0 200\r\n", b"\r\n", b"\n",
            b"Content-Length: 5\r\n", b"Transfer-Encoding: chunked\r\n", b"Location: /\r\n",
            b"Content-Encoding: gzip\r\n", b"Content-Encoding: deflate\r\n", b" folded\r\n",
            b"X: \xff\r\n", b"5\r\nhello\r\n", b"0\r\n\r\n", b"fffffffff\r\n", b"hello",
            gzip.compress(b"x" * 50_000), b"A" * 3_000, b"X: y\r\n" * 300,
        ]
    ),
)  # fmt: skip


@settings(max_examples=int(1.5 * _EXAMPLES))
@given(st.lists(_FRAGMENTS, max_size=12), st.booleans())
def test_any_answer_is_read_within_the_limits_or_refused(said: list[bytes], is_led: bool) -> None:  # noqa: FBT001
    url = Url("http", "a.test", 80, "/", None)
    exchange = Exchange(url, _RULES)
    exchange.ask("GET", url, [("Host", "a.test")], b"")
    coming = iter([b"HTTP/1.1 200 OK\r\n", *said, b""] if is_led else [*said, b""])
    read = 0
    with contextlib.suppress(FetchFailed, StopIteration):
        while exchange.start() is None:
            exchange.feed(next(coming))
        while (piece := exchange.piece()) != b"":
            read += len(piece or b"")
            if piece is None:
                exchange.feed(next(coming))
    assert read <= _RULES.decoded_bytes
    assert exchange.wire_bytes <= _RULES.wire_bytes
