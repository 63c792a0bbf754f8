"""What a fetcher decides before it asks anybody, and how long it waits for an answer."""

import asyncio
import itertools
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from leasehold.errors import BadOption
from leasehold.fetching import (
    AddressRefused,
    AsyncFetcher,
    Fetcher,
    FetchRules,
    TooSlow,
    UrlRefused,
)
from leasehold.fetching.conversation import Connect, Conversation, Order, Receive, Resolve, Send
from leasehold.fetching.urls import read_url
from tests.safety.strangers.servers import Server, answer, redirect, saying


@pytest.mark.parametrize(
    ("host", "expected"),
    [
        ("faß.test", "xn--fa-hia.test"),
        ("BÜCHER.Test", "xn--bcher-kva.test"),
        ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("i❤.test", "xn--i-7iq.test"),
        ("one。test", "one.test"),
        ("a_b.test", "a_b.test"),
    ],
)
def test_names_are_read_as_browsers_read_them(host: str, expected: str) -> None:
    assert read_url(f"http://{host}/", FetchRules()).host == expected


def test_a_connection_that_leads_elsewhere_than_it_was_meant_to_is_cut() -> None:
    """The kernel connects 0.0.0.0 to this machine, as a proxy in between might do with others."""
    with Server(saying(answer(b"elsewhere"))) as server:
        rules = FetchRules(allow=(f"0.0.0.0:{server.port}",))
        url = f"http://0.0.0.0:{server.port}/"
        for fetch in (Fetcher(rules).get, lambda url: asyncio.run(AsyncFetcher(rules).get(url))):
            with pytest.raises(AddressRefused, match="connected there instead"):
                fetch(url)
        assert not any(server.requests)


def test_a_closed_port_is_refused_before_its_name_is_looked_up() -> None:
    def never(host: str, port: int) -> list[str]:
        raise AssertionError((host, port))

    with pytest.raises(UrlRefused, match="port 22"):
        Fetcher(resolver=never).get("http://one.test:22/")


def test_no_step_may_take_longer_than_what_is_left_of_all() -> None:
    """The clock of this conversation moves by a second with each look at it."""
    rules = FetchRules(seconds=12, connect_seconds=30, idle_seconds=30)
    order = Order(url="http://one.test/", redirects=5)
    conversation = Conversation(order, rules, now=itertools.count().__next__)
    times: list[float] = []
    with pytest.raises(TooSlow, match="not done within 12 seconds"):
        times.extend(_times_given(conversation))
    assert times == list(range(11, 0, -1))


def _times_given(conversation: Conversation) -> Iterator[float]:
    """Say how long each step may take, while every answer is a redirect."""
    steps = conversation.open()
    action = next(steps)
    for turn in itertools.count():
        if isinstance(action, Resolve | Connect | Send | Receive):
            yield action.seconds
        is_answer = isinstance(action, Receive)
        action = steps.send(redirect(f"/{turn}") if is_answer else ["8.8.8.8"])


def test_a_resolver_that_hangs_is_left_behind() -> None:
    let_go = threading.Event()

    def hang(_host: str, _port: int) -> list[str]:
        let_go.wait(30)
        return []

    hanging = Fetcher(FetchRules(connect_seconds=0.1), resolver=hang)
    try:
        with pytest.raises(TooSlow, match="not resolved"):
            hanging.get("http://one.test/")
        with pytest.raises(TooSlow, match="not resolved"):
            asyncio.run(AsyncFetcher(hanging.rules, resolver=hang).get("http://one.test/"))
    finally:
        let_go.set()


@pytest.mark.parametrize(
    "wrong",
    [
        {"allow": ("127.0.0.1",)},
        {"allow": ("localhost:80",)},
        {"allow": ("10.0.0.1/8:80",)},
        {"refuse": ("x",)},
        {"ports": (0,)},
        {"seconds": 0},
        {"wire_bytes": 0},
        {"redirects": -1},
    ],
)
def test_rules_that_mean_nothing_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadOption):
        FetchRules(**wrong)
