"""Takes the pictures of the memory's pages in docs/images: `python -m tests.memory.screenshots`.

They show the real service with the demo, in a process of its own. Half of what is said there is
Japanese: take them on a machine that has a font for it.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, visiting
from tests.memory.demo.service import Shown, showing

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
        showing(Path(folder)) as shown,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        shown.wait()
        _take_all(browser, shown)
        shown.service.end()


def _take_all(browser: Browser, shown: Shown) -> None:
    light, dark = {"color_scheme": "light"}, {"color_scheme": "dark"}
    japanese, english = {"locale": "ja-JP"}, {"locale": "en-GB"}
    moved = next(each for each in shown.units(kind="fact", state="closed"))
    _take(browser, shown, "chat-japanese-light", "/", **japanese, **light, device_scale_factor=2)
    _take(browser, shown, "chat-dark", "/", **english, **dark)
    _take(browser, shown, "memories-light", "/memories?kind=fact", **english, **light)
    _take(browser, shown, "unit-light", f"/memories/{moved['id']}", **english, **light)
    _take(browser, shown, "people-japanese-dark", "/people", **japanese, **dark)
    phone: dict[str, Any] = {"viewport": PHONE, "device_scale_factor": 2}
    _take(browser, shown, "phone-japanese-dark", "/memories", **japanese, **dark, **phone)


def _take(browser: Browser, shown: Shown, name: str, path: str, **options: Any) -> None:
    with visiting(browser, shown.service, **({"viewport": VIEW} | options)) as visit:
        visit.open(f"/memory{path}")
        visit.page.evaluate("document.fonts.ready.then(() => true)")
        target = IMAGES / f"memory-{name}.png"
        visit.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
