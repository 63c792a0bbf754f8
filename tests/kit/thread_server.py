"""An ASGI application on a socket of its own, served from a thread."""

from __future__ import annotations

import asyncio
import socket
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    from collections.abc import Callable


class ThreadServer:
    """A running server; it can be ended and begun again on its port, with an application anew."""

    def __init__(self) -> None:
        self._port = 0

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self, make_app: Callable[[], Any]) -> None:
        """Serve what is made; the socket is open when it is."""
        self._opened = socket.create_server(("127.0.0.1", self._port))
        self._port = self._opened.getsockname()[1]
        config = uvicorn.Config(make_app(), log_config=None, timeout_graceful_shutdown=5, ws="none")
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

    def call(self, function: Callable[[], object]) -> None:
        """Let its loop call this, if it is still there."""
        with suppress(RuntimeError):  # its loop is closed
            self._loop.call_soon_threadsafe(function)

    def stop(self) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._opened.close()
