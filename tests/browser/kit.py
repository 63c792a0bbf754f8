"""A served dashboard, and a page that notices whatever a page must never do."""

from __future__ import annotations

from contextlib import closing, contextmanager
from typing import TYPE_CHECKING, Any, Protocol

from leasehold.web import WebSettings, create_app
from tests.kit.thread_server import ThreadServer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from playwright.sync_api import Browser, ConsoleMessage, Page

    from leasehold.client import Client

WIDE, PHONE = {"width": 1280, "height": 860}, {"width": 390, "height": 844}
# htmx says so on the console when a page is left while it is being brought up to date.
_LEFT = ("htmx:afterRequest", "htmx:sendAbort", "htmx:sendError", "ERR_", "Failed to load resource")
_WATCH = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective + " " + event.blockedURI + " " + event.sample);
});
"""


class Addressed(Protocol):
    """Whatever is served."""

    @property
    def address(self) -> str: ...


class Served:
    """A dashboard that is served from a thread; it can be ended and begun again on its port."""

    def __init__(self, client: Client, settings: WebSettings) -> None:
        self._client = client
        self._settings = settings
        self._server = ThreadServer()
        self.start()

    @property
    def address(self) -> str:
        return self._server.address

    def start(self) -> None:
        self._app = create_app(self._client, settings=self._settings)
        self._server.start(lambda: self._app)

    def stop(self) -> None:
        self._server.call(self._app.state.site.ending.set)
        self._server.stop()


@contextmanager
def serve(client: Client, settings: WebSettings | None = None) -> Iterator[Served]:
    """Serve the dashboard of a store."""
    served = Served(client, settings or WebSettings())
    try:
        yield served
    finally:
        served.stop()


class Visit:
    """One page of a browser. Everything odd that happens on it is kept."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.odd: list[str] = []
        page.add_init_script(_WATCH)
        page.on("dialog", lambda dialog: self._note(f"dialog {dialog.message}", dialog))
        page.on("pageerror", lambda error: self._note(f"error {error}"))
        page.on("console", self._hear)

    def _hear(self, message: ConsoleMessage) -> None:
        is_left = any(word in message.text for word in _LEFT)
        if message.type in {"error", "warning"} and not is_left:
            self._note(f"console {message.text}")

    def _note(self, text: str, dialog: Any = None) -> None:
        self.odd.append(text)
        if dialog is not None:
            dialog.dismiss()

    def open(self, path: str) -> None:
        """Go there; what the page before did is looked at first."""
        self.check()
        self.page.goto(self.address + path, wait_until="load")

    def check(self) -> None:
        """Nothing ran that should not, and nothing was refused by the policy."""
        if self.page.url.startswith("http"):
            assert self.page.evaluate("window.violations") == []
            assert self.page.evaluate("window.hit ?? null") is None, "a job's script ran"
        assert self.odd == []

    def wait_live(self) -> None:
        """Wait until the stream is open."""
        self.page.wait_for_selector('#pulse[data-state="live"]')

    def is_wide(self) -> bool:
        """Whether something on it is wider than the screen."""
        found: bool = self.page.evaluate(
            "document.scrollingElement.scrollWidth > document.documentElement.clientWidth + 1"
        )
        return found


@contextmanager
def visiting(browser: Browser, served: Addressed, **options: Any) -> Iterator[Visit]:
    """Open a page in a context of its own; at the end it has to have been good."""
    options.setdefault("viewport", WIDE)
    with closing(browser.new_context(**options)) as context:
        visit = Visit(context.new_page(), served.address)
        yield visit
        visit.check()
