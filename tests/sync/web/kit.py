"""The application as programs and people reach it, and a source of its own to sync from."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leasehold_sync.apps import save
from leasehold_sync.model.apps import App
from leasehold_sync.web import application
from tests.kit.asking import Asker, asking

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    import leasehold as lh
    from leasehold.kit.data import Database
    from leasehold.web import WebSettings
    from leasehold_sync.servers import StripeServer

PREFIX = "/sync"
KEY = "SYNC_TEST_KEY"
APP = "stripe_main"
RESOURCES = ("customers", "products")


def save_app(
    client: lh.Client,
    database: Database,
    server: StripeServer,
    monkeypatch: pytest.MonkeyPatch,
    app_key: str = APP,
    **fields: Any,
) -> App:
    """Tell of an app whose source is a server of ours."""
    monkeypatch.setenv(KEY, server.key)
    fields.setdefault("resources", RESOURCES)
    app = App(
        app_key=app_key,
        connector="stripe",
        credential=f"env:{KEY}",
        base_url=server.url,
        **fields,
    )
    save(client, database, app)
    return app


class SyncAsker(Asker):
    """Asks for syncs."""

    def start(self, app_key: str = APP, *, status: int = 202, **rest: Any) -> dict[str, Any]:
        wanted = {"app_key": app_key, "mode": "full", **rest}
        return dict(self.post("", wanted, status=status))

    def work(self, **rest: Any) -> dict[str, Any]:
        return dict(self.post("/worker", rest))

    def job(self, started: dict[str, Any]) -> dict[str, Any]:
        return dict(self.get(f"/jobs/{started['job_id']}"))

    def task(self, started: dict[str, Any], resource: str) -> dict[str, Any]:
        found = {each["resource_type"]: each for each in self.job(started)["tasks"]}
        return dict(found[resource])


@contextmanager
def serve_inside(client: lh.Client, settings: WebSettings | None = None) -> Iterator[SyncAsker]:
    """Serve it without a socket, in the service as it is."""
    with asking(client, application(), settings) as request:
        yield SyncAsker(request, client, PREFIX)


def events(lines: Iterator[str]) -> Iterator[tuple[str, Any]]:
    """Read the events of a stream."""
    name = ""
    for line in lines:
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))
