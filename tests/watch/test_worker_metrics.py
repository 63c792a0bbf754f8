"""The metrics of a worker's process, scraped over HTTP and read by Prometheus's own parsers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx
import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_open_metrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

import leasehold as lh
from leasehold.metrics import Metrics, served
from tests.worker.kit import drain, new_worker, wait_until

if TYPE_CHECKING:
    from leasehold.client import Client

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


@lh.task(name="fine", queue="mail")
async def fine(n: int) -> None: ...


@lh.task(name="bad", max_attempts=1)
def bad(n: int) -> None:
    raise ValueError(n)


def scrape(port: int, accept: str = "text/plain") -> dict[str, float]:
    """Return the samples by name and labels."""
    headers = {"Accept": accept}
    text = httpx.get(f"http://127.0.0.1:{port}/metrics", headers=headers, trust_env=False).text
    parse = parse_open_metrics if accept == OPEN_METRICS else parse_text
    samples = {}
    for family in parse(text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            samples[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return samples


@pytest.mark.parametrize("accept", ["text/plain", OPEN_METRICS])
def test_what_a_worker_did_is_scraped(client: Client, accept: str) -> None:
    client.enqueue_many(fine.call(n) for n in range(30))
    client.enqueue_many(bad.call(n) for n in range(3))
    metrics = Metrics()
    drain(client, fine, bad, observers=[metrics])
    metrics.reclaimed(2, 1)
    with served(metrics, port=0) as port:
        seen = scrape(port, accept)
    prefix = "leasehold_worker_"
    assert seen[prefix + "attempts_total{kind=fine,outcome=succeeded,queue=mail}"] == 30
    assert seen[prefix + "attempts_total{kind=bad,outcome=dead,queue=default}"] == 3
    assert seen[prefix + "attempt_seconds_count{kind=fine,queue=mail}"] == 30
    assert seen[prefix + "attempt_seconds_bucket{kind=bad,le=+Inf,queue=default}"] == 3
    assert seen[prefix + "claim_jobs_sum"] == 33
    assert seen[prefix + "claim_seconds_count"] == seen[prefix + "claim_jobs_count"] >= 1
    assert seen[prefix + "leases_reclaimed_total"] == 2
    assert seen[prefix + "reclaimed_dead_total"] == 1
    assert seen[prefix + "lease_losses_total"] == 0
    assert seen[prefix + "slots"] == seen[prefix + "running"] == 0  # it has ended


def test_a_running_worker_shows_its_slots_its_pool_and_its_loops_lag(client: Client) -> None:
    metrics = Metrics()
    with (
        served(metrics, port=0) as port,
        new_worker(client, [fine], observers=[metrics], slots=3),
        new_worker(client, [fine], observers=[metrics], slots=4),
    ):
        seen = scrape(port)
        assert seen["leasehold_worker_slots"] == 7
        assert seen["leasehold_worker_pool_connections{state=in_use}"] >= 0
        assert "leasehold_worker_pool_connections{state=idle}" in seen
        wait_until(
            lambda: scrape(port)["leasehold_worker_loop_lag_seconds_count"] >= 2, "lags were told"
        )


def test_two_of_them_share_nothing(client: Client) -> None:
    first, second = Metrics(), Metrics()
    client.enqueue(fine, 1)
    drain(client, fine, observers=[first])
    with served(second, port=0) as port:
        assert scrape(port)["leasehold_worker_claim_jobs_count"] == 0


def test_a_port_that_is_taken_is_said(client: Client) -> None:
    with (
        served(Metrics(), port=0) as port,
        pytest.raises(lh.BadOption, match=f"127.0.0.1:{port}"),
        served(Metrics(), port=port),
    ):
        pass
