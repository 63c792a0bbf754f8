"""Takes the pictures of sync's pages in docs/images: `python -m tests.sync.screenshots`.

They show the real service with the demo, in a process of its own.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, visiting
from tests.sync.demo.service import Shown, showing
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
VIEW = {"width": 1280, "height": 800}


def main() -> None:
    path = find_chromium()
    if path is None:
        raise SystemExit(HOW_TO_GET)
    with (
        TemporaryDirectory() as folder,
        showing(f"sqlite:///{folder}/sync.db", Path(folder)) as shown,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        shown.wait()
        wait_until(lambda: shown.job("notes")["processed_entities"] > 800, "the notes move", 60)
        _take_all(browser, shown)
        shown.service.end()


def _take_all(browser: Browser, shown: Shown) -> None:
    sharp = {"device_scale_factor": 2}
    light, dark = {"color_scheme": "light"}, {"color_scheme": "dark"}
    _take(browser, shown, "apps-light", "/sync/ui/", **light, **sharp)
    _take(browser, shown, "moving-dark", _page(shown, "notes"), **dark)
    _take(browser, shown, "limited-light", _page(shown, "helpdesk"), **light)
    _take(browser, shown, "failed-dark", _page(shown, "old_shop"), **dark)
    _take(browser, shown, "entities-light", "/sync/ui/entities", **light)
    phone: dict[str, Any] = {"viewport": PHONE, **sharp, **dark}
    _take(browser, shown, "phone-dark", _page(shown, "helpdesk"), **phone)


def _page(shown: Shown, app_key: str) -> str:
    return shown.path(app_key).replace("/sync/jobs/", "/sync/ui/jobs/")


def _take(browser: Browser, shown: Shown, name: str, path: str, **options: Any) -> None:
    with visiting(browser, shown.service, **({"viewport": VIEW, "locale": "en-GB"} | options)) as v:
        v.open(path)
        v.page.evaluate("document.fonts.ready.then(() => true)")
        target = IMAGES / f"sync-{name}.png"
        v.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
