"""The service with an application in it, on a socket of its own, served from a thread."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leasehold.web import WebSettings
from leasehold.web.applications import Found
from leasehold.web.assembly import assemble
from tests.kit.thread_server import ThreadServer

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
        self._server = ThreadServer()
        self.start()

    @property
    def address(self) -> str:
        return self._server.address

    @property
    def state(self) -> Any:
        """What the application's requests share."""
        app: Any = self._assembly.served[self._application.name]
        return app.state

    def start(self) -> None:
        self._server.start(self._assemble)

    def _assemble(self) -> Any:
        found = [Found(name=self._application.name, application=self._application)]
        self._assembly = assemble(
            self._client, settings=self._settings, found=found, **self._options
        )
        assert not self._assembly.broken, self._assembly.broken
        return self._assembly.app

    def tell_end(self) -> None:
        """Tell those who keep a request open that it ends."""
        self._server.call(self._assembly.main.ending.set)

    def stop(self) -> None:
        self.tell_end()
        self._server.stop()


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
