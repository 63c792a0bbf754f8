"""Takes the pictures of docs/images: `python -m tests.browser.screenshots`, or `make screenshots`.

They show the real pages of a real store, filled by tests/browser/scenery.py.
"""

from __future__ import annotations

import sqlite3
from contextlib import closing
from tempfile import TemporaryDirectory

from leasehold.client import Client
from leasehold.worker import Worker
from tests.browser import scenery, shop
from tests.browser.camera import DARK, LIGHT, ON_PHONE, ROOT, SHARP, Camera, browsing
from tests.browser.kit import Visit, serve
from tests.worker.kit import wait_until


def main() -> None:
    with (
        TemporaryDirectory() as folder,
        Client(f"sqlite:///{folder}/shop.db") as client,
        browsing() as browser,
    ):
        client.store.migrate()
        scenery.furnish(client)
        scenery.write_history(client, f"{folder}/shop.db")
        _forget_paths(f"{folder}/shop.db")
        with Worker(client, shop.TASKS, slots=8, name="web-1", grace="2s"), serve(client) as served:
            wait_until(lambda: len(client.find(state="running")) == 2, "the imports run")
            _take_all(Camera(browser, served, "dashboard", wait=_wait_whole), client)


def _take_all(camera: Camera, client: Client) -> None:
    (dead, *_) = client.find(state="dead", kind="shop.extract")
    (flow,) = client.batches.list(name="warehouse")
    camera.take("overview-light", "/?window=1h", **LIGHT, **SHARP)
    camera.take("overview-dark", "/?window=1h", **DARK)
    camera.take("jobs-light", "/jobs", **LIGHT)
    camera.take("job-dark", f"/jobs/{dead.id}", **DARK)
    camera.take("workflow-light", f"/batches/{flow.id}", **LIGHT)
    camera.take("failures-dark", "/failures", **DARK)
    camera.take("phone-dark", "/?window=1h", **DARK, **ON_PHONE)


def _wait_whole(visit: Visit) -> None:
    visit.wait_live()
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
