"""A web of any number of domains in a process of its own, quick enough to be measured against.

Every host has a page at every path, and no robots.txt. `python -m tests.links.many_web SECONDS`
prints its port; each answer takes that long. What it saw is told at `http://record/`.
"""

from __future__ import annotations

import asyncio
import contextlib
import http.client
import subprocess
import sys
import time
from collections import Counter
from typing import Self

import msgspec

FILLER = "<p>" + "What this page is about, told in a sentence of some length. " * 12 + "</p>"
PAGE = (
    '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>'
    '<meta name="description" content="About {title}.">'
    '<meta property="og:image" content="/pictures/large.png">'
    '<link rel="icon" href="/favicon.png"><link rel="stylesheet" href="/style.css"></head>'
    "<body><nav>" + '<a href="/a">A link</a>' * 40 + "</nav><main>" + FILLER * 8 + "</main></body>"
)
_NOTHING = b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class Record(msgspec.Struct):
    """What a server saw: the most at once by domain, answers by address, when the last one was."""

    most: dict[str, int] = msgspec.field(default_factory=dict)
    pages: dict[str, int] = msgspec.field(default_factory=dict)
    ended: dict[str, float] = msgspec.field(default_factory=dict)  # by domain
    began: float = 0.0  # when somebody first came


def domain_of(host: str) -> str:
    return ".".join(host.split(".")[-2:])


class Visit(asyncio.Protocol):
    """One connection: one request, one answer."""

    def __init__(self, record: Record, now: Counter[str], seconds: float) -> None:
        self._record = record
        self._now = now
        self._seconds = seconds
        self._data = b""
        self._domain: str | None = None
        self._answer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._data += data
        if self._domain is not None or b"\r\n\r\n" not in self._data:
            return
        head = self._data.decode("latin-1")
        path = head.split(" ", 2)[1]
        host = head.split("\r\nHost: ", 1)[1].split("\r\n", 1)[0].partition(":")[0]
        if host == "record":
            self._write(b"application/json", msgspec.json.encode(self._record))
            return
        self._domain = domain_of(host)
        self._now[self._domain] += 1
        most = self._record.most
        most[self._domain] = max(most.get(self._domain, 0), self._now[self._domain])
        self._answer = asyncio.get_running_loop().call_later(self._seconds, self._reply, host, path)

    def connection_lost(self, _error: Exception | None) -> None:
        if self._answer is not None:
            self._answer.cancel()
        self._leave()

    def _reply(self, host: str, path: str) -> None:
        pages = self._record.pages
        pages[f"{host}{path}"] = pages.get(f"{host}{path}", 0) + 1
        self._record.ended[self._domain or ""] = time.time()
        self._record.began = self._record.began or time.time()
        self._leave()  # before the answer: who has it may come again at once
        if path == "/robots.txt":
            self._transport.write(_NOTHING)
            self._transport.close()
        else:
            self._write(b"text/html", PAGE.format(title=f"{host}{path}").encode())

    def _leave(self) -> None:
        if self._domain is not None:
            self._now[self._domain] -= 1
            self._domain = None

    def _write(self, kind: bytes, body: bytes) -> None:
        head = b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d" % (kind, len(body))
        self._transport.write(head + b"\r\nConnection: close\r\n\r\n" + body)
        self._transport.close()


async def serve(seconds: float) -> None:
    record, now = Record(), Counter[str]()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Visit(record, now, seconds), "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    with contextlib.suppress(asyncio.CancelledError):
        await loop.run_in_executor(None, sys.stdin.read)  # until whoever started us is gone
    server.close()


class ManyWeb:
    """The same as a process, from `with` until its end."""

    def __init__(self, seconds: float = 0.0) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.links.many_web", str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdout is not None
        self.port = int(self._process.stdout.readline())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.communicate()

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def environment(self) -> dict[str, str]:
        """Let those who enrich find its made-up names, and reach it."""
        return {
            "LEASEHOLD_LINKS_NAMES": "test=127.0.0.1",
            "LEASEHOLD_LINKS_ALLOW": f"127.0.0.1:{self.port}",
        }

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def record(self) -> Record:
        asking = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            asking.request("GET", "/", headers={"Host": "record"})
            return msgspec.json.decode(asking.getresponse().read(), type=Record)
        finally:
            asking.close()


if __name__ == "__main__":
    asyncio.run(serve(float(sys.argv[1])))
