"""The companion on a socket of its own, as a browser reaches it: behind its door."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from leasehold_memory.web.alone import Alone
from leasehold_memory.web.app import make_app
from tests.browser.kit import Visit, visiting
from tests.kit.thread_server import ThreadServer
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser


class Served:
    """A companion that is served from a thread."""

    def __init__(self, companion: Any) -> None:
        self.companion = companion
        self._server = ThreadServer()
        self._server.start(self._make)

    @property
    def address(self) -> str:
        return self._server.address

    @property
    def token(self) -> str:
        return str(self.companion.settings.token.reveal())

    def wait(self) -> None:
        """Wait until it answers: a companion starts with its application."""
        wait_until(self._is_up, "the companion is up")

    def _is_up(self) -> bool:
        try:
            return httpx.get(f"{self.address}/static/icon.svg").is_success
        except httpx.TransportError:
            return False

    def stop(self) -> None:
        self._server.call(self._alone.ending.set)
        self._server.stop()

    def _make(self) -> Alone:
        self._alone = Alone(make_app(self.companion), token=lambda: self.token)
        return self._alone


@contextmanager
def serving(companion: Any) -> Iterator[Served]:
    """Serve a companion until the end of the block."""
    served = Served(companion)
    try:
        served.wait()
        yield served
    finally:
        served.stop()


@contextmanager
def coming_in(browser: Browser, served: Served, **options: Any) -> Iterator[Visit]:
    """Visit by the address with the token, which the browser keeps as a cookie."""
    with visiting(browser, served, **({"locale": "en-GB"} | options)) as visit:
        visit.open(f"/?token={served.token}")
        assert "token" not in visit.page.url
        yield visit
