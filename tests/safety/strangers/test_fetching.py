"""What a fetch gives, what it never carries along, and where it stops."""

import asyncio
import gzip
import socket
import zlib
from typing import Any

import pytest

from leasehold.errors import BadOption
from leasehold.fetching import (
    AsyncFetcher,
    BadAnswer,
    ConnectionFailed,
    Fetcher,
    FetchFailed,
    FetchRules,
    NameNotFound,
    RedirectRefused,
    UrlRefused,
)
from tests.safety.strangers.servers import (
    Script,
    Server,
    answer,
    name_of,
    redirect,
    saying,
    target_of,
)


def fetcher(*servers: Server, **rules: Any) -> Fetcher:
    return Fetcher(FetchRules(allow=allowed(*servers), **{"seconds": 10, **rules}), resolver=named)


def allowed(*servers: Server) -> tuple[str, ...]:
    return tuple(f"{each.host}:{each.port}" for each in servers)


def named(host: str, _port: int) -> list[str]:
    return {"one.test": ["127.0.0.1"], "two.test": ["127.0.0.1"]}[host]


def by_path(**answers: bytes) -> Script:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(answers[target_of(request).strip("/").partition("?")[0] or "root"])

    return script


def test_a_page_comes_with_its_headers_and_the_way_to_it() -> None:
    script = by_path(
        root=redirect("/a?x=1", 301),
        a=redirect("b", 302),
        b=answer(b"hello", "ETag: x", "X: 1", "X: 2"),
    )
    with Server(script) as server:
        page = fetcher(server).get(server.url("/#part"))
    assert (page.status, page.body, page.url) == (200, b"hello", server.url("/b"))
    assert [(hop.url, hop.status) for hop in page.hops] == [
        (server.url("/"), 301),
        (server.url("/a?x=1"), 302),
    ]
    assert page.headers.get("etag") == "x"
    assert page.headers.get("x") == "1, 2"
    assert page.headers.all("X") == ["1", "2"]
    assert page.address == "127.0.0.1"
    assert page.wire_bytes > len(page.body)


def test_a_conditional_request_may_be_answered_with_304() -> None:
    with Server(saying(b"HTTP/1.1 304 Not Modified\r\nETag: x\r\n\r\n")) as server:
        page = fetcher(server).get(server.url(), headers={"If-None-Match": "x"})
        assert b"if-none-match: x" in server.requests[0].lower()
    assert (page.status, page.body) == (304, b"")


def test_a_redirect_can_be_left_to_the_caller() -> None:
    with Server(saying(redirect("//one.test/next"))) as server:
        page = fetcher(server).get(server.url(), redirects=0)
    assert page.status == 302
    assert page.next_url == "http://one.test/next"


def test_each_hop_is_shown_to_the_caller_before_it_is_looked_up() -> None:
    class Enough(Exception):
        pass

    seen: list[str] = []

    def look(url: str) -> None:
        seen.append(url)
        if "one.test" in url:
            raise Enough

    with Server(saying(redirect("http://one.test/"))) as server:
        guarded = Fetcher(FetchRules(allow=allowed(server)), before_hop=look)
        with pytest.raises(Enough):
            guarded.get(server.url())
        assert seen == [server.url("/"), "http://one.test/"]
        with pytest.raises(Enough):
            fetcher(server).open(server.url(), before_hop=look)
    assert seen == [server.url("/"), "http://one.test/"] * 2


def test_secrets_of_one_origin_are_never_told_to_another() -> None:
    with Server(saying(answer(b"there"))) as there:
        script = by_path(root=redirect("/same"), same=redirect(f"http://two.test:{there.port}/"))
        with Server(script) as here:
            page = fetcher(here, there).get(
                f"http://one.test:{here.port}/",
                headers={
                    "Authorization": "Bearer s3cret",
                    "Cookie": "s3cret",
                    "X-Api-Key": "s3cret",
                    "Accept-Language": "de",
                },
            )
            assert all(request.count(b"s3cret") == 3 for request in here.requests)
        assert page.body == b"there"
        assert b"s3cret" not in there.requests[0]
        assert b"Accept-Language: de" in there.requests[0]


def test_cookies_are_not_kept() -> None:
    with Server(saying(answer(b"", "Set-Cookie: id=7"))) as server:
        one = fetcher(server)
        one.get(server.url())
        one.get(server.url())
        assert all(b"cookie" not in request.lower() for request in server.requests)


def test_what_changes_something_is_never_sent_on() -> None:
    with (
        Server(saying(redirect("/elsewhere", 307))) as server,
        fetcher(server).open(server.url(), method="POST", body=b"order") as opened,
    ):
        assert opened.head.status == 307
        assert opened.head.next_url == server.url("/elsewhere")
        assert server.requests[0].endswith(b"\r\n\r\norder")
        assert server.connections == 1


@pytest.mark.parametrize("name", ["Host", "Content-Length", "transfer-encoding", "Connection"])
def test_headers_that_decide_where_a_message_ends_are_ours(name: str) -> None:
    with Server(saying(answer())) as server, pytest.raises(BadOption, match="set by the fetcher"):
        fetcher(server).get(server.url(), headers={name: "7"})


def test_a_header_can_not_smuggle_a_second_request() -> None:
    with Server(saying(answer())) as server:
        for value in ("a\r\nX: b", "a\nX: b", "a\0b"):
            with pytest.raises(BadOption, match="can't be sent"):
                fetcher(server).get(server.url(), headers={"X-Name": value})
        assert server.connections == 0


def test_spaces_and_foreign_letters_in_a_path_are_escaped() -> None:
    with Server(saying(answer(b"ok"))) as server:
        page = fetcher(server).get(server.url("/grün und/%41?q=ä b\\c"))
        assert target_of(server.requests[0]) == "/gr%C3%BCn%20und/%41?q=%C3%A4%20b%5Cc"
    assert page.body == b"ok"


@pytest.mark.parametrize(
    ("body", "encoding"),
    [
        (gzip.compress(b"hello" * 9_999), "gzip"),
        (gzip.compress(b"hello" * 9_998) + gzip.compress(b"hello"), "x-gzip"),
        (gzip.compress(b"hello" * 9_999) + b"\0" * 99, "gzip"),
        (zlib.compress(b"hello" * 9_999), "deflate"),
        (zlib.compress(b"hello" * 9_999)[2:-4], "Deflate"),
        (b"hello" * 9_999, "identity"),
    ],
    ids=name_of,
)
def test_packed_bodies_are_unpacked(body: bytes, encoding: str) -> None:
    with Server(saying(answer(body, f"Content-Encoding: {encoding}"))) as server:
        assert fetcher(server).get(server.url()).body == b"hello" * 9_999


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (answer(b"x", "Content-Encoding: br"), "was not offered"),
        (answer(b"x", "Content-Encoding: gzip, gzip"), "was not offered"),
        (answer(b"plain", "Content-Encoding: gzip"), "is no gzip"),
        (answer(gzip.compress(b"x" * 999)[:-9], "Content-Encoding: gzip"), "ends in the middle"),
        (answer(gzip.compress(b"") * 17, "Content-Encoding: gzip"), "packed parts"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort", "does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx", "does not speak"),
        (b"HTTP/1.1 200 OK\r\nX: a\rb\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n", "does not speak HTTP"),
        (b"SSH-2.0-OpenSSH_9.9\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 103 Early Hints\r\n\r\n" * 9 + answer(), "interim answers"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 201 + b"\r\n", "header fields"),
        (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n", "does not speak HTTP"),
        (b"", "hung up|does not speak HTTP"),
    ],
    ids=name_of,
)
def test_an_answer_that_is_none_is_refused(said: bytes, told: str) -> None:
    with Server(saying(said)) as server, pytest.raises(BadAnswer, match=told):
        fetcher(server).get(server.url())


def test_interim_answers_come_before_the_real_one() -> None:
    with Server(saying(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 3 + answer(b"real"))) as server:
        assert fetcher(server).get(server.url()).body == b"real"


@pytest.mark.parametrize(
    "said",
    [
        redirect("/"),
        redirect("//"),
        redirect("http://"),
        redirect("http://[::1"),
        redirect("/a\tb"),
        redirect("/\\one.test/"),
        redirect("\\\\one.test/"),
        redirect("/" + "a" * 9_000),
        answer(b"", "Location: /a", "Location: /b", status="302 Found"),
    ],
    ids=name_of,
)
def test_a_redirect_that_leads_nowhere_is_refused(said: bytes) -> None:
    with Server(saying(said)) as server, pytest.raises(FetchFailed) as caught:
        fetcher(server).get(server.url())
    assert not caught.value.may_retry


def test_redirects_end() -> None:
    def script(connection: socket.socket, request: bytes) -> None:
        connection.sendall(redirect(target_of(request) + "a"))

    with Server(script) as server:
        with pytest.raises(RedirectRefused, match="over 5 redirects") as caught:
            fetcher(server).get(server.url())
        assert server.connections == 6
    assert len(caught.value.hops) == 6


def test_a_circle_of_redirects_is_left_at_once() -> None:
    with Server(by_path(root=redirect("/a"), a=redirect("/"))) as server:
        with pytest.raises(RedirectRefused, match="in a circle"):
            fetcher(server).get(server.url())
        assert server.connections == 2


def test_what_is_not_there_can_be_told_apart() -> None:
    with Server(saying(answer())) as server:
        gone = fetcher(server)
        url = server.url()
    with pytest.raises(ConnectionFailed):
        gone.get(url)
    with pytest.raises(NameNotFound):
        gone.get("http://nobody.test/")


@pytest.mark.parametrize(
    "url",
    [
        "http://nobody.test/path?token=s3cret",
        "nobody.test/path?token=s3cret",
        "//s3cret@nobody.test/",
        "user:s3cret@nobody.test/",
        "http://user:s3cret@nobody.test/\r\nline: two",
        "http://user:s3cret@nobody.test/" + "x" * 9_000 + "\n",
    ],
)
def test_secrets_and_new_lines_of_a_url_are_in_no_error(url: str) -> None:
    with pytest.raises(FetchFailed) as caught:
        fetcher().get(url)
    assert "s3cret" not in str(caught.value) + caught.value.url
    assert str(caught.value).isprintable()


@pytest.mark.parametrize("rest", ["one.test/\\two.test/", "one.test\\@two.test/", "\\one.test"])
def test_a_backslash_is_refused_since_browsers_read_it_as_a_slash(rest: str) -> None:
    with pytest.raises(UrlRefused, match="backslash"):
        fetcher().get(f"http://{rest}")


def test_credentials_in_a_url_are_refused_and_it_says_what_to_do_instead() -> None:
    with pytest.raises(UrlRefused, match="give credentials as a header"):
        fetcher().get("http://user:s3cret@one.test/")


def test_a_method_that_makes_a_tunnel_is_refused() -> None:
    with pytest.raises(BadOption, match="'CONNECT' is not one of"):
        fetcher().open("http://one.test/", method="CONNECT")


def test_an_event_loop_fetches_the_same_page() -> None:
    async def fetch(url: str, *servers: Server) -> tuple[bytes, list[bytes]]:
        seen: list[str] = []

        async def look(each: str) -> None:
            await asyncio.sleep(0)
            seen.append(each)

        rules = FetchRules(allow=allowed(*servers))
        one = AsyncFetcher(rules, resolver=named, before_hop=look)
        page = await one.get(url)
        async with await AsyncFetcher(rules, resolver=named).open(url, before_hop=look) as opened:
            pieces = [piece async for piece in opened.pieces()]
        assert seen == [url, server.url("/a")] * 2
        return page.body, pieces

    packed = gzip.compress(b"a" * 200_000)
    script = by_path(root=redirect("/a"), a=answer(packed, "Content-Encoding: gzip"))
    with Server(script) as server:
        body, pieces = asyncio.run(fetch(server.url("/"), server))
    assert body == b"".join(pieces) == b"a" * 200_000
    assert max(map(len, pieces)) <= 65_536
