"""Jobs over HTTP: the same promises as the client's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold.model.states import State
from leasehold.worker import Worker
from tests.web.tasks import REGISTRY

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service

NOBODY = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"
ODD = [
    {"text": "\x00"},
    {"text": "\ud800"},
    {"number": 2**64},
    {"deep": [[[]]] * 3},
    {"left": "one"},
    {"left": 1, "unknown": 2},
]


def work_off(client: Client) -> None:
    Worker(client, REGISTRY).run(until_empty=True)


def test_a_job_that_was_accepted_is_in_the_store(service: Service, client: Client) -> None:
    answer = service.ask("POST", "/api/jobs", json={"kind": "web.add", "args": {"left": 2}})
    assert answer.status_code == 201
    job_id = answer.json()["id"]
    assert answer.headers["location"] == f"/api/jobs/{job_id}"
    job = client.get(job_id)
    assert (job.kind, job.args, job.queue) == ("web.add", {"left": 2}, "sums")


def test_options_travel_with_the_job(service: Service, client: Client) -> None:
    parent = service.enqueue()
    words: dict[str, Any] = {
        "queue": "other",
        "priority": 7,
        "max_attempts": 2,
        "timeout": "90s",
        "delay": 3600,
        "tenant": "acme",
        "created_by": "ada",
        "key": "k:1",
        "unique_for": "ever",
        "throttle": "domain:example.org",
        "share": "user:7",
        "cost": 2.5,
    }
    job = client.get(service.enqueue(**words))
    assert (job.queue, job.priority, job.max_attempts, job.timeout_seconds) == ("other", 7, 2, 90.0)
    assert (job.tenant, job.created_by, job.key) == ("acme", "ada", "k:1")
    assert (job.lane, job.share, job.cost) == ("domain:example.org", "user:7", 2.5)
    later = client.get(service.enqueue(after=[parent], run_at="2030-01-31T08:00:00+01:00"))
    assert later.state is State.BLOCKED
    assert later.needs is not None


def test_the_same_call_under_the_same_id_is_the_same_job(service: Service) -> None:
    document = {"kind": "web.add", "args": {"left": 2}, "id": str(uuid4())}
    assert service.post("/api/jobs", document, status=201)["is_new"] is True
    assert service.post("/api/jobs", document, status=200)["is_new"] is False
    document["args"] = {"left": 3}
    problem = service.refused(409, "POST", "/api/jobs", json=document)
    assert problem["type"] == "urn:leasehold:problem:id-conflict"
    assert problem["about"]["job_ids"] == [document["id"]]


def test_a_key_that_is_held_names_the_job_that_has_it(service: Service) -> None:
    first = service.enqueue(key="one")
    again = service.post("/api/jobs", {"kind": "web.add", "args": {"left": 1}, "key": "one"})
    assert (again["id"], again["is_new"], again["held"]) == (first, False, "live")


@pytest.mark.parametrize("args", ODD, ids=lambda args: next(iter(args)))
def test_arguments_of_a_known_task_are_checked_before_anything_is_written(
    service: Service, client: Client, args: dict[str, Any]
) -> None:
    answer = service.ask("POST", "/api/jobs", json={"kind": "web.add", "args": args})
    assert answer.status_code == 422
    assert client.find() == []


def test_a_task_that_is_not_known_here_is_enqueued_by_its_name(
    service: Service, client: Client
) -> None:
    job = client.get(service.enqueue("elsewhere.task", args={"anything": [1, None]}))
    assert job.args == {"anything": [1, None]}


def test_an_option_that_does_not_exist_is_named(service: Service) -> None:
    problem = service.refused(422, "POST", "/api/jobs", json={"kind": "web.add", "prority": 1})
    assert problem["faults"][0]["at"] == "body.prority"


def test_options_that_exclude_each_other_are_refused(service: Service) -> None:
    words = {"kind": "web.add", "delay": "1m", "run_at": "2030-01-31T08:00:00Z"}
    problem = service.refused(422, "POST", "/api/jobs", json=words)
    assert problem["type"] == "urn:leasehold:problem:bad-option"


def test_pages_go_through_all_jobs_once_newest_first(service: Service) -> None:
    made = [service.enqueue(args={"left": number}) for number in range(5)]
    seen: list[str] = []
    before: str | None = None
    while True:
        params = {"limit": 2, "queue": "sums"} | ({} if before is None else {"before": before})
        page = service.get("/api/jobs", params=params)
        seen += [job["id"] for job in page["jobs"]]
        before = page["next"]
        if before is None:
            break
    assert seen == made[::-1]


def test_filters_narrow(service: Service) -> None:
    mine = service.enqueue(tenant="acme", queue="mail", key="k")
    service.enqueue()
    for params in (
        {"tenant": "acme"},
        {"queue": "mail"},
        {"key": "k", "tenant": "acme"},
        {"state": "queued", "queue": "mail"},
    ):
        found = service.get("/api/jobs", params=params)["jobs"]
        assert [job["id"] for job in found] == [mine], params
    assert service.get("/api/jobs", params={"state": "dead"})["jobs"] == []


def test_a_job_shows_its_whole_story(service: Service, client: Client) -> None:
    job_id = service.enqueue("web.fail", args={"reason": "no ink"})
    work_off(client)
    detail = service.get(f"/api/jobs/{job_id}/detail")
    assert detail["job"]["state"] == "dead"
    assert detail["why"]["reason"] == "dead"
    (attempt,) = detail["history"]
    assert "no ink" in attempt["error"]
    assert "raise ValueError" in attempt["traceback"]
    assert isinstance(attempt["worker"], str)
    assert service.get(f"/api/jobs/{job_id}/history") == detail["history"]
    assert service.get(f"/api/jobs/{job_id}/checkpoint") is None
    assert service.get(f"/api/jobs/{job_id}/steps") == []
    assert service.get(f"/api/jobs/{job_id}/why") == detail["why"]


def test_a_waiting_job_is_cancelled_and_retried(service: Service, client: Client) -> None:
    job_id = service.enqueue()
    assert service.post(f"/api/jobs/{job_id}/cancel", {"by": "ada"})["state"] == "cancelled"
    assert service.post(f"/api/jobs/{job_id}/cancel")["state"] == "cancelled"
    assert service.post(f"/api/jobs/{job_id}/retry")["state"] == "queued"
    work_off(client)
    problem = service.refused(409, "POST", f"/api/jobs/{job_id}/cancel")
    assert problem["about"] == {"job_id": job_id, "state": "succeeded", "verb": "cancel"}
    assert service.refused(409, "POST", f"/api/jobs/{job_id}/retry")


def test_a_retry_whose_key_is_held_names_the_holder(service: Service) -> None:
    first = service.enqueue(key="one")
    service.post(f"/api/jobs/{first}/cancel")
    second = service.enqueue(key="one")
    problem = service.refused(409, "POST", f"/api/jobs/{first}/retry")
    assert problem["type"] == "urn:leasehold:problem:key-held"
    assert problem["about"]["holder"] == second


def test_priority_and_deletion(service: Service, client: Client) -> None:
    job_id = service.enqueue()
    answer = service.ask("PUT", f"/api/jobs/{job_id}/priority", json={"priority": 9})
    assert answer.json() == {"id": job_id, "state": "queued"}
    assert client.get(job_id).priority == 9
    for _ in range(2):  # what is gone already is fine
        assert service.ask("DELETE", f"/api/jobs/{job_id}").status_code == 204
    assert service.refused(404, "GET", f"/api/jobs/{job_id}")["about"]["job_id"] == job_id


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", ""),
        ("GET", "/detail"),
        ("GET", "/history"),
        ("GET", "/checkpoint"),
        ("GET", "/steps"),
        ("GET", "/why"),
        ("POST", "/cancel"),
        ("POST", "/retry"),
    ],
)
def test_a_job_that_is_not_there_is_404(service: Service, method: str, path: str) -> None:
    problem = service.refused(404, method, f"/api/jobs/{NOBODY}{path}")
    assert problem["type"] == "urn:leasehold:problem:job-not-found"


def test_a_dry_run_counts_and_changes_nothing(service: Service, client: Client) -> None:
    for _ in range(3):
        service.enqueue()
    request = {"where": {"queue": "sums"}, "dry_run": True}
    told = service.post("/api/jobs/bulk/cancel", request)
    assert told == {"matched": 3, "changed": 0, "dry_run": True}
    assert len(client.find(state="queued")) == 3


def test_many_are_changed_by_a_filter_up_to_a_limit(service: Service, client: Client) -> None:
    for _ in range(3):
        service.enqueue()
    where = {"queue": "sums", "state": "queued"}
    told = service.post("/api/jobs/bulk/cancel", {"where": where, "limit": 2, "by": "ada"})
    assert (told["matched"], told["changed"]) == (2, 2)
    assert service.post("/api/jobs/bulk/retry", {"where": {"queue": "sums"}})["changed"] == 2
    assert service.post("/api/jobs/bulk/delete", {"where": {"queue": "sums"}})["changed"] == 3
    assert client.find() == []


@pytest.mark.parametrize("verb", ["cancel", "retry", "delete"])
def test_a_bulk_change_needs_a_filter(service: Service, verb: str) -> None:
    assert service.refused(422, "POST", f"/api/jobs/bulk/{verb}", json={"where": {}})
    assert service.refused(422, "POST", f"/api/jobs/bulk/{verb}", json={})
