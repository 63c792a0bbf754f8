"""Real servers on loopback for what alerts are sent to: HTTP and SMTP, on a loop in a thread."""

from __future__ import annotations

import asyncio
import json
import ssl
import subprocess
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anyio.from_thread import start_blocking_portal

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Iterator
    from pathlib import Path

    Handle = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@dataclass
class Requests:
    """What an HTTP server was asked, and what it answers: these, then the last one for ever."""

    port: int = 0
    statuses: list[int] = field(default_factory=lambda: [200])
    headers: dict[str, str] = field(default_factory=dict)
    paths: list[str] = field(default_factory=list)
    seen_headers: list[dict[str, str]] = field(default_factory=list)
    bodies: list[bytes] = field(default_factory=list)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?token=xyzzy-canary"

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
        headers = dict(line.split(": ", 1) for line in head[1:] if line)
        self.paths.append(head[0].split(" ")[1])
        self.seen_headers.append(headers)
        self.bodies.append(await reader.readexactly(int(headers["Content-Length"])))
        status = self.statuses.pop(0) if len(self.statuses) > 1 else self.statuses[0]
        said = "".join(f"{name}: {value}\r\n" for name, value in self.headers.items())
        writer.write(f"HTTP/1.1 {status} Fine\r\nContent-Length: 0\r\n{said}\r\n".encode())
        await writer.drain()
        writer.close()


@dataclass
class Mailbox:
    """What a mail server was sent; with a context it offers STARTTLS, and takes nothing before."""

    port: int = 0
    context: ssl.SSLContext | None = None
    letters: list[str] = field(default_factory=list)
    logins: list[str] = field(default_factory=list)
    was_secure: list[bool] = field(default_factory=list)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        is_secure = False
        writer.write(b"220 here\r\n")
        while line := (await reader.readline()).decode().strip():
            verb = line.split(" ")[0].upper()
            if verb == "EHLO":
                offers = ["AUTH PLAIN", "8BITMIME"]
                if self.context is not None and not is_secure:
                    offers.append("STARTTLS")
                said = "".join(f"250-{offer}\r\n" for offer in offers)
                writer.write(f"250-here\r\n{said}250 HELP\r\n".encode())
            elif verb == "STARTTLS" and self.context is not None:
                writer.write(b"220 go on\r\n")
                await writer.drain()
                await writer.start_tls(self.context)
                is_secure = True
            elif verb == "AUTH":
                self.logins.append(line)
                writer.write(b"235 known\r\n")
            elif verb == "DATA":
                writer.write(b"354 go on\r\n")
                letter = (await reader.readuntil(b"\r\n.\r\n")).decode()
                self.letters.append(letter)
                self.was_secure.append(is_secure)
                writer.write(b"250 taken\r\n")
            elif verb == "QUIT":
                writer.write(b"221 bye\r\n")
                break
            else:
                writer.write(b"250 fine\r\n")
            await writer.drain()
        writer.close()


@contextmanager
def serve(handle: Handle) -> Iterator[int]:
    """Serve connections meanwhile; yields the port."""
    with start_blocking_portal() as portal:
        server = portal.call(lambda: asyncio.start_server(handle, "127.0.0.1", 0))
        try:
            yield server.sockets[0].getsockname()[1]
        finally:

            async def close() -> None:
                server.close()
                await server.wait_closed()
                await asyncio.sleep(0)

            portal.call(close)


@contextmanager
def http_server(**options: Any) -> Iterator[Requests]:
    requests = Requests(**options)
    with serve(requests.handle) as requests.port:
        yield requests


@contextmanager
def mail_server(**options: Any) -> Iterator[Mailbox]:
    mailbox = Mailbox(**options)
    with serve(mailbox.handle) as mailbox.port:
        yield mailbox


def make_certificate(folder: Path) -> tuple[ssl.SSLContext, ssl.SSLContext]:
    """Make a certificate for 127.0.0.1; returns the server's context and a trusting client's."""
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    subprocess.run(
        [
            *("openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"),
            *("-keyout", str(key), "-out", str(certificate)),
            *("-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"),
        ],
        check=True,
        capture_output=True,
    )
    server = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    server.load_cert_chain(certificate, key)
    client = ssl.create_default_context(cafile=str(certificate))
    return server, client
