"""Takes the pictures of docs/images, of whatever is served, in a real browser."""

from __future__ import annotations

from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, Addressed, Visit, visiting

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
_IMAGES = ROOT / "docs" / "images"
_VIEW = {"width": 1280, "height": 800}
LIGHT: dict[str, Any] = {"color_scheme": "light"}
DARK: dict[str, Any] = {"color_scheme": "dark"}
SHARP: dict[str, Any] = {"device_scale_factor": 2}
ON_PHONE: dict[str, Any] = {"viewport": PHONE, **SHARP}


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser; without one the program ends and says how to get it."""
    path = find_chromium()
    if path is None:
        raise SystemExit(HOW_TO_GET)
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        yield browser


class Camera:
    """Takes pictures of one service; their names begin alike."""

    def __init__(
        self,
        browser: Browser,
        served: Addressed,
        prefix: str,
        *,
        wait: Callable[[Visit], None] = lambda _visit: None,
    ) -> None:
        self._browser = browser
        self._served = served
        self._prefix = prefix
        self._wait = wait

    def take(self, name: str, *paths: str, **options: Any) -> None:
        """Go from page to page, and take a picture of the last one."""
        with visiting(self._browser, self._served, **({"viewport": _VIEW} | options)) as visit:
            for path in paths:
                visit.open(path)
            self._wait(visit)
            visit.page.evaluate("document.fonts.ready.then(() => true)")
            target = _IMAGES / f"{self._prefix}-{name}.png"
            visit.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")
