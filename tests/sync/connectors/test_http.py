"""The HTTP reader: deadlines, connections that end, packed answers, and what it never tells."""

from __future__ import annotations

import gzip
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from socket import create_server
from threading import Thread
from typing import Self

import pytest

import leasehold as lh
from leasehold_sync.connectors import Http
from leasehold_sync.connectors.answers import Answer
from leasehold_sync.connectors.errors import (
    BadAnswer,
    PageTooLarge,
    RateLimited,
    RequestRefused,
    SourceFailed,
    SourceUnavailable,
    Unauthorised,
)
from leasehold_sync.connectors.http import Api
from leasehold_sync.connectors.refusing import Complaint
from leasehold_sync.model.pages import Config

SECRET = "sk_live_do_not_tell_0123"


class Talker:
    """A server that says the next thing of a list, one for each request, and counts its callers."""

    def __init__(self, *said: bytes, pause: float = 0.0, hangs_up: bool = False) -> None:
        self._said = list(said)
        self._pause = pause
        self._hangs_up = hangs_up
        self.asked: list[bytes] = []
        self.connections = 0
        self._listener = create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = Thread(target=self._serve)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.shutdown(2)
        self._thread.join()
        self._listener.close()

    def _serve(self) -> None:
        while self._said:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            with connection:
                self._talk(connection.recv, connection.send)

    def _talk(self, hear: Callable[[int], bytes], say: Callable[[bytes], int]) -> None:
        while self._said and (asked := hear(65_536)):
            self.asked.append(asked)
            try:
                self._say(say, self._said.pop(0))
            except OSError:
                return
            if self._hangs_up:
                return

    def _say(self, say: Callable[[bytes], int], said: bytes) -> None:
        step = 1 if self._pause else len(said)
        for place in range(0, len(said), step):
            say(said[place : place + step])
            time.sleep(self._pause)  # the other side is slow: that is what is tested


def answer(body: bytes, status: int = 200, **headers: str) -> bytes:
    named = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    named |= {name.replace("_", "-"): value for name, value in headers.items()}
    lines = "".join(f"{name}: {value}\r\n" for name, value in named.items())
    return f"HTTP/1.1 {status} So\r\n{lines}\r\n".encode() + body


@contextmanager
def api(talker: Talker, http: Http | None = None) -> Iterator[Api]:
    with talker, http or Http() as opened:
        yield Api(
            http=opened,
            config=Config(app_key="a", credential=lh.Secret(SECRET), base_url=talker.url),
            base_url="",
            headers={"Version": "7"},
            complaint=lambda said: Complaint(said["code"], said["message"]),
        )


def test_pages_come_over_one_connection() -> None:
    talker = Talker(*[answer(b"{}")] * 5)
    with api(talker) as source:
        for _ in range(5):
            source.get("/page")
    assert talker.connections == 1
    assert b"Authorization: Bearer " + SECRET.encode() in talker.asked[0]
    assert b"Version: 7" in talker.asked[0]


def test_a_connection_that_was_closed_meanwhile_is_opened_anew() -> None:
    talker = Talker(*[answer(b"{}")] * 3, hangs_up=True)
    with api(talker) as source:
        for _ in range(3):
            source.post("/page", {"limit": 1})
    assert talker.connections == 3


def test_a_source_that_closes_after_each_answer_is_asked_over_a_new_connection() -> None:
    talker = Talker(*[answer(b"{}", Connection="close")] * 3, hangs_up=True)
    with api(talker) as source:
        for _ in range(3):
            source.get("/page")
    assert talker.connections == 3


@pytest.mark.parametrize(("status", "word"), [(500, "false"), (409, "true")])
def test_stripes_own_word_on_trying_again_is_better_than_a_guess(status: int, word: str) -> None:
    said = answer(b"{}", status, Stripe_Should_Retry=word)
    with api(Talker(said)) as source, pytest.raises(SourceFailed) as failed:
        source.get("/page")
    assert failed.value.may_retry is (word == "true")


def test_a_byte_at_a_time_does_not_outlive_the_time_that_is_left() -> None:
    talker = Talker(answer(b"{}" + b" " * 500), pause=0.02)
    with api(talker, Http(time_left=lambda: 0.4)) as source:
        started = time.monotonic()
        with pytest.raises(SourceUnavailable):
            source.get("/page")
        assert time.monotonic() - started < 5


def test_no_redirect_is_followed() -> None:
    talker = Talker(answer(b"", 302, Location="http://elsewhere.example/"))
    with api(talker) as source, pytest.raises(RequestRefused) as refused:
        source.get("/page")
    assert refused.value.status == 302


def test_packed_answers_are_unpacked_and_limited() -> None:
    packed = answer(gzip.compress(b'{"a": 1}'), Content_Encoding="gzip")
    bomb = answer(gzip.compress(b" " * 2_000_000), Content_Encoding="gzip")
    broken = answer(b"\x1f\x8b nothing of the kind", Content_Encoding="gzip")
    odd = answer(b"{}", Content_Encoding="br")
    with api(Talker(packed, bomb, broken, odd), Http(most_bytes=1_000_000)) as source:
        assert source.get("/page").document == {"a": 1}
        with pytest.raises(PageTooLarge):
            source.get("/page")
        for _ in range(2):
            with pytest.raises(BadAnswer):
                source.get("/page")


@pytest.mark.parametrize("status", [400, 401, 404, 500])
def test_a_source_that_repeats_the_credential_is_not_quoted(status: int) -> None:
    said = b'{"code": "bad", "message": "no such key: %b"}' % SECRET.encode()
    with (
        api(Talker(answer(said, status))) as source,
        pytest.raises((RequestRefused, Unauthorised, SourceUnavailable)) as refused,
    ):
        source.get("/page")
    assert SECRET not in str(refused.value)
    assert "***" in str(refused.value)
    assert SECRET not in repr(source)


def test_half_a_character_does_not_cost_a_page() -> None:
    with api(Talker(answer(b'{"a": "x\\ud83d", "b\\u0000": ["\\u0000y"]}'))) as source:
        assert source.get("/page").document == {"a": "x?", "b": ["y"]}


@pytest.mark.parametrize("body", [b"[1]", b'{"a": NaN}', b"", b'{"a": ' + b"[" * 100_000])
def test_what_is_no_object_is_a_bad_answer(body: bytes) -> None:
    with api(Talker(answer(body))) as source, pytest.raises(BadAnswer):
        source.get("/page")


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry_After": "7"}, 7),
        ({"Retry_After": "0.75"}, 0.75),
        ({"Retry_After": "0"}, 0.5),
        ({"Retry_After": "999999999"}, 3_600),
        ({"Retry_After": "soon"}, 5),
        ({}, 5),
        ({"Retry_After": "Mon, 16 Nov 2026 07:00:30 GMT"}, 30),
        ({"X_RateLimit_Reset": "1794812408"}, 8),
    ],
)
@pytest.mark.parametrize("status", [429, 529])
def test_a_source_that_asks_for_patience_gets_as_much_as_it_says(
    headers: dict[str, str], seconds: float, status: int
) -> None:
    said = answer(
        b'{"code": "slow", "message": "down"}',
        status,
        Date="Mon, 16 Nov 2026 07:00:00 GMT",
        **headers,
    )
    with api(Talker(said)) as source, pytest.raises(RateLimited) as limited:
        source.get("/page")
    assert limited.value.after_seconds == seconds


def test_an_answer_is_as_of_the_moment_that_the_source_says() -> None:
    dated = answer(b"{}", Date="Mon, 16 Nov 2026 07:00:00 GMT")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    with api(Talker(dated, answer(b"{}")), Http(now=lambda: now)) as source:
        moments = [_moment(source.get("/page")) for _ in range(2)]
    assert moments == [datetime(2026, 11, 16, 7, tzinfo=UTC), now]


def _moment(read: Answer) -> datetime:
    return read.moment


def test_nobody_there_may_be_tried_again() -> None:
    with create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with Http() as http, pytest.raises(SourceUnavailable) as unavailable:
        http.ask("GET", f"http://127.0.0.1:{port}/", {}, b"")
    assert unavailable.value.may_retry
