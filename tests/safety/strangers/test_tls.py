"""A checked address is connected to, and yet it must prove that it is the host of the URL."""

import asyncio
import ssl

import pytest

from leasehold.fetching import AsyncFetcher, Fetcher, FetchRules, Page, TlsFailed
from tests.safety.strangers.certificates import Authority
from tests.safety.strangers.servers import Server, answer, redirect, saying


@pytest.fixture(scope="module")
def authority(tmp_path_factory: pytest.TempPathFactory) -> Authority:
    return Authority(tmp_path_factory.mktemp("authority"))


def get(url: str, server: Server, tls: ssl.SSLContext | None, *, is_async: bool) -> Page:
    rules = FetchRules(allow=(f"127.0.0.1:{server.port}",), seconds=10)

    def resolve(_host: str, _port: int) -> list[str]:
        return ["127.0.0.1"]

    if is_async:
        return asyncio.run(AsyncFetcher(rules, resolver=resolve, tls=tls).get(url))
    return Fetcher(rules, resolver=resolve, tls=tls).get(url)


@pytest.fixture(params=[False, True], ids=["blocking", "async"])
def is_async(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.mark.parametrize("host", ["good.test", "127.0.0.1", "bücher.test"])
def test_the_host_is_asked_for_by_name_and_verified(
    host: str, authority: Authority, *, is_async: bool
) -> None:
    ascii_host = host.encode("idna").decode()
    context = authority.serving(ascii_host)
    asked: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: asked.append(name)
    with Server(saying(answer(b"secure")), tls=context) as server:
        url = f"https://{host}:{server.port}/"
        assert get(url, server, authority.trust(), is_async=is_async).body == b"secure"
        assert f"Host: {ascii_host}:{server.port}".encode() in server.requests[0]
    assert asked == [None if host == "127.0.0.1" else ascii_host]


def test_a_certificate_of_another_name_is_refused(authority: Authority, *, is_async: bool) -> None:
    with (
        Server(saying(answer(b"other")), tls=authority.serving("other.test")) as server,
        pytest.raises(TlsFailed, match="Hostname mismatch"),
    ):
        get(f"https://good.test:{server.port}/", server, authority.trust(), is_async=is_async)
    assert server.requests == []


def test_a_certificate_that_has_expired_or_that_nobody_knows_is_refused(
    authority: Authority, *, is_async: bool
) -> None:
    expired = authority.serving("good.test", is_expired=True)
    for context, tls in ((expired, authority.trust()), (authority.serving("good.test"), None)):
        with (
            Server(saying(answer(b"bad")), tls=context) as server,
            pytest.raises(TlsFailed, match=r"expired|unable to get|self-signed|self signed"),
        ):
            get(f"https://good.test:{server.port}/", server, tls, is_async=is_async)
        assert server.requests == []


def test_a_server_without_tls_is_told_apart(authority: Authority, *, is_async: bool) -> None:
    hasty = Server(saying(answer(b"plain")), reads_head=False)
    with hasty as server, pytest.raises(TlsFailed):
        get(f"https://good.test:{server.port}/", server, authority.trust(), is_async=is_async)


def test_secrets_are_not_sent_on_when_a_redirect_leaves_tls(authority: Authority) -> None:
    with Server(saying(answer(b"plain"))) as plain:
        elsewhere = saying(redirect(f"http://good.test:{plain.port}/"))
        with Server(elsewhere, tls=authority.serving("good.test")) as server:
            rules = FetchRules(allow=(f"127.0.0.1:{plain.port}", f"127.0.0.1:{server.port}"))
            fetcher = Fetcher(rules, resolver=lambda *_: ["127.0.0.1"], tls=authority.trust())
            page = fetcher.get(
                f"https://good.test:{server.port}/", headers={"Authorization": "Bearer s3cret"}
            )
            assert b"s3cret" in server.requests[0]
        assert page.body == b"plain"
        assert b"s3cret" not in plain.requests[0]
