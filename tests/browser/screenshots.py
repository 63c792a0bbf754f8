"""Takes the pictures of docs/images: `python -m tests.browser.screenshots`, or `make screenshots`.

They show the real pages of a real store, filled by tests/browser/scenery.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from playwright.sync_api import sync_playwright

from leasehold.client import Client
from leasehold.worker import Worker
from tests.browser import scenery, shop
from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, Served, Visit, serve, visiting
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
        Client(f"sqlite:///{folder}/shop.db") as client,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        client.store.migrate()
        scenery.furnish(client)
        scenery.write_history(client, f"{folder}/shop.db")
        _forget_paths(f"{folder}/shop.db")
        with Worker(client, shop.TASKS, slots=8, name="web-1", grace="2s"), serve(client) as served:
            wait_until(lambda: len(client.find(state="running")) == 2, "the imports run")
            _take_all(browser, served, client)


def _take_all(browser: Browser, served: Served, client: Client) -> None:
    (dead, *_) = client.find(state="dead", kind="shop.extract")
    (flow,) = client.batches.list(name="warehouse")
    sharp: dict[str, Any] = {"device_scale_factor": 2}
    _take(browser, served, "overview-light", "/?window=1h", color_scheme="light", **sharp)
    _take(browser, served, "overview-dark", "/?window=1h", color_scheme="dark")
    _take(browser, served, "jobs-light", "/jobs", color_scheme="light")
    _take(browser, served, "job-dark", f"/jobs/{dead.id}", color_scheme="dark")
    _take(browser, served, "workflow-light", f"/batches/{flow.id}", color_scheme="light")
    _take(browser, served, "failures-dark", "/failures", color_scheme="dark")
    phone: dict[str, Any] = {"viewport": PHONE, **sharp}
    _take(browser, served, "phone-dark", "/?window=1h", color_scheme="dark", **phone)


def _take(browser: Browser, served: Served, name: str, path: str, **options: Any) -> None:
    with visiting(browser, served, **({"viewport": VIEW} | options)) as visit:
        visit.open(path)
        _wait_whole(visit)
        target = IMAGES / f"dashboard-{name}.png"
        visit.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")


def _wait_whole(visit: Visit) -> None:
    visit.wait_live()
    visit.page.evaluate("document.fonts.ready.then(() => true)")
    if visit.page.locator(".plot").count():
        visit.page.wait_for_selector("#plot-failures canvas")


def _forget_paths(path: str) -> None:
    """Take this machine's folders out of the tracebacks: the pictures are for everybody."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute(
            "UPDATE leasehold_outcome SET traceback = replace(traceback, ?, '')", (f"{ROOT}/",)
        )


if __name__ == "__main__":
    main()
