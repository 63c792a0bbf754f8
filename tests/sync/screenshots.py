"""Takes the pictures of sync's pages in docs/images: `python -m tests.sync.screenshots`.

They show the real service with the demo, in a process of its own.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

from tests.browser.camera import DARK, LIGHT, ON_PHONE, SHARP, Camera, browsing
from tests.sync.demo.service import Shown, showing
from tests.worker.kit import wait_until


def main() -> None:
    with (
        TemporaryDirectory() as folder,
        showing(f"sqlite:///{folder}/sync.db", Path(folder)) as shown,
        browsing() as browser,
    ):
        shown.wait()
        wait_until(lambda: shown.job("notes")["processed_entities"] > 800, "the notes move", 60)
        _take_all(Camera(browser, shown.service, "sync"), shown)
        shown.service.end()


def _take_all(camera: Camera, shown: Shown) -> None:
    english = {"locale": "en-GB"}
    camera.take("apps-light", "/sync/ui/", **english, **LIGHT, **SHARP)
    camera.take("moving-dark", _page(shown, "notes"), **english, **DARK)
    camera.take("limited-light", _page(shown, "helpdesk"), **english, **LIGHT)
    camera.take("failed-dark", _page(shown, "old_shop"), **english, **DARK)
    camera.take("entities-light", "/sync/ui/entities", **english, **LIGHT)
    camera.take("phone-dark", _page(shown, "helpdesk"), **english, **DARK, **ON_PHONE)


def _page(shown: Shown, app_key: str) -> str:
    return shown.path(app_key).replace("/sync/jobs/", "/sync/ui/jobs/")


if __name__ == "__main__":
    main()
