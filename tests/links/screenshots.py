"""Takes the pictures of the library in docs/images: `python -m tests.links.screenshots`.

They show the real service with the demo, in a process of its own. Its folders have Korean names:
take them on a machine that has a font for those.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, visiting
from tests.links.demo.test_end_to_end import WORDS, Running
from tests.web.serving import Served, served

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
VIEW = {"width": 1280, "height": 800}
WAIT_SECONDS = 120.0
LINES = 60_000


def main() -> None:
    path = find_chromium()
    if path is None:
        raise SystemExit(HOW_TO_GET)
    with (
        TemporaryDirectory() as folder,
        served(f"sqlite:///{folder}/links.db", *WORDS, folder=Path(folder)) as service,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        running = Running(f"sqlite:///{folder}/links.db", service)
        with closing(running.database):
            _wait(running.has_ended, "the demo's links have ended")
            _take_all(browser, service)
        service.end()


def _take_all(browser: Browser, service: Served) -> None:
    sharp: dict[str, Any] = {"device_scale_factor": 2, "color_scheme": "light"}
    _take(browser, service, "library-light", "/links/", locale="en-GB", **sharp)
    _take(browser, service, "library-korean-dark", "/links/", locale="ko-KR", color_scheme="dark")
    _take(browser, service, "dead-light", "/links/dead", locale="en-GB", color_scheme="light")
    _take(browser, service, "domains-dark", "/links/domains", locale="en-GB", color_scheme="dark")
    found = service.http.get("/links/api/links", params={"q": "가을"}).json()["links"]
    path = f"/links/link/{found[0]['id']}"
    _take(browser, service, "link-light", path, locale="en-GB", color_scheme="light")
    phone: dict[str, Any] = {"viewport": PHONE, "device_scale_factor": 2, "color_scheme": "dark"}
    _take(browser, service, "phone-dark", "/links/", locale="ko-KR", **phone)
    _take(browser, service, "import-dark", _import_many(service), color_scheme="dark")


def _import_many(service: Served) -> str:
    """Begin an import that takes some seconds; returns its page, once its bar has moved."""
    entries = "".join(
        f'<DT><A HREF="{"javascript" if number % 97 == 0 else "https"}'
        f'://site{number % 500}.example/{number}">Page {number}</A>\n'
        for number in range(LINES)
    )
    body = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>".encode()
    named = {"name": "bookmarks.html"}
    headers = {"Content-Type": "text/html"}
    answer = service.http.post("/links/api/imports", content=body, params=named, headers=headers)
    path = answer.headers["location"]
    _wait(
        lambda: service.http.get(path).json()["processed_items"] > LINES // 5, "the bar has moved"
    )
    return path.replace("/api", "")


def _take(browser: Browser, service: Served, name: str, path: str, **options: Any) -> None:
    with visiting(browser, service, **({"viewport": VIEW} | options)) as visit:
        visit.open(path)
        visit.page.evaluate("document.fonts.ready.then(() => true)")
        target = IMAGES / f"links-{name}.png"
        visit.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")


def _wait(condition: Any, what: str) -> None:
    deadline = time.monotonic() + WAIT_SECONDS
    while not condition():
        if time.monotonic() > deadline:
            raise SystemExit(f"waited in vain until {what}")
        time.sleep(0.1)


if __name__ == "__main__":
    main()
