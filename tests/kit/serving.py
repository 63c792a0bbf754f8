"""The service with an application in it, on a socket of its own, served from a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

import uvicorn

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble

if TYPE_CHECKING:
    from collections.abc import Iterator

    import leasehold as lh
    from leasehold.web import Application


class Serving:
    """A running service; it can be ended and begun again on its port."""

    def __init__(
        self, client: lh.Client, application: Application, settings: WebSettings, **options: Any
    ) -> None:
        self._client = client
        self._application = application
        self._settings = settings
        self._options = options  # of `assemble`
        self._port = 0
        self.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def state(self) -> Any:
        """What the application's requests share."""
        app: Any = self._assembly.served[self._application.name]
        return app.state

    def start(self) -> None:
        self._opened = socket.create_server(("127.0.0.1", self._port))
        self._port = self._opened.getsockname()[1]
        found = [Found(name=self._application.name, application=self._application)]
        self._assembly = assemble(
            self._client, settings=self._settings, found=found, **self._options
        )
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
def serving(
    client: lh.Client,
    application: Application,
    settings: WebSettings | None = None,
    **options: Any,
) -> Iterator[Serving]:
    """Serve an application until the end of the block."""
    chosen = settings or WebSettings(needs_worker=False)
    served = Serving(client, application, chosen, **options)
    try:
        yield served
    finally:
        served.stop()
