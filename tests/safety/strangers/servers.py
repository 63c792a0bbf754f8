"""Servers that misbehave on purpose, each on a loopback port of its own."""

import contextlib
import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Self

Script = Callable[[socket.socket, bytes], None]
_HEAD_SECONDS = 5.0


class Server:
    """Runs a script for each connection, with the request's head; counts who came."""

    def __init__(
        self,
        script: Script,
        *,
        host: str = "127.0.0.1",
        tls: ssl.SSLContext | None = None,
        reads_head: bool = True,
    ) -> None:
        self._script = script
        self._reads_head = reads_head
        self._tls = tls
        self._socket = _listen(host)
        self.host = host
        self.port: int = self._socket.getsockname()[1]
        self.requests: list[bytes] = []
        self.connections = 0
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self._lock = threading.Lock()

    def __enter__(self) -> Self:
        self._start(self._accept)
        return self

    def __exit__(self, *_: object) -> None:
        with contextlib.suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        with self._lock:
            for each in self._open:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join(10)

    def url(self, path: str = "/", *, scheme: str = "http") -> str:
        return f"{scheme}://{self.host}:{self.port}{path}"

    def _start(self, target: Callable[..., None], *args: object) -> None:
        thread = threading.Thread(target=target, args=args, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                connection, _ = self._socket.accept()
                self.connections += 1
                self._start(self._serve, connection)

    def _serve(self, connection: socket.socket) -> None:
        with connection, contextlib.suppress(OSError):
            with self._lock:
                self._open.add(connection)
            try:
                connection.settimeout(_HEAD_SECONDS)
                spoken = self._wrap(connection)
                with spoken:
                    request = _read_head(spoken) if self._reads_head else b""
                    self.requests.append(request)
                    spoken.settimeout(None)
                    self._script(spoken, request)
            finally:
                with self._lock:
                    self._open.discard(connection)

    def _wrap(self, connection: socket.socket) -> socket.socket:
        if self._tls is None:
            return connection.dup()
        return self._tls.wrap_socket(connection.dup(), server_side=True)


def _listen(host: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    if host == "::":
        listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
    listener.bind((host, 0))
    listener.listen(64)
    return listener


def _read_head(connection: socket.socket) -> bytes:
    head = b""
    while b"\r\n\r\n" not in head:
        piece = connection.recv(65_536)
        if not piece:
            break
        head += piece
    return head


def target_of(request: bytes) -> str:
    return request.split(b" ", 2)[1].decode()


def answer(body: bytes = b"", *fields: str, status: str = "200 OK") -> bytes:
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *fields]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def redirect(location: str, status: int = 302) -> bytes:
    return answer(b"", f"Location: {location}", status=f"{status} Elsewhere")


def saying(said: bytes) -> Script:
    """Return a script that always says the same."""

    def script(connection: socket.socket, _: bytes) -> None:
        connection.sendall(said)

    return script


class DnsServer:
    """Answers A and AAAA over UDP, as it is told to; each lookup of a name takes the next answer.

    A name's answers are lists of addresses: the last one stays.
    """

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.names: dict[str, list[list[str]]] = {}
        self.lookups: list[str] = []
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as last:
            last.sendto(b"", ("127.0.0.1", self.port))
        self._thread.join(10)
        self._socket.close()

    def resolve(self, host: str, _port: int) -> list[str]:
        """Look a name up as a stub resolver does: both kinds of address, one lookup."""
        asked = [self._ask(host, kind) for kind in (1, 28)]
        return [address for addresses in asked for address in addresses]

    def _ask(self, host: str, kind: int) -> list[str]:
        labels = b"".join(bytes([len(each)]) + each.encode() for each in host.split("."))
        query = (
            struct.pack(">6H", kind, 0x100, 1, 0, 0, 0) + labels + struct.pack(">BHH", 0, kind, 1)
        )
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as asking:
            asking.settimeout(5)
            asking.sendto(query, ("127.0.0.1", self.port))
            reply = asking.recv(65_536)
        if reply[3] & 0x0F:
            raise socket.gaierror(socket.EAI_NONAME, "no such name")
        return list(_addresses(reply, len(query)))

    def _serve(self) -> None:
        while True:
            query, client = self._socket.recvfrom(65_536)
            if not query:
                return
            self._socket.sendto(self._answer(query), client)

    def _answer(self, query: bytes) -> bytes:
        name, kind = _question(query)
        if kind == 1:
            self.lookups.append(name)
        script = self.names.get(name)
        if script is None:
            return query[:2] + b"\x81\x83" + query[4:]
        # The A query is the first of a lookup; the AAAA query of the same lookup sees the same.
        turn = min(self.lookups.count(name), len(script)) - 1
        family = socket.AF_INET if kind == 1 else socket.AF_INET6
        records = [
            struct.pack(">HHHIH", 0xC00C, kind, 1, 0, len(raw)) + raw
            for raw in _packed(script[turn], family)
        ]
        counts = struct.pack(">4H", 1, len(records), 0, 0)
        return query[:2] + b"\x81\x80" + counts + query[12:] + b"".join(records)


def _question(query: bytes) -> tuple[str, int]:
    labels, at = [], 12
    while query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode())
        at += 1 + query[at]
    return ".".join(labels), struct.unpack(">H", query[at + 1 : at + 3])[0]


def _packed(addresses: Sequence[str], family: int) -> Iterator[bytes]:
    for each in addresses:
        if (":" in each) == (family == socket.AF_INET6):
            yield socket.inet_pton(family, each)


def _addresses(reply: bytes, at: int) -> Iterator[str]:
    (count,) = struct.unpack(">H", reply[6:8])
    for _ in range(count):
        kind, _class, _ttl, size = struct.unpack(">HHIH", reply[at + 2 : at + 12])
        family = socket.AF_INET if kind == 1 else socket.AF_INET6
        yield socket.inet_ntop(family, reply[at + 12 : at + 12 + size])
        at += 12 + size


def name_of(value: object) -> str:
    """Name a test after its texts only: packed bytes hold the time of day."""
    return value if isinstance(value, str) else type(value).__name__
