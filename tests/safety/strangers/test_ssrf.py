"""Whatever a stranger writes into a URL, a DNS record or a redirect, the canary is not reached."""

import asyncio
import contextlib
from dataclasses import replace
from typing import Any

import pytest

from leasehold.errors import BadOption
from leasehold.fetching import (
    AddressRefused,
    AsyncFetcher,
    BadAnswer,
    Fetcher,
    FetchFailed,
    FetchRules,
    RedirectRefused,
    UrlRefused,
)
from tests.safety.strangers.servers import DnsServer, Server
from tests.safety.strangers.ssrf_corpus import ANSWERS, DIRECT, HOSTS

_STATUSES = (301, 302, 303, 307, 308)


def rules(canary: Server, site: Server) -> FetchRules:
    """Open the canary's port: nothing but its address may protect it."""
    return FetchRules(
        ports=(80, 443, canary.port),
        allow=(f"127.0.0.2:{site.port}",),
        seconds=30,
    )


def here(_host: str, _port: int) -> list[str]:
    """Resolve as badly as can be: every name is this machine."""
    return ["127.0.0.1", "::1"]


def through(site: Server, location: str, status: int = 302) -> str:
    raw = location.encode("utf-8", "surrogatepass").hex()
    return f"http://127.0.0.2:{site.port}/to/{status}/{raw}"


def test_the_corpus_has_over_150_ways_in_and_none_twice() -> None:
    assert len(DIRECT) == len(set(DIRECT))
    assert len(DIRECT) + len(ANSWERS) > 300


@pytest.mark.parametrize("vector", DIRECT)
def test_a_url_that_leads_inside_is_refused_before_any_connection(
    vector: str, canary: Server, site: Server, reached: list[Any]
) -> None:
    fetcher = Fetcher(rules(canary, site), resolver=here)
    with pytest.raises(UrlRefused) as caught:
        fetcher.get(vector.format(port=canary.port))
    assert not caught.value.may_retry
    assert (reached, canary.connections) == ([], 0)


@pytest.mark.parametrize("vector", DIRECT)
def test_a_redirect_that_leads_inside_is_refused_at_its_hop(
    vector: str, canary: Server, site: Server, reached: list[Any]
) -> None:
    fetcher = Fetcher(rules(canary, site), resolver=here)
    url = vector.format(port=canary.port)
    status = _STATUSES[len(vector) % len(_STATUSES)]
    refused, page = None, None
    try:
        page = fetcher.get(through(site, url, status))
    except FetchFailed as error:
        refused = error
    if page is None:
        assert isinstance(refused, UrlRefused | RedirectRefused | BadAnswer)
    else:
        # A reference that is relative to the site: it stays there.
        assert page.url.startswith(f"http://127.0.0.2:{site.port}/")
    assert set(reached) == {("127.0.0.2", site.port)}
    assert canary.connections == 0


@pytest.mark.parametrize("addresses", ANSWERS, ids=lambda each: ",".join(each[:3]))
def test_a_name_with_one_address_inside_is_refused_with_all_its_addresses(
    addresses: list[str], canary: Server, site: Server, dns: DnsServer, reached: list[Any]
) -> None:
    dns.names["evil.test"] = [addresses]
    fetcher = Fetcher(rules(canary, site), resolver=dns.resolve)
    port = canary.port if len(addresses) == 1 else site.port
    for url in (f"http://evil.test:{port}/", through(site, f"http://evil.test:{port}/")):
        with pytest.raises(AddressRefused):
            fetcher.get(url)
    assert set(reached) == {("127.0.0.2", site.port)}
    assert canary.connections == 0


def test_a_name_is_looked_up_once_and_its_next_answer_is_never_seen(
    canary: Server, site: Server, dns: DnsServer, reached: list[Any]
) -> None:
    dns.names["rebind.test"] = [["127.0.0.2"], ["127.0.0.1"]]
    fetcher = Fetcher(rules(canary, site), resolver=dns.resolve)
    assert fetcher.get(f"http://rebind.test:{site.port}/").body == b"public"
    assert dns.lookups == ["rebind.test"]
    assert reached == [("127.0.0.2", site.port)]


def test_a_name_that_changes_between_two_hops_is_refused_at_the_second(
    canary: Server, site: Server, dns: DnsServer, reached: list[Any]
) -> None:
    dns.names["rebind.test"] = [["127.0.0.2"], ["127.0.0.1"]]
    dns.names["evil.test"] = [["127.0.0.2"], ["127.0.0.2"], ["::1"]]
    fetcher = Fetcher(rules(canary, site), resolver=dns.resolve)
    for name in ("rebind.test", "evil.test"):
        back = f"http://{name}:{site.port}/"
        first = f"http://{name}:{site.port}/to/302/"
        url = first + (first + (back + "end").encode().hex()).encode().hex()
        with pytest.raises(AddressRefused) as caught:
            fetcher.get(url)
        assert len(caught.value.hops) == (1 if name == "rebind.test" else 2)
    assert set(reached) == {("127.0.0.2", site.port)}
    assert canary.connections == 0


def test_the_last_hop_of_a_long_chain_is_checked_as_the_first(
    canary: Server, site: Server, reached: list[Any]
) -> None:
    url = f"http://127.0.0.1:{canary.port}/"
    for depth in range(5):
        url = through(site, url, _STATUSES[depth])
    with pytest.raises(AddressRefused) as caught:
        Fetcher(rules(canary, site)).get(url)
    assert [hop.status for hop in caught.value.hops] == list(reversed(_STATUSES))
    assert canary.connections == 0


def test_proxies_of_the_environment_are_never_used(
    canary: Server, site: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{canary.port}")
    assert Fetcher(rules(canary, site)).get(site.url()).body == b"public"
    assert canary.connections == 0


def test_the_event_loop_refuses_the_same(canary: Server, site: Server, reached: list[Any]) -> None:
    async def walk() -> int:
        fetcher = AsyncFetcher(rules(canary, site), resolver=here)
        refused = 0
        for vector in DIRECT:
            url = vector.format(port=canary.port)
            for each in (url, through(site, url)):
                try:
                    page = await fetcher.get(each)
                    assert page.body == b"public"
                except FetchFailed:
                    refused += 1
        return refused

    assert asyncio.run(walk()) > 1.8 * len(DIRECT)
    assert set(reached) == {("127.0.0.2", site.port)}
    assert canary.connections == 0


def test_without_the_guard_the_canary_is_reached(
    canary: Server, site: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The corpus would notice: many of its ways lead to the canary when addresses go unchecked."""
    monkeypatch.setattr(FetchRules, "why_refused", lambda *_: None)
    hasty = replace(rules(canary, site), connect_seconds=0.1)
    fetcher = Fetcher(hasty, resolver=here)
    for host in HOSTS:
        if host.startswith(("127.", "[::", "local", "LOCAL")):
            with contextlib.suppress(FetchFailed):
                fetcher.get(f"http://{host}:{canary.port}/")
    assert canary.connections >= 12
    canary.connections = 0


def test_a_route_leads_its_names_to_a_server_of_ones_own_and_nobody_else_there(
    site: Server, dns: DnsServer, reached: list[Any]
) -> None:
    dns.names["evil.test"] = [["127.0.0.2"]]
    dns.names["notshop.test"] = [["127.0.0.2"]]
    routed = FetchRules(routes={"Shop.test": f"127.0.0.2:{site.port}"}, seconds=30)
    fetcher = Fetcher(routed, resolver=dns.resolve)
    for url in ("http://shop.test/", "http://a.b.SHOP.test./x", "http://shop.test:443/"):
        assert fetcher.get(url).body == b"public"
    inside = f"http://127.0.0.2:{site.port}/"
    for host in ("evil.test", "notshop.test", f"evil.test:{site.port}", "127.0.0.2", "0x7f000002"):
        for url in (f"http://{host}/", through_name("shop.test", f"http://{host}/"), inside):
            with pytest.raises(UrlRefused):
                fetcher.get(url)
    assert set(reached) == {("127.0.0.2", site.port)}
    assert "shop.test" not in dns.lookups


def through_name(name: str, location: str) -> str:
    return f"http://{name}/to/302/{location.encode().hex()}"


@pytest.mark.parametrize("target", ["127.0.0.1", "127.0.0.0/8:80", "shop.test:80", ""])
def test_a_route_names_one_address_and_a_port(target: str) -> None:
    with pytest.raises(BadOption):
        FetchRules(routes={"shop.test": target})
