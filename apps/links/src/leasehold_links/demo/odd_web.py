"""A web server with many names and odd pages, which counts who is there at once.

The demo's, and that of tests. It listens on this machine alone.
"""

from __future__ import annotations

import contextlib
import threading
from collections import Counter
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self, TypeAlias

Body: TypeAlias = bytes | Callable[[threading.Event], Iterator[bytes]]
Reply: TypeAlias = tuple[int, dict[str, str], Body]
HTML = {"Content-Type": "text/html; charset=utf-8"}
_POLL_SECONDS = 0.05
_MISSING: Reply = (404, HTML, b"<title>Nothing here</title>")


def page(title: str, body: str = "", **headers: str) -> Reply:
    """Make a small page; `cf_mitigated="challenge"` is the header of that name."""
    text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return 200, HTML | named, text.encode()


class OddWeb:
    """Pages by host and path, else 404. Knows how many were at each host at once.

    It takes a port when it is made, so that whoever comes before `start` waits and is answered.
    """

    def __init__(self, pages: dict[str, Reply | Callable[[], Reply]] | None = None) -> None:
        self.pages = {} if pages is None else pages
        self.seconds = 0.0  # that each answer takes
        self.seen: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self._lock = threading.Lock()
        self._ending = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _handler_of(self))
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, args=(_POLL_SECONDS,), name="odd-web"
        )

    def start(self) -> None:
        self._thread.start()

    def stop(self) -> None:
        """Answer nobody any more; who is being answered is left alone. Safe twice."""
        self._ending.set()
        if self._thread.is_alive():
            self._server.shutdown()
            self._thread.join()
        self._server.server_close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, host: str, path: str, reply: Reply | Callable[[], Reply]) -> str:
        """Let an address answer so; returns it."""
        self.pages[f"{host}{path}"] = reply
        return self.url(host, path)

    @contextlib.contextmanager
    def answering(self, host: str, path: str) -> Iterator[Reply]:
        """Count a visitor as long as he is there."""
        with self._lock:
            self.seen[f"{host}{path}"] += 1
            self._now[host] += 1
            self.most[host] = max(self.most[host], self._now[host])
        try:
            self._ending.wait(self.seconds)
            found = self.pages.get(f"{host}{path}", _MISSING)
            yield found() if callable(found) else found
        finally:
            with self._lock:
                self._now[host] -= 1

    def pieces(self, body: Body) -> Iterator[bytes]:
        """Return what is to be written: a body that takes its time is told when it ends."""
        return body(self._ending) if callable(body) else iter((body,))


class _Server(ThreadingHTTPServer):
    # They are waited for at the end: `ending` lets them go.
    daemon_threads = False
    request_queue_size = 128

    def handle_error(self, *_: Any) -> None:
        """Somebody hung up."""


def _handler_of(web: OddWeb) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        timeout = 2.0  # seconds, for who connects and says nothing

        def do_GET(self) -> None:
            host = (self.headers["Host"] or "").partition(":")[0]
            with web.answering(host, self.path) as (status, headers, body):
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                if isinstance(body, bytes):
                    self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                if not isinstance(body, bytes):
                    self._write(body)
            # Who has a whole answer may come again at once: he must not be counted twice.
            if isinstance(body, bytes):
                self._write(body)

        def _write(self, body: Body) -> None:
            with contextlib.suppress(OSError):  # they have heard enough
                self.end_headers()
                for piece in web.pieces(body):
                    self.wfile.write(piece)

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    return Handler
