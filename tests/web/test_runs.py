"""`POST /worker`: jobs are worked off within a time, by as many runs as may be."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

from leasehold.model.states import State
from tests.web.serving import served
from tests.web.tasks import add, wait
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service


def test_a_run_works_off_what_is_ready_and_reports(service: Service, client: Client) -> None:
    for number in range(3):
        client.enqueue(add, number)
    report = service.post("/worker", {"budget": "20s"})
    assert (report["reason"], report["succeeded"]) == ("empty", 3)
    assert client.workers() == []


def test_a_run_may_be_of_one_batch(service: Service, client: Client) -> None:
    client.enqueue(add, 1)
    with client.batches.create() as batch:
        batch.add(add, 2)
    report = service.post("/worker", {"batch": str(batch.id), "max_jobs": 5})
    assert report["succeeded"] == 1
    assert client.batches.get(batch.id).status == "ended"
    assert len(client.find(state=State.QUEUED)) == 1


def test_a_run_ends_within_its_budget_and_hands_back(service: Service, client: Client) -> None:
    job = client.enqueue(wait)
    report = service.post("/worker", {"budget": 1.5})
    assert (report["reason"], report["released"]) == ("budget", 1)
    assert client.get(job.id).failures == 0


@pytest.mark.parametrize("budget", [0, -1, "16m", 901, "soon", True, None])
def test_a_budget_is_a_time_and_not_too_long(service: Service, budget: Any) -> None:
    assert service.refused(422, "POST", "/worker", json={"budget": budget})


def test_as_many_runs_as_may_be_run_at_once(store_url: str, client: Client) -> None:
    words = ("tests.web.tasks", "--no-worker", "--no-needs-worker")
    with served(store_url, *words) as service:
        job = client.enqueue(wait)
        first = threading.Thread(target=service.http.post, args=("/worker",))
        first.start()
        wait_until(lambda: client.get(job.id).state is State.RUNNING, "the first one runs")
        second = service.http.post("/worker")
        assert (second.status_code, second.headers["retry-after"]) == (429, "5")
        assert second.json()["type"] == "urn:leasehold:problem:too-many-runs"
        client.cancel(job.id)
        first.join(20)
        assert service.http.post("/worker").status_code == 200


def test_a_caller_that_goes_away_ends_its_run(store_url: str, client: Client) -> None:
    words = ("tests.web.tasks", "--no-worker", "--no-needs-worker")
    with served(store_url, *words) as service:
        job = client.enqueue(wait)
        with pytest.raises(httpx.ReadTimeout):
            service.http.post("/worker", json={"budget": 60}, timeout=3)
        wait_until(lambda: client.get(job.id).state is State.QUEUED, "the job was handed back")
        assert client.get(job.id).failures == 0
        wait_until(lambda: client.workers() == [], "the run has ended")
        client.cancel(job.id)
        assert service.http.post("/worker", json={"budget": 5}).status_code == 200
