"""A TCP proxy between a client and PostgreSQL that loses answers and goes silent when told to."""

from __future__ import annotations

import contextlib
import ctypes
import socket
import struct
import threading
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

_READ_BYTES = 1 << 16
# How PostgreSQL ends an answer: ReadyForQuery, idle. Then what was asked for is committed.
_READY = b"Z\x00\x00\x00\x05I"
_SO_ATTACH_FILTER = 26
_RETURN_0 = struct.pack("HBBI", 0x06, 0, 0, 0)  # BPF: keep 0 bytes of each packet


@dataclass(slots=True)
class Cut:
    """Loses the answer to the next message that contains `marker`."""

    marker: bytes
    times: int = 1
    is_asked: threading.Event = field(default_factory=threading.Event)
    is_done: threading.Event = field(default_factory=threading.Event)


class Link:
    """One connection through the proxy."""

    def __init__(self, proxy: Proxy, near: socket.socket, far: socket.socket) -> None:
        self._proxy = proxy
        self._near = near
        self._far = far
        self._doom: Cut | None = None

    def start(self) -> None:
        for pump in (self._pump_questions, self._pump_answers):
            threading.Thread(target=pump, name="proxy", daemon=True).start()

    def close(self) -> None:
        for end in (self._near, self._far):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def vanish(self) -> None:
        """Drop every packet of the client unanswered, as when its peer's machine is gone."""
        program = ctypes.create_string_buffer(_RETURN_0)
        fields = struct.pack("HL", 1, ctypes.addressof(program))
        self._near.setsockopt(socket.SOL_SOCKET, _SO_ATTACH_FILTER, fields)

    def _pump_questions(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := self._near.recv(_READ_BYTES):
                self._proxy.is_open.wait()
                self._doom = self._doom or self._proxy.take_cut(chunk)
                self._far.sendall(chunk)
        self.close()

    def _pump_answers(self) -> None:
        with contextlib.suppress(OSError):
            while chunk := self._far.recv(_READ_BYTES):
                self._proxy.is_open.wait()
                if self._doom is None:
                    self._near.sendall(chunk)
                elif chunk.endswith(_READY):
                    self._doom.is_done.set()
                    break
        self.close()


class Proxy:
    """Listens on a port of its own; `url` leads through it."""

    def __init__(self, url: str) -> None:
        self._parts = urlsplit(url)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._links: list[Link] = []
        self._cuts: list[Cut] = []
        self._lock = threading.Lock()
        self.is_open = threading.Event()
        self.is_open.set()

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, name="proxy", daemon=True).start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.is_open.set()
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for link in self._links:
            link.close()

    def url(self, query: str = "") -> str:
        port = self._listener.getsockname()[1]
        user = self._parts.username or "postgres"
        return self._parts._replace(netloc=f"{user}@127.0.0.1:{port}", query=query).geturl()

    def lose_answer(self, marker: bytes, times: int = 1) -> Cut:
        """Lose the answer to the next question that contains the marker, and hang up."""
        cut = Cut(marker, times)
        with self._lock:
            self._cuts.append(cut)
        return cut

    def take_cut(self, chunk: bytes) -> Cut | None:
        with self._lock:
            for cut in self._cuts:
                if cut.times > 0 and cut.marker in chunk:
                    cut.times -= 1
                    cut.is_asked.set()
                    return cut
        return None

    def hold(self) -> None:
        """Forward nothing, keep every connection; `release` lets it all through."""
        self.is_open.clear()

    def release(self) -> None:
        self.is_open.set()

    def vanish(self) -> None:
        """Make every present connection half-open; new ones work."""
        for link in self._links:
            with contextlib.suppress(OSError):
                link.vanish()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                near, _ = self._listener.accept()
                far = socket.create_connection((self._parts.hostname, self._parts.port))
                link = Link(self, near, far)
                self._links.append(link)
                link.start()
