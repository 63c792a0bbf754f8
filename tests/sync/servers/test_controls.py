"""A local server does what tests say, in this process and in another, and ends without a trace."""

from __future__ import annotations

import json
import os
import socket
import threading
from datetime import timedelta
from email.utils import parsedate_to_datetime

import httpx
import pytest

from leasehold.kit.servers.trouble import HUGE_BYTES
from leasehold_sync.servers import ServerProcess, StripeServer
from tests.sync.servers.asking import asking

LIST = "/v1/customers"


def test_a_process_obeys_as_a_thread_does() -> None:
    with ServerProcess("stripe", rows={"customers": 3}) as server:
        first, second, third = server.ids("customers")
        (fresh,) = server.insert("customers", name="Fresh")
        server.update("customers", first, name="Changed")
        server.delete("customers", second)
        server.advance(100)
        with asking(server) as client:
            shown = client.get(LIST).json()["data"]

        assert [each["id"] for each in shown] == [fresh, third, first]
        assert [each["name"] for each in shown][::2] == ["Fresh", "Changed"]
        assert server.count(f"GET {LIST}") == 1
        assert server.seen()[0].headers["stripe-version"]
    with pytest.raises(ProcessLookupError):
        os.kill(server.pid, 0)


def test_a_process_says_what_it_was_wrongly_told() -> None:
    with ServerProcess("stripe") as server, pytest.raises(ValueError, match="no 'cus_nobody'"):
        server.delete("customers", "cus_nobody")


def test_a_server_without_controls_has_no_such_address() -> None:
    with StripeServer(rows={"customers": 1}) as server, asking(server) as client:
        answer = client.post("/_control", json={"verb": "ids", "arguments": {}})

    assert answer.status_code == 404


def test_a_row_is_the_same_at_each_start() -> None:
    found = []
    for _ in range(2):
        with StripeServer(rows={"customers": 5}) as server, asking(server) as client:
            found.append(client.get(LIST).content)

    assert found[0] == found[1]


def test_trouble_meets_the_requests_it_was_meant_for() -> None:
    with StripeServer(rows={"customers": 5}) as server, asking(server) as client:
        server.fail(503, times=2, path=LIST, skip=1)

        statuses = [client.get(path).status_code for path in (LIST, "/v1/events", LIST, LIST, LIST)]

    assert statuses == [200, 200, 503, 503, 200]


def test_what_no_good_server_sends_is_sent() -> None:
    with StripeServer(rows={"customers": 200}) as server, asking(server) as client:
        for how in ("truncated", "html", "not_json", "empty_page", "no_id", "nul", "huge"):
            server.fail(how)
        truncated, html, other, empty, nameless, nul, huge = (client.get(LIST) for _ in range(7))

    with pytest.raises(json.JSONDecodeError):
        truncated.json()
    assert (html.status_code, html.headers["content-type"][:9]) == (502, "text/html")
    assert (other.status_code, other.content[:8]) == (200, b"upstream")
    assert (empty.json()["data"], empty.json()["has_more"]) == ([], True)
    assert "id" not in nameless.json()["data"][0]
    assert b"\\u0000" in nul.content
    assert len(huge.content) == HUGE_BYTES


def test_the_page_before_can_come_again() -> None:
    with StripeServer(rows={"customers": 20}) as server, asking(server) as client:
        first = client.get(LIST).json()
        server.fail("stuck_cursor")

        again = client.get(LIST, params={"starting_after": first["data"][-1]["id"]}).json()

    assert again == first


@pytest.mark.parametrize("how", ["hangup", "cut"])
def test_a_connection_can_end_in_the_middle(how: str) -> None:
    with StripeServer(rows={"customers": 20}) as server, asking(server) as client:
        server.fail(how)

        with pytest.raises(httpx.RemoteProtocolError):
            client.get(LIST)


def test_silence_lasts_until_somebody_loses_patience() -> None:
    with StripeServer() as server, asking(server) as client:
        server.fail("silence")

        with pytest.raises(httpx.ReadTimeout):
            client.get(LIST, timeout=0.05)


def ask_in_vain(client: httpx.Client) -> None:
    with pytest.raises(httpx.TransportError):
        client.get(LIST)


def test_one_who_waits_keeps_nobody_waiting() -> None:
    with StripeServer(rows={"customers": 1}) as server:
        server.delay(60, LIST)
        with asking(server) as slow, asking(server) as quick:
            waiting = threading.Thread(target=ask_in_vain, args=(slow,))
            waiting.start()

            assert quick.get("/v1/events").status_code == 200
            assert waiting.is_alive()
            server.stop()
            waiting.join()


def test_what_a_test_does_before_a_request_is_seen_by_it() -> None:
    with StripeServer(rows={"customers": 3}) as server, asking(server) as client:
        server.on_request = lambda _: server.delete("customers", server.ids("customers")[0])

        assert [len(client.get(LIST).json()["data"]) for _ in range(2)] == [2, 1]


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"GET / HTTP/9\r\n\r\n", b"400"),
        (b"POST /v1/x HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n", b"411"),
        (b"POST /v1/x HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n", b"413"),
        (b"POST /v1/x HTTP/1.1\r\nContent-Length: -1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nX: " + b"x" * 70_000, b"431"),
    ],
)
def test_what_is_no_request_is_refused(sent: bytes, status: bytes) -> None:
    with StripeServer() as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(sent)
            assert connection.recv(64).split(b" ")[1] == status


def test_several_requests_at_once_on_one_connection_are_answered_in_their_order() -> None:
    with StripeServer() as server:
        host, _, port = server.url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=10) as connection:
            connection.sendall(b"GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n")
            received = b""
            while received.count(b"HTTP/1.1 401") < 2:
                received += connection.recv(65_536)

        assert [seen.path for seen in server.seen()] == ["/a", "/b"]


def test_an_error_can_repeat_the_credential() -> None:
    with StripeServer() as server, asking(server) as client:
        server.fail("echo")

        assert server.key in client.get(LIST).text


def test_an_answer_can_drip_so_that_no_read_is_late_but_the_whole_is() -> None:
    with StripeServer(rows={"customers": 100}) as server, asking(server) as client:
        server.fail("drip")
        with client.stream("GET", LIST) as answer:
            received = sum(
                len(piece) for _, piece in zip(range(3), answer.iter_raw(), strict=False)
            )

    assert 0 < received < int(answer.headers["Content-Length"])


def test_answers_carry_the_time_of_the_servers_own_clock() -> None:
    with StripeServer() as server, asking(server) as client:
        before = parsedate_to_datetime(client.get(LIST).headers["Date"])
        server.advance(3600)
        after = parsedate_to_datetime(client.get(LIST).headers["Date"])

    assert timedelta(minutes=59) < after - before < timedelta(minutes=61)
