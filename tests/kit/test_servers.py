"""A local server of an application: it answers, fails as it was told to, and remembers."""

from __future__ import annotations

import gc
import http.client
import socket
from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest

from leasehold.kit.servers import LocalServer, Refused, Reply, Request, Shape


class Weather(LocalServer):
    """Rain on every day."""

    name = "weather"
    shape = Shape(items=("days",), more=lambda page: page.update(more=True))

    def answer(self, request: Request) -> Reply:
        if request.path == "/forecast":
            return Reply(body=b"rain", pieces=(b", ", b"", b"sun"))
        if request.path != "/days":
            raise Refused(self.problem(404))
        return Reply(body=b'{"days": [{"id": 1, "rain": true}]}')

    def problem(self, status: int, retry_after: float | None = None) -> Reply:
        headers = {} if retry_after is None else {"Retry-After": f"{retry_after:g}"}
        return Reply(status=status, body=b"{}", headers=headers)


@pytest.fixture
def weather() -> Iterator[Weather]:
    with Weather() as server:
        yield server


def ask(server: Weather, path: str = "/days") -> tuple[int, bytes]:
    asking = http.client.HTTPConnection(urlsplit(server.url).netloc, timeout=10)
    try:
        asking.request("GET", path)
        answer = asking.getresponse()
        return answer.status, answer.read()
    finally:
        asking.close()


def test_it_answers_and_says_no_as_its_subclass_does(weather: Weather) -> None:
    assert ask(weather) == (200, b'{"days": [{"id": 1, "rain": true}]}')
    assert ask(weather, "/years") == (404, b"{}")


def test_trouble_meets_the_requests_that_it_was_said_for(weather: Weather) -> None:
    weather.fail(503, path="/days", skip=1)
    assert [ask(weather)[0] for _ in range(2)] == [200, 503]
    weather.fail("empty_page")
    assert ask(weather)[1] == b'{"days":[],"more":true}'
    with pytest.raises(ValueError, match="unknown trouble"):
        weather.fail("locusts")


def test_a_window_that_is_used_up_opens_again_when_the_clock_moves_on(weather: Weather) -> None:
    weather.limit(2, seconds=3_600)
    assert [ask(weather)[0] for _ in range(3)] == [200, 200, 429]
    weather.advance(3_600)
    assert ask(weather)[0] == 200


def test_it_remembers_what_was_asked(weather: Weather) -> None:
    ask(weather, "/days?from=monday")
    (seen,) = weather.seen()
    assert (seen.method, seen.path, seen.query, seen.status) == (
        "GET",
        "/days",
        {"from": "monday"},
        200,
    )
    assert (weather.count("GET /days"), weather.count()) == (1, 1)


def test_it_keeps_no_request_where_it_was_told_so(weather: Weather) -> None:
    weather.keeps_requests = False
    ask(weather)
    assert weather.seen() == []
    assert weather.count("GET /days") == 1


def test_an_answer_may_come_in_pieces_and_another_one_after_it(weather: Weather) -> None:
    asking = http.client.HTTPConnection(urlsplit(weather.url).netloc, timeout=10)
    try:
        for _ in range(2):  # on one connection
            asking.request("GET", "/forecast")
            assert asking.getresponse().read() == b"rain, sun"
    finally:
        asking.close()


def test_an_answer_in_pieces_may_be_cut_off_between_two_of_them(weather: Weather) -> None:
    weather.fail("cut", path="/forecast")
    with pytest.raises(http.client.IncompleteRead) as caught:
        ask(weather, "/forecast")
    assert caught.value.partial == b"rain, "


def test_who_comes_while_it_stops_is_hung_up_on() -> None:
    for _ in range(20):  # pytest fails for a connection that is left open
        server = Weather()
        with server:
            asking = socket.create_connection(("127.0.0.1", urlsplit(server.url).port or 0))
        asking.close()
    gc.collect()
