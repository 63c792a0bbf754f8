"""Takes the pictures of documents' pages in docs/images: `python -m tests.documents.screenshots`.

They show the real service with the demo, in a process of its own.
"""

from __future__ import annotations

import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import httpx
import pytest

import leasehold as lh
from leasehold_documents.demo.papers import BAKERY, HOUSES
from leasehold_documents.settings import PREFIX
from tests.browser.camera import DARK, LIGHT, ON_PHONE, SHARP, Camera, browsing
from tests.web.serving import Served, served
from tests.worker.kit import wait_until

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
    with (
        TemporaryDirectory() as folder,
        pytest.MonkeyPatch.context() as patch,
        browsing() as browser,
    ):
        patch.setenv(f"{PREFIX}VAULT", f"{folder}/vault")
        lh.Keyring.generate().save(f"{folder}/keys.json")
        patch.setenv("LEASEHOLD_KEYS", f"{folder}/keys.json")
        with served(f"sqlite:///{folder}/documents.db", *WORDS, folder=Path(folder)) as service:
            shown = Shown(service)
            shown.wait()
            _take_all(Camera(browser, service, "documents"), shown)
            service.end()


def _take_all(camera: Camera, shown: Shown) -> None:
    german, english = {"locale": "de-DE"}, {"locale": "en-GB"}
    houses, bakery = (f"/documents/tenant?to={each}" for each in (shown.tenant, shown.bakery))
    contract = shown.paper("Mietvertrag Linden")
    camera.take("overview-light", houses, "/documents/", **german, **LIGHT, **SHARP)
    camera.take("papers-light", houses, "/documents/papers", **german, **LIGHT)
    camera.take("price-light", houses, shown.paper("Gutachten"), **german, **LIGHT)
    camera.take("paper-dark", houses, contract, **english, **DARK)
    camera.take("scan-light", houses, shown.paper("Scan"), **english, **LIGHT)
    camera.take("search-light", houses, "/documents/search?q=vertrag", **german, **LIGHT)
    camera.take("review-dark", houses, "/documents/review", **german, **DARK)
    camera.take("connectors-light", bakery, "/documents/connectors", **english, **LIGHT)
    camera.take("jobs-dark", houses, "/documents/jobs", **english, **DARK)
    camera.take("phone-dark", houses, contract, **german, **DARK, **ON_PHONE)


if __name__ == "__main__":
    main()
