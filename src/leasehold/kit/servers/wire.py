"""HTTP/1.1 on loopback, as little of it as the local servers need, and quick.

An answer may also be what no web framework would send: cut off, late, or none at all.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable
from http import HTTPStatus
from typing import TypeAlias, cast
from urllib.parse import parse_qsl, unquote

import msgspec

HOST = "127.0.0.1"
JSON = "application/json"
_HEAD_BYTES = 64 * 1024
_BODY_BYTES = 1024 * 1024
_DROP_SECONDS = 0.05
_END = b"\r\n\r\n"


class Request(msgspec.Struct, frozen=True, kw_only=True):
    """What was asked. Header names are lower case; a parameter may come twice."""

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    headers: dict[str, str] = {}
    body: bytes = b""


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent, `after` seconds: with `is_cut` half of the body, with `is_silent` nothing.

    With `is_dripping` the last bytes come one by one, as long as somebody listens. `pieces` follow
    the body as they come, `pause` seconds apart, and its length is not said before; with `is_cut`
    half of them.
    """

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = {}
    after: float = 0.0
    is_cut: bool = False
    is_hung_up: bool = False
    is_silent: bool = False
    is_dripping: bool = False
    pieces: tuple[bytes, ...] = ()
    pause: float = 0.0


Answer: TypeAlias = Callable[[Request], Reply]


class Malformed(ValueError):
    """It is no request that this server reads; `status` says why not."""

    def __init__(self, status: int) -> None:
        super().__init__(HTTPStatus(status).phrase)
        self.status = status


def read_head(head: bytes) -> Request:
    """Read a request up to its body."""
    line, *lines = head.decode("latin-1").split("\r\n")
    method, _, rest = line.partition(" ")
    target, _, protocol = rest.partition(" ")
    if not protocol.startswith("HTTP/1."):
        raise Malformed(400)
    path, _, query = target.partition("?")
    pairs = (header.partition(":") for header in lines)
    return Request(
        method=method,
        path=unquote(path),
        query=tuple(parse_qsl(query, keep_blank_values=True)),
        headers={name.lower(): value.strip() for name, _, value in pairs},
    )


def body_length(request: Request) -> int:
    """Return how long the body is; it must be said, and be bearable."""
    if "transfer-encoding" in request.headers:
        raise Malformed(411)
    said = request.headers.get("content-length", "0")
    if not said.isdigit():
        raise Malformed(400)
    if int(said) > _BODY_BYTES:
        raise Malformed(413)
    return int(said)


def write_reply(reply: Reply) -> bytes:
    headers = {"Content-Type": JSON} | reply.headers
    if reply.pieces:
        headers["Transfer-Encoding"] = "chunked"
    else:
        headers["Content-Length"] = str(len(reply.body))
    lines = "".join(f"{name}: {value}\r\n" for name, value in headers.items())
    reason = HTTPStatus(reply.status).phrase if reply.status in _KNOWN else "Unknown"
    head = f"HTTP/1.1 {reply.status} {reason}\r\n{lines}\r\n".encode("latin-1")
    if reply.pieces:
        return head + write_piece(reply.body)
    return head + (reply.body[: len(reply.body) // 2] if reply.is_cut else reply.body)


def write_piece(piece: bytes) -> bytes:
    """Write a chunk; nothing for no bytes, which would say that it was the last."""
    return b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b""


_LAST_PIECE = b"0\r\n\r\n"

_KNOWN = {status.value for status in HTTPStatus}


class Visit(asyncio.Protocol):
    """One connection, whose requests are answered one after the other."""

    def __init__(self, answer: Answer, visits: set[asyncio.Transport]) -> None:
        self._answer = answer
        self._visits = visits
        self._data = b""
        self._is_busy = False
        self._late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)
        self._visits.add(self._transport)

    def connection_lost(self, _error: Exception | None) -> None:
        self._visits.discard(self._transport)
        if self._late is not None:
            self._late.cancel()

    def data_received(self, data: bytes) -> None:
        self._data += data
        self._go_on()

    def _go_on(self) -> None:
        if self._is_busy or not self._data:
            return
        try:
            request = self._next_request()
        except Malformed as error:
            self._transport.write(write_reply(Reply(status=error.status)))
            self._transport.close()
            return
        if request is not None:
            self._is_busy = True
            self._send_in_time(self._answer(request))

    def _next_request(self) -> Request | None:
        """Take a whole request off what came, or None as long as some of it is missing."""
        end = self._data.find(_END)
        if end < 0:
            if len(self._data) > _HEAD_BYTES:
                raise Malformed(431)
            return None
        request = read_head(self._data[:end])
        begin = end + len(_END)
        length = body_length(request)
        if len(self._data) < begin + length:
            return None
        body, self._data = self._data[begin : begin + length], self._data[begin + length :]
        return msgspec.structs.replace(request, body=body) if length else request

    def _send_in_time(self, reply: Reply) -> None:
        if reply.after <= 0:
            self._send(reply)
        else:
            loop = asyncio.get_running_loop()
            self._late = loop.call_later(reply.after, self._send, reply)

    def _send(self, reply: Reply) -> None:
        if reply.is_silent or self._transport.is_closing():
            return
        if reply.is_dripping:
            self._drip(write_reply(reply))
            return
        if reply.pieces:
            self._transport.write(write_reply(reply))
            self._send_pieces(reply, 0)
            return
        if not reply.is_hung_up:
            self._transport.write(write_reply(reply))
        if reply.is_hung_up or reply.is_cut:
            self._transport.close()
            return
        self._is_busy = False
        self._go_on()

    def _send_pieces(self, reply: Reply, position: int) -> None:
        """Send what is left of the pieces, each as long after the other as the reply says."""
        if self._transport.is_closing():
            return
        if reply.is_cut and position >= len(reply.pieces) // 2:
            self._transport.close()
        elif position < len(reply.pieces):
            self._transport.write(write_piece(reply.pieces[position]))
            loop = asyncio.get_running_loop()
            self._late = loop.call_later(reply.pause, self._send_pieces, reply, position + 1)
        else:
            self._transport.write(_LAST_PIECE)
            self._is_busy = False
            self._go_on()

    def _drip(self, sent: bytes) -> None:
        """Send a byte now and then; half of it is never sent in the time that anybody has."""
        begin = len(sent) // 2
        self._transport.write(sent[:begin])
        loop = asyncio.get_running_loop()

        def next_drop(position: int) -> None:
            if position < len(sent) and not self._transport.is_closing():
                self._transport.write(sent[position : position + 1])
                self._late = loop.call_later(_DROP_SECONDS, next_drop, position + 1)

        next_drop(begin)


class Listener:
    """A thread that answers on a port. It has the port from the start: who comes early waits."""

    def __init__(self, answer: Answer, port: int = 0) -> None:
        self._answer = answer
        self._socket = socket.create_server((HOST, port), backlog=128)
        self.port: int = self._socket.getsockname()[1]
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending: asyncio.Event | None = None
        self._is_listening = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"local-api-{self.port}")

    def start(self) -> None:
        self._thread.start()
        self._is_listening.wait()

    def stop(self) -> None:
        """Hang up on everybody. Safe twice."""
        if self._thread.is_alive() and self._loop is not None and self._ending is not None:
            with contextlib.suppress(RuntimeError):  # it has ended by itself
                self._loop.call_soon_threadsafe(self._ending.set)
            self._thread.join()
        self._socket.close()

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._loop = loop = asyncio.get_running_loop()
        self._ending = asyncio.Event()
        visits: set[asyncio.Transport] = set()
        server = await loop.create_server(lambda: Visit(self._answer, visits), sock=self._socket)
        self._is_listening.set()
        await self._ending.wait()
        # A server that is closed while it lets somebody in forgets that connection, open.
        while letting_in := asyncio.all_tasks() - {asyncio.current_task()}:
            await asyncio.gather(*letting_in, return_exceptions=True)
        server.close()
        for transport in list(visits):
            transport.abort()
        await asyncio.sleep(0)  # lets them be told
