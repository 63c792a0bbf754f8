"""The service watches: for alerts, also when no worker is there to do it, and it shows metrics."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold.client import Client
from tests.web.serving import served
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from pathlib import Path


def test_a_silent_fleet_and_a_deep_queue_are_noticed_by_the_service(
    store_url: str, tmp_path: Path
) -> None:
    config = tmp_path / "alerts.toml"
    config.write_text('[alerts]\nevery = "1s"\nsilent = { above = "1s" }\ndepth = { above = 2 }\n')
    with served(store_url, "--no-worker", "--alerts", str(config)) as service:
        for _ in range(3):
            service.http.post("/api/jobs", json={"kind": "web.add", "args": {}})

        def scraped() -> str:
            return service.http.get("/metrics").text

        wait_until(lambda: 'alert_firing{name="silent",subject=""} 1' in scraped(), "it is silent")
        deep = 'alert_firing{name="depth",subject="default"} 1'
        wait_until(lambda: deep in scraped(), "it is deep")
        assert 'leasehold_jobs{queue="default",state="ready"} 3' in scraped()
        code, _, log = service.end()
    assert code == 0
    assert log.count("alert firing") == 2


def test_an_embedded_worker_is_in_the_services_metrics(store_url: str) -> None:
    with served(store_url, "tests.web.tasks") as service:
        service.http.post("/api/jobs", json={"kind": "web.add", "args": {"left": 1}})
        counted = 'leasehold_worker_attempts_total{kind="web.add",outcome="succeeded"'
        wait_until(lambda: counted in service.http.get("/metrics").text, "the worker is seen")
    with Client(store_url) as client:
        assert client.alerts.list() == []
