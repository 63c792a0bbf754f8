"""A connection that keeps to a deadline, whatever the other side does: a byte a second, too."""

from __future__ import annotations

import http.client
import io
import socket
import ssl
import time
from collections.abc import Callable
from typing import Any, cast
from urllib.parse import SplitResult


class _Bytes(io.RawIOBase):
    """What comes in, each piece within the time that is left."""

    def __init__(self, sock: socket.socket, left: Callable[[], float]) -> None:
        self._sock = sock
        self._left = left

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        self._sock.settimeout(self._left())
        return self._sock.recv_into(buffer)


class _Socket:
    """As much of a socket as `http.client` uses, with one deadline for all of an exchange."""

    def __init__(self, sock: socket.socket, left: Callable[[], float]) -> None:
        self._sock = sock
        self._left = left

    def sendall(self, sent: Any) -> None:
        self._sock.settimeout(self._left())
        self._sock.sendall(sent)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Bytes(self._sock, self._left), 65_536)

    def close(self) -> None:
        self._sock.close()


class Line:
    """One connection to one host, kept open between requests; not for several threads."""

    def __init__(self, url: SplitResult, trust: ssl.SSLContext | None = None) -> None:
        self.origin = url.scheme, url.netloc
        self._url = url
        self._trust = trust
        self._connection: http.client.HTTPConnection | None = None
        self._deadline = 0.0

    def ask(
        self, method: str, target: str, headers: dict[str, str], body: bytes, seconds: float
    ) -> http.client.HTTPResponse:
        """Send a request and return as soon as the head of the answer is there."""
        self._deadline = time.monotonic() + seconds
        was_open = self._connection is not None
        try:
            return self._exchange(method, target, headers, body)
        except (http.client.RemoteDisconnected, ConnectionError):
            # What is kept open may be closed by the other side at any time, before it reads a word.
            self.close()
            if not was_open:
                raise
            return self._exchange(method, target, headers, body)

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def _exchange(
        self, method: str, target: str, headers: dict[str, str], body: bytes
    ) -> http.client.HTTPResponse:
        connection = self._connection = self._connection or self._open()
        connection.request(method, target, body or None, headers)
        return connection.getresponse()

    def _open(self) -> http.client.HTTPConnection:
        host, port = cast("str", self._url.hostname), self._url.port
        connection: http.client.HTTPConnection
        if self._url.scheme == "https":
            trust = self._trust or ssl.create_default_context()
            connection = http.client.HTTPSConnection(
                host, port, timeout=self._left(), context=trust
            )
        else:
            connection = http.client.HTTPConnection(host, port, timeout=self._left())
        connection.connect()
        connection.auto_open = 0  # or it would connect anew by itself, to a socket without deadline
        connection.sock = cast("socket.socket", _Socket(connection.sock, self._left))
        return connection

    def _left(self) -> float:
        left = self._deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError("the time is used up")
        return left
