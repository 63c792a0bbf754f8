"""`GET /metrics` of the service, read by Prometheus's own parsers, on both stores."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from prometheus_client.openmetrics.parser import (
    text_string_to_metric_families as parse_open_metrics,
)
from prometheus_client.parser import text_string_to_metric_families as parse_text

import leasehold as lh
from leasehold.model.statistics import Counted
from leasehold.web import create_app
from leasehold.web.fleet import OTHER, FleetCollector, Names
from tests.worker.kit import new_worker, wait_until

if TYPE_CHECKING:
    import httpx

    from leasehold.client import Client
    from tests.web.kit import Service

OPEN_METRICS = "application/openmetrics-text; version=1.0.0"


@lh.task(name="fine", queue="mail")
async def fine(n: int) -> None: ...


def read(answer: httpx.Response) -> dict[str, float]:
    """Return the samples by name and labels."""
    assert answer.status_code == 200
    is_open = answer.headers["content-type"].startswith("application/openmetrics-text")
    parse = parse_open_metrics if is_open else parse_text
    samples = {}
    for family in parse(answer.text):
        for sample in family.samples:
            labels = ",".join(f"{name}={value}" for name, value in sorted(sample.labels.items()))
            samples[f"{sample.name}{{{labels}}}" if labels else sample.name] = sample.value
    return samples


@pytest.mark.parametrize("accept", ["text/plain", OPEN_METRICS])
def test_the_queue_and_what_became_of_jobs_are_scraped(
    client: Client, service: Service, accept: str
) -> None:
    client.store.add_statistics(
        [
            Counted(queue="mail", kind="fine", fact="succeeded", count=20),
            Counted(queue="mail", kind="fine", fact="ran", bucket=-3, count=15, seconds=1.5),
            Counted(queue="mail", kind="fine", fact="ran", bucket=20, count=5, seconds=4e6),
            Counted(queue="default", kind="bad", fact="dead", count=3),
        ]
    )
    client.enqueue_many(fine.call(n) for n in range(5))
    client.enqueue(fine.with_options(delay="1h"), 1)
    seen = read(service.ask("GET", "/metrics", headers={"accept": accept}))
    assert seen["leasehold_up"] == 1
    assert seen["leasehold_jobs{queue=mail,state=ready}"] == 5
    assert seen["leasehold_jobs{queue=mail,state=scheduled}"] == 1
    assert seen["leasehold_oldest_ready_seconds{queue=mail}"] >= 0
    assert seen["leasehold_outcomes_total{kind=fine,outcome=succeeded,queue=mail}"] == 20
    assert seen["leasehold_outcomes_total{kind=bad,outcome=dead,queue=default}"] == 3
    assert seen["leasehold_run_seconds_count{kind=fine,queue=mail}"] == 20
    assert seen["leasehold_run_seconds_bucket{kind=fine,le=0.0625,queue=mail}"] == 0
    assert seen["leasehold_run_seconds_bucket{kind=fine,le=0.25,queue=mail}"] == 15
    assert seen["leasehold_run_seconds_bucket{kind=fine,le=+Inf,queue=mail}"] == 20
    assert seen["leasehold_run_seconds_sum{kind=fine,queue=mail}"] == 4000001.5
    assert seen["leasehold_workers"] == seen["leasehold_running"] == 0


def test_workers_of_the_fleet_and_of_this_process_are_scraped(client: Client) -> None:
    app = create_app(client)
    with new_worker(client, [fine], observers=[app.state.metrics], slots=7):
        client.enqueue(fine, 1)
        both = app.state.both_metrics
        wait_until(
            lambda: any(
                sample.name == "leasehold_worker_attempts_total" and sample.value == 1
                for family in both.collect()
                for sample in family.samples
            ),
            "this process's worker is seen",
        )
        found = {s.name: s.value for family in both.collect() for s in family.samples}
        assert found["leasehold_worker_slots"] == 7
    fleet = FleetCollector(client)
    assert {s.name: s.value for f in fleet.collect() for s in f.samples}["leasehold_slots"] == 0


def test_a_store_that_does_not_answer_is_said_and_the_rest_is_scraped() -> None:
    with lh.Client("sqlite:////nowhere/at/all.db") as client:
        found = {
            sample.name: sample.value
            for family in FleetCollector(client).collect()
            for sample in family.samples
        }
    assert found == {"leasehold_up": 0}


def test_label_sets_are_bounded_and_none_changes_its_name() -> None:
    names = Names(2)
    assert names.of("a", "x") == ("a", "x")
    assert names.of("b", "x") == ("b", "x")
    assert names.of("c", "x") == (OTHER, OTHER)
    assert names.of("a", "x") == ("a", "x")


def test_more_queues_than_are_shown_fall_together(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.web.fleet.MOST_QUEUES", 3)
    for number in range(5):
        client.enqueue(fine.with_options(queue=f'q{number}"}},\\ "'), number)
    jobs = {
        sample.labels["queue"]: sample.value
        for family in FleetCollector(client).collect()
        for sample in family.samples
        if sample.name == "leasehold_jobs" and sample.labels["state"] == "ready"
    }
    assert len(jobs) == 4
    assert jobs[OTHER] == 2
