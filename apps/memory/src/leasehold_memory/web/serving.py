"""Serves the companion by a program of its own, until a signal.

At a signal open streams are told to end; what is not done within two seconds is cut off.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable
from contextlib import contextmanager
from typing import TYPE_CHECKING

import uvicorn

if TYPE_CHECKING:
    import socket
    from collections.abc import Iterator
    from types import FrameType

    from leasehold_memory.web.alone import Alone

GRACE_SECONDS = 2
_SIGNALS = (signal.SIGINT, signal.SIGTERM)


class Serving:
    """Serves it on an open socket until a signal or `end`, which any thread may call."""

    def __init__(self, alone: Alone, on_start: Callable[[], None] = lambda: None) -> None:
        self._ending = alone.ending
        self._loop: asyncio.AbstractEventLoop | None = None
        config = uvicorn.Config(
            alone,
            lifespan="on",
            log_config=None,
            access_log=False,
            ws="none",
            server_header=False,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
        self._server = _Server(config, on_start, self._tell)

    def serve(self, opened: socket.socket) -> bool:
        """Serve; returns whether it had started, else the log says why not."""
        with asyncio.Runner() as runner:
            runner.run(self._serve(opened))
        return self._server.started

    def end(self) -> None:
        self._server.end()

    async def _serve(self, opened: socket.socket) -> None:
        self._loop = asyncio.get_running_loop()
        await self._server.serve(sockets=[opened])

    def _tell(self) -> None:
        """Tell streams that it ends. A signal's handler: it must not wait."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._ending.set)


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
        """End; the second time without waiting for requests."""
        self.force_exit = self.should_exit
        self.should_exit = True
        self._on_end()
