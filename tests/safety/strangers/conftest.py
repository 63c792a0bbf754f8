"""A canary that must never be reached, a site that may be, and a DNS server that lies."""

import re
import socket
from collections.abc import Iterator
from typing import Any

import pytest

from tests.safety.strangers.servers import DnsServer, Server, answer, redirect, saying, target_of


@pytest.fixture(scope="session")
def canary() -> Iterator[Server]:
    """Listens on every address of this machine."""
    host = "::" if socket.has_dualstack_ipv6() else "0.0.0.0"  # noqa: S104 - so nothing is missed
    with Server(saying(answer(b"canary")), host=host) as server:
        yield server


@pytest.fixture(scope="session")
def site() -> Iterator[Server]:
    """Stands for the public internet; /to/STATUS/URL redirects to any URL."""

    def script(connection: socket.socket, request: bytes) -> None:
        target = target_of(request)
        found = re.fullmatch(r"/to/(\d{3})/([0-9a-f]*)", target)
        if found is None:
            connection.sendall(answer(b"public"))
        else:
            raw = bytes.fromhex(found[2])
            connection.sendall(redirect("@@", int(found[1])).replace(b"@@", raw))

    with Server(script, host="127.0.0.2") as server:
        yield server


@pytest.fixture
def dns() -> Iterator[DnsServer]:
    with DnsServer() as server:
        yield server


@pytest.fixture
def reached(monkeypatch: pytest.MonkeyPatch) -> list[tuple[Any, ...]]:
    """Every address that this process tries to connect to, whether or not somebody is there."""
    seen: list[tuple[Any, ...]] = []
    connect = socket.socket.connect

    def recording(self: socket.socket, address: Any) -> None:
        seen.append(tuple(address[:2]))
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", recording)
    return seen
