"""A web server with many names and odd pages, which counts who is there at once."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self

Reply = tuple[int, dict[str, str], bytes]
HTML = {"Content-Type": "text/html; charset=utf-8"}


def page(title: str, body: str = "", **headers: str) -> Reply:
    text = f"<html><head><title>{title}</title></head><body>{body}</body></html>"
    return (
        200,
        HTML | {name.replace("_", "-"): value for name, value in headers.items()},
        text.encode(),
    )


class OddWeb:
    """Pages by host and path, else 404. Knows how many were at each host at once."""

    def __init__(self) -> None:
        self.pages: dict[str, Reply | Callable[[], Reply]] = {}
        self.seen: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self._now: Counter[str] = Counter()
        self._lock = threading.Lock()
        self.seconds = 0.0  # that each answer takes
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self.port: int = self._server.server_address[1]
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.05}
        )

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def url(self, host: str, path: str = "/") -> str:
        return f"http://{host}:{self.port}{path}"

    def put(self, host: str, path: str, reply: Reply | Callable[[], Reply]) -> str:
        self.pages[f"{host}{path}"] = reply
        return self.url(host, path)

    def _answer(self, host: str, path: str) -> Reply:
        with self._lock:
            self.seen[f"{host}{path}"] += 1
            self._now[host] += 1
            self.most[host] = max(self.most[host], self._now[host])
        try:
            time.sleep(self.seconds)
            found = self.pages.get(f"{host}{path}", (404, HTML, b"nothing here"))
            return found() if callable(found) else found
        finally:
            with self._lock:
                self._now[host] -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                host = (self.headers["Host"] or "").partition(":")[0]
                status, headers, body = web._answer(host, self.path)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(body)))
                self.send_header("Connection", "close")
                self.end_headers()
                try:
                    self.wfile.write(body)
                except OSError:
                    return  # they have heard enough

            def log_message(self, *_: Any) -> None:
                """Say nothing."""

        return Handler
