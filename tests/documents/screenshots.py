"""Takes the pictures of documents' pages in docs/images: `python -m tests.documents.screenshots`.

They show the real service with the demo, in a process of its own.
"""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import httpx
import pytest
from playwright.sync_api import sync_playwright

import leasehold as lh
from leasehold_documents.demo.papers import BAKERY, HOUSES
from leasehold_documents.settings import PREFIX
from tests.browser.chromium import ARGUMENTS, HOW_TO_GET, find_chromium
from tests.browser.kit import PHONE, visiting
from tests.web.serving import Served, served
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from playwright.sync_api import Browser

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
VIEW = {"width": 1280, "height": 800}
WORDS = (
    *("--app", "leasehold_documents.web:application"),
    *("--app", "leasehold_documents.demo:application"),
    *("--migrate", "--log-level", "error"),
)
PATIENCE_SECONDS = 60.0


class Shown:
    """A service with the demo, seen from its larger organization."""

    def __init__(self, service: Served) -> None:
        self.service = service
        self._http = httpx.Client(base_url=f"{service.address}/documents/api", timeout=30)
        self.tenant = self.bakery = ""

    def wait(self) -> None:
        """Wait until there is something to see of each kind."""
        wait_until(self._is_ready, "the demo shows all that it has", PATIENCE_SECONDS)

    def paper(self, part: str) -> str:
        """Return the page of a paper whose name has this in it."""
        return f"/documents/papers/{self._papers(name=part)[0]['id']}"

    def _is_ready(self) -> bool:
        found = self._http.get("/me").json()
        known = {each["name"]: each["tenant_id"] for each in found.get("organizations", [])}
        if HOUSES not in known:
            return False
        self.tenant = known[HOUSES]
        states = {(each["extraction"] or {}).get("status") for each in self._papers()}
        is_still = not states & {"queued", "running"}
        is_whole = {"done", "failed", "awaiting_consent", None} <= states
        return is_still and is_whole and self._has_drive(known[BAKERY])

    def _has_drive(self, tenant: str) -> bool:
        self.bakery = tenant
        answer = self._http.get("/connectors", headers={"x-tenant": tenant})
        return bool(answer.json()["connectors"])

    def _papers(self, **wanted: Any) -> list[dict[str, Any]]:
        headers = {"x-tenant": self.tenant}
        answer = self._http.get("/documents", params=wanted, headers=headers)
        found: list[dict[str, Any]] = json.loads(answer.text)["documents"]
        return found


def main() -> None:
    path = find_chromium()
    if path is None:
        raise SystemExit(HOW_TO_GET)
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=path, args=list(ARGUMENTS))) as browser,
    ):
        patch.setenv(f"{PREFIX}VAULT", f"{folder}/vault")
        lh.Keyring.generate().save(f"{folder}/keys.json")
        patch.setenv("LEASEHOLD_KEYS", f"{folder}/keys.json")
        with served(f"sqlite:///{folder}/documents.db", *WORDS, folder=Path(folder)) as service:
            shown = Shown(service)
            shown.wait()
            _take_all(browser, shown)
            service.end()


def _take_all(browser: Browser, shown: Shown) -> None:
    german, english = {"locale": "de-DE"}, {"locale": "en-GB"}
    light, dark = {"color_scheme": "light"}, {"color_scheme": "dark"}
    sharp = {"device_scale_factor": 2}
    _take(browser, shown, "overview-light", "/documents/", **german, **light, **sharp)
    _take(browser, shown, "papers-light", "/documents/papers", **german, **light)
    _take(browser, shown, "price-light", shown.paper("Gutachten"), **german, **light)
    _take(browser, shown, "paper-dark", shown.paper("Mietvertrag Linden"), **english, **dark)
    _take(browser, shown, "scan-light", shown.paper("Scan"), **english, **light)
    _take(browser, shown, "search-light", "/documents/search?q=vertrag", **german, **light)
    _take(browser, shown, "review-dark", "/documents/review", **german, **dark)
    drives = {"tenant": shown.bakery, **english, **light}
    _take(browser, shown, "connectors-light", "/documents/connectors", **drives)
    _take(browser, shown, "jobs-dark", "/documents/jobs", **english, **dark)
    phone: dict[str, Any] = {"viewport": PHONE, **sharp, **dark, **german}
    _take(browser, shown, "phone-dark", shown.paper("Mietvertrag Linden"), **phone)


def _take(browser: Browser, shown: Shown, name: str, path: str, **options: Any) -> None:
    tenant = options.pop("tenant", shown.tenant)
    with visiting(browser, shown.service, **({"viewport": VIEW} | options)) as visit:
        visit.open(f"/documents/tenant?to={tenant}")
        visit.open(path)
        visit.page.evaluate("document.fonts.ready.then(() => true)")
        target = IMAGES / f"documents-{name}.png"
        visit.page.screenshot(path=target)
        print(f"{target.relative_to(ROOT)}: {target.stat().st_size // 1024} kB")


if __name__ == "__main__":
    main()
