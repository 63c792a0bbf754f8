"""Serves an ASGI application on an open socket until a signal, or until it is told to end.

What is not done within two seconds is cut off then.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator
    from types import FrameType

REQUESTS_GRACE_SECONDS = 2
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Listening:
    """`ending` is set when it ends, for answers that go on for long; `end` is for any thread.

    `on_start` is told when it answers. `config` is uvicorn's.
    """

    def __init__(
        self,
        app: Any,
        ending: asyncio.Event,
        *,
        on_start: Callable[[], None] = lambda: None,
        **config: Any,
    ) -> None:
        self._ending = ending
        self._loop: asyncio.AbstractEventLoop | None = None
        self._server = _Server(_configure(app, **config), on_start, self._tell)

    def serve(self, opened: socket.socket) -> bool:
        """Serve; returns whether it had started, else the log says why not."""
        with asyncio.Runner() as runner:
            return runner.run(self.listen(opened))

    async def listen(self, opened: socket.socket) -> bool:
        """Do the same on the running loop."""
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[opened])
        return self._server.started

    def end(self) -> None:
        self._server.end()

    def _tell(self) -> None:
        """Tell streams that it ends. A signal's handler: it must not wait."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ending.set)


def _configure(app: Any, **config: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        lifespan="on",
        log_config=None,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=REQUESTS_GRACE_SECONDS,
        **config,
    )


class _Server(uvicorn.Server):
    """Says when it answers; ends at the first signal, which is not raised again when it is over."""

    def __init__(
        self, config: uvicorn.Config, on_start: Callable[[], None], on_end: Callable[[], None]
    ) -> None:
        super().__init__(config)
        self._on_start = on_start
        self._on_end = on_end

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._on_start()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = {number: signal.signal(number, self._on_signal) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        self.end()

    def end(self) -> None:
        """End, from any thread or signal handler; the second time without waiting for requests."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._on_end()
