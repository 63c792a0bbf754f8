"""`leasehold.web.serve`: an application served by a program of its own."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from leasehold import web
from leasehold.alerting import read_config
from leasehold.errors import BadOption
from leasehold.web import Application
from leasehold.web.serving import Running
from tests.web.own_tables import make_app
from tests.web.tasks import add
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.client import Client

EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is refused


def fail(_client: Client) -> Any:
    raise RuntimeError("no ink")


APPLICATIONS = (
    Application(name="sums", title="Sums", make_app=make_app, tasks=[add]),
    Application(name="bad", title="Bad", make_app=fail),
)


@pytest.fixture
def ending(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """End what is served, as a signal would: a thread gets none."""
    made: list[Running] = []
    begin = Running.__init__

    def keep(self: Running, *given: Any, **named: Any) -> None:
        begin(self, *given, **named)
        made.append(self)

    monkeypatch.setattr(Running, "__init__", keep)

    def end() -> None:
        made[0].end()

    return end


def test_it_serves_runs_jobs_and_ends(client: Client, ending: Callable[[], None]) -> None:
    told: list[tuple[str, dict[str, str]]] = []
    begun = threading.Event()

    def on_start(address: str, broken: dict[str, str]) -> None:
        told.append((address, broken))
        begun.set()

    thread = threading.Thread(
        target=web.serve,
        args=(client, APPLICATIONS),
        kwargs={"port": 0, "migrate": True, "on_start": on_start, "slots": 2}
        | {"alerts": read_config("alerts.depth.above = 0\nalerts.every = 1")},
    )
    thread.start()
    assert begun.wait(30)
    ((address, broken),) = told
    assert "no ink" in broken["bad"]
    with httpx.Client(base_url=address, timeout=30) as http:
        assert http.get("/sums").status_code == 404  # the application's own
        assert http.get("/bad").status_code == 503
        job = http.post("/api/jobs", json={"kind": "web.add", "args": {"left": 3}}).json()
        assert client.wait(job["id"], 30) == 4
        client.enqueue(add.with_options(queue="nobody's"), 1)
        wait_until(lambda: bool(client.alerts.list(firing=True)), "the alert of a depth")
    ending()
    thread.join(30)
    assert not thread.is_alive()
    assert client.workers() == []


@pytest.mark.parametrize("auth", ["auto", "off"])
def test_it_is_not_reached_by_others_while_nobody_is_asked(client: Client, auth: Any) -> None:
    with pytest.raises(BadOption, match="can be reached by others"):
        web.serve(client, APPLICATIONS, host=EVERYWHERE, port=0, auth=auth)
