"""The service with the library in it, on a socket of its own, served from a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import uvicorn

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from leasehold_links.web import application

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold_links.web.library import Library


class Serving:
    """A running service; it can be ended and begun again on its port."""

    def __init__(self, client: lh.Client, settings: WebSettings) -> None:
        self._client = client
        self._settings = settings
        self._port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def library(self) -> Library:
        found: Library = self._assembly.served["links"].state.library  # type: ignore[attr-defined] # a FastAPI
        return found

    def start(self) -> None:
        self._opened = socket.create_server(("127.0.0.1", self._port))
        self._port = self._opened.getsockname()[1]
        found = [Found(name="links", application=application())]
        self._assembly = assemble(self._client, settings=self._settings, found=found)
        assert not self._assembly.broken, self._assembly.broken
        config = uvicorn.Config(
            self._assembly.app, log_config=None, timeout_graceful_shutdown=5, ws="none"
        )
        self._server = uvicorn.Server(config)
        begun = threading.Event()
        self._thread = threading.Thread(target=self._serve, args=(begun,))
        self._thread.start()
        begun.wait()

    def _serve(self, begun: threading.Event) -> None:
        with asyncio.Runner() as runner:
            self._loop = runner.get_loop()
            begun.set()
            runner.run(self._server.serve(sockets=[self._opened]))

    def tell_end(self) -> None:
        """Tell those who keep a request open that it ends."""
        with suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(self._assembly.main.ending.set)

    def stop(self) -> None:
        self.tell_end()
        self._server.should_exit = True
        self._thread.join()
        self._opened.close()


@contextmanager
def serving(client: lh.Client, settings: WebSettings | None = None) -> Iterator[Serving]:
    """Serve the library until the end of the block."""
    served = Serving(client, settings or WebSettings(needs_worker=False))
    try:
        yield served
    finally:
        served.stop()
