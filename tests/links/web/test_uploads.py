"""Files on their way, over a real socket: slow, broken off, too large."""

from __future__ import annotations

import socket
from contextlib import closing
from typing import TYPE_CHECKING

import httpx
import pytest

from leasehold_links.settings import Settings, lending
from leasehold_links.web import application
from tests.kit.serving import Serving, serving
from tests.links.jobs.kit import rows, run_imports
from tests.links.web.kit import ONE
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.kit.data import Database

LIMIT_BYTES = 3_000_000
DEADLINE_SECONDS = 30


@pytest.fixture
def served(client: lh.Client, database: Database) -> Iterator[Serving]:
    with lending(Settings(file_bytes=LIMIT_BYTES)), serving(client, application()) as served:
        yield served


def send(served: Serving, head: str, *pieces: bytes) -> socket.socket:
    """Send the beginning of a request."""
    port = int(served.address.rpartition(":")[2])
    opened = socket.create_connection(("127.0.0.1", port), timeout=DEADLINE_SECONDS)
    opened.sendall(f"POST /links/api/imports HTTP/1.1\r\nHost: 127.0.0.1\r\n{head}\r\n".encode())
    for piece in pieces:
        opened.sendall(piece)
    return opened


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(data), data)


CHUNKED = "Transfer-Encoding: chunked\r\nContent-Type: text/html\r\n"


def test_a_slow_sender_keeps_nobody_waiting(
    served: Serving, client: lh.Client, database: Database
) -> None:
    with closing(send(served, CHUNKED, chunk(ONE[:20]))) as slow:
        answer = httpx.post(f"{served.address}/links/api/imports", content=ONE)
        assert answer.status_code == 202
        run_imports(client)
        slow.sendall(chunk(ONE[20:]) + chunk(b""))
        assert slow.recv(1_000).startswith(b"HTTP/1.1 202")
    assert rows(database, "SELECT count(*) FROM links_import") == [(2,)]


def test_what_was_broken_off_leaves_nothing(served: Serving, database: Database) -> None:
    with closing(send(served, CHUNKED, chunk(b"<DL>" + b" " * 500_000))):
        pass
    with closing(send(served, "Content-Length: 1000\r\n", ONE)):
        pass
    assert httpx.post(f"{served.address}/links/api/imports", content=ONE).status_code == 202
    assert rows(database, "SELECT count(*) FROM links_import") == [(1,)]


def test_a_file_that_turns_out_too_large_is_refused_before_its_end(
    served: Serving, database: Database
) -> None:
    sent = [chunk(b"<DL>" + b" " * 1_000_000)] * 4  # and no end
    with closing(send(served, CHUNKED, *sent)) as opened:
        assert opened.recv(1_000).startswith(b"HTTP/1.1 413")
    says = f"Content-Length: {LIMIT_BYTES + 2_000_000}\r\n"
    with closing(send(served, says)) as opened:
        assert opened.recv(1_000).startswith(b"HTTP/1.1 413")
    wait_until(lambda: rows(database, "SELECT count(*) FROM links_import") == [(0,)], "nothing")
