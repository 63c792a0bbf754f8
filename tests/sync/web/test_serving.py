"""Over real HTTP: alone where the seed's callers expect it, live, and ended when nobody waits."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import httpx
import pytest

import leasehold as lh
from leasehold_sync import tasks
from leasehold_sync.web import ALIASES, application
from tests.kit.serving import Serving, serving
from tests.sync.web.kit import APP, events
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from leasehold_sync.servers import StripeServer

pytestmark = pytest.mark.usefixtures("app")
FULL = {"app_key": APP, "mode": "full"}
WAIT_SECONDS = 30


@pytest.fixture
def served(queue: lh.Client) -> Iterator[Serving]:
    with serving(queue, application(), aliases=ALIASES) as served:
        yield served


@pytest.fixture
def http(served: Serving) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=served.address, timeout=WAIT_SECONDS) as http:
        yield http


@pytest.fixture
def gate(server: StripeServer) -> Iterator[Callable[[], None]]:
    """Lets one page of customers through at a time."""
    pages = threading.Semaphore(0)

    def wait(request: Any) -> None:
        if request.path == "/v1/customers":
            pages.acquire(timeout=WAIT_SECONDS)

    server.on_request = wait
    yield pages.release
    pages.release(1_000)


def test_alone_it_answers_where_the_seeds_callers_expect_it(http: httpx.Client) -> None:
    started = http.post("/sync", json=FULL)
    assert (started.status_code, started.json()["total_tasks"]) == (202, 2)
    report = http.post("/worker", json={"job_id": started.json()["job_id"]}).json()
    assert (report["tasks_processed"], report["jobs_completed"]) == (2, 1)
    assert http.get(f"/sync/jobs/{started.json()['job_id']}").json()["status"] == "completed"
    assert http.post("/sync/worker").status_code == 200
    assert http.get("/sync/ui/").status_code == 200
    assert http.get("/sync/openapi.json").json()["info"]["title"] == "leasehold-sync"


def test_each_page_is_told_until_the_end(
    http: httpx.Client, queue: lh.Client, gate: Callable[[], None]
) -> None:
    wanted = FULL | {"resource_types": ["customers"]}
    job_id = http.post("/sync", json=wanted).json()["job_id"]
    with http.stream("GET", f"/sync/jobs/{job_id}/events") as stream:
        told = events(stream.iter_lines())
        assert next(told)[1]["status"] == "pending"
        with lh.Worker(queue, tasks, slots=1, grace="2s"):
            for count in (100, 200):
                gate()
                until(told, "progress", processed_entities=count, status="processing")
            gate()
            until(told, "end", processed_entities=250, status="completed")
        assert list(told) == []


def until(told: Iterator[tuple[str, Any]], name: str, **wanted: Any) -> None:
    """Wait for an event that says this."""
    for heard, data in told:
        if heard == name and wanted.items() <= data.items():
            return
    raise AssertionError(f"it ended before {wanted}")


def test_a_run_ends_with_its_caller_and_loses_nothing(
    http: httpx.Client, served: Serving, server: StripeServer, gate: Callable[..., None]
) -> None:
    job_id = http.post("/sync", json=FULL).json()["job_id"]
    leave(http, served, gate, "/worker", {"job_id": job_id})
    http.post("/worker", json={"job_id": job_id})
    found = http.get(f"/sync/jobs/{job_id}").json()
    assert (found["status"], found["processed_entities"]) == ("completed", 280)
    assert server.count("GET /v1/customers") <= 4  # at most one page was read twice


def test_an_immediate_sync_ends_with_its_caller(
    http: httpx.Client, served: Serving, gate: Callable[..., None]
) -> None:
    wanted = FULL | {"immediate": True}
    leave(http, served, gate, "/sync", wanted)
    done = http.post("/sync", json=wanted).json()
    assert (done["status"], done["results"][0]["entity_count"]) == ("completed", 250)


def leave(
    http: httpx.Client, served: Serving, gate: Callable[..., None], path: str, body: Any
) -> None:
    """Ask for something and go away before it is done; returns when it has ended."""
    gate()
    is_told = note_stops(served)
    with pytest.raises(httpx.ReadTimeout):
        http.post(path, json=body, timeout=2)
    assert is_told.wait(WAIT_SECONDS)  # else it may be at the next page before it is told
    gate()
    wait_until(lambda: len(served.state.hub.runs) == 0, "the run has ended")
    gate(10)


def note_stops(served: Serving) -> threading.Event:
    """Say when a run is told to stop."""
    runs, is_told = served.state.hub.runs, threading.Event()
    run = runs.run

    async def noted(request: Any, work: Any, stop: Callable[[], None], **named: Any) -> Any:
        def stop_and_tell() -> None:
            stop()
            is_told.set()

        return await run(request, work, stop_and_tell, **named)

    runs.run = noted
    return is_told


def test_a_running_sync_is_cancelled_at_a_page_and_keeps_what_it_has(
    http: httpx.Client, queue: lh.Client, server: StripeServer
) -> None:
    server.insert("customers", count=5_000)
    server.delay(0.1)
    wanted = FULL | {"resource_types": ["customers"]}
    path = f"/sync/jobs/{http.post('/sync', json=wanted).json()['job_id']}"

    def task() -> dict[str, Any]:
        return dict(http.get(path).json()["tasks"][0])

    with lh.Worker(queue, tasks, slots=1, grace="2s"):
        wait_until(lambda: task()["entity_count"] >= 100, "a page is stored")
        assert http.post(f"{path}/cancel").json()["status"] == "cancelled"
        wait_until(lambda: task()["status"] == "cancelled", "it stops")
    assert 100 <= task()["entity_count"] < 5_250
    assert http.post(f"{path}/cancel").json() == http.get(path).json()


def test_as_many_runs_as_may_be_are_not_exceeded(
    http: httpx.Client, served: Serving, monkeypatch: pytest.MonkeyPatch, gate: Callable[[], None]
) -> None:
    monkeypatch.setattr("leasehold_sync.web.hub.MOST_RUNS", 1)
    http.post("/sync", json=FULL)
    first = threading.Thread(target=httpx.post, args=(f"{served.address}/worker",))
    first.start()
    wait_until(lambda: len(served.state.hub.runs) == 1, "a run is under way")
    second = http.post("/worker")
    assert (second.status_code, second.headers["retry-after"]) == (429, "5")
    assert second.json()["type"].endswith(":too-many-runs")
    for _ in range(5):
        gate()
    first.join(WAIT_SECONDS)
    assert not first.is_alive()
