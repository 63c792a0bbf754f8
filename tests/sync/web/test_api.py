"""The API as the seed names it: start, work, follow; at once; cancel; retry; what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold_sync.servers import StripeServer
from tests.sync.web.kit import APP, RESOURCES, SyncAsker, save_app

if TYPE_CHECKING:
    import leasehold as lh
    from leasehold.kit.data import Database

pytestmark = pytest.mark.usefixtures("app")
JOB = {
    *("id", "app_key", "mode", "resource_types", "status", "total_tasks", "completed_tasks"),
    *("failed_tasks", "processed_entities", "created_at", "started_at", "completed_at"),
    *("error_message", "progress", "tasks"),
}
TASK = {
    *("id", "job_id", "resource_type", "status", "entity_count", "created_at", "started_at"),
    *("completed_at", "error_message", "created", "updated", "unchanged", "deleted"),
}


def test_the_seeds_flow_start_work_and_follow(asker: SyncAsker) -> None:
    started = asker.start()
    assert (started["status"], started["total_tasks"], started["deduplicated"]) == (
        "pending",
        2,
        False,
    )
    waiting = asker.job(started)
    assert (waiting["status"], waiting["progress"], waiting["started_at"]) == ("pending", 0, None)
    report = asker.work()
    assert report["tasks_processed"] == 2
    assert report["jobs_completed"] == 1
    assert report["shutdown_reason"] == "no_pending_tasks"
    assert 0 < report["duration_ms"] < 50_000
    done = asker.job(started)
    assert done.keys() >= JOB
    assert all(task.keys() >= TASK for task in done["tasks"])
    assert (done["status"], done["progress"], done["processed_entities"]) == ("completed", 100, 280)
    assert (done["completed_tasks"], done["failed_tasks"]) == (2, 0)
    customers = asker.task(started, "customers")
    assert (customers["created"], customers["entity_count"]) == (250, 250)
    assert None not in (customers["started_at"], customers["completed_at"])


def test_a_job_is_posted_to_without_a_redirect_and_says_where_it_is(asker: SyncAsker) -> None:
    answer = asker.ask("POST", "", json={"app_key": APP, "mode": "full"})
    assert (answer.status_code, answer.history) == (202, [])
    where = answer.headers["location"]
    assert where == f"/sync/jobs/{answer.json()['job_id']}"
    assert asker.get(where.removeprefix("/sync"))["id"] == answer.json()["job_id"]


def test_what_has_not_changed_is_counted_and_what_has_is_told_apart(
    asker: SyncAsker, server: StripeServer
) -> None:
    asker.start()
    asker.work()
    first, second, *_ = server.ids("customers")
    server.update("customers", first, name="Another one")
    server.delete("customers", second)
    server.insert("customers", count=2)
    again = asker.start()
    asker.work()
    found = asker.task(again, "customers")
    counts = {name: found[name] for name in ("created", "updated", "unchanged", "deleted")}
    assert counts == {"created": 2, "updated": 1, "unchanged": 248, "deleted": 1}
    assert found["entity_count"] == 251


def test_a_second_sync_of_an_app_is_the_one_that_runs(asker: SyncAsker) -> None:
    first = asker.start()
    second = asker.start(status=200, mode="incremental")
    assert (second["job_id"], second["deduplicated"]) == (first["job_id"], True)
    assert (second["mode"], second["total_tasks"]) == ("full", 2)
    asker.work()
    assert asker.start()["job_id"] != first["job_id"]


def test_resources_can_be_chosen(asker: SyncAsker) -> None:
    started = asker.start(resource_types=["products"])
    assert (started["total_tasks"], started["resource_types"]) == (1, ["products"])
    asker.work()
    assert asker.job(started)["processed_entities"] == 30


def test_a_worker_may_be_told_whose_tasks_and_how_many(
    asker: SyncAsker,
    queue: lh.Client,
    database: Database,
    server: StripeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    save_app(queue, database, server, monkeypatch, "other")
    first, other = asker.start(), asker.start("other")
    report = asker.work(job_id=other["job_id"])
    assert (report["tasks_processed"], report["jobs_completed"]) == (2, 1)
    assert asker.job(other)["status"] == "completed"
    assert asker.job(first)["status"] == "pending"
    report = asker.work(max_tasks=1)
    assert (report["tasks_processed"], report["shutdown_reason"]) == (1, "max_tasks")
    half = asker.job(first)
    assert (half["status"], half["progress"], half["completed_tasks"]) == ("processing", 50, 1)


def test_a_worker_needs_no_body(asker: SyncAsker) -> None:
    answer = asker.ask("POST", "/worker")
    assert (answer.status_code, answer.json()["shutdown_reason"]) == (200, "no_pending_tasks")


def test_an_immediate_sync_is_done_in_the_request_and_writes_no_job(
    asker: SyncAsker, queue: lh.Client
) -> None:
    done = asker.start(status=200, immediate=True)
    assert (done["status"], done["has_more"]) == ("completed", False)
    assert {each["resource_type"]: each["entity_count"] for each in done["results"]} == {
        "customers": 250,
        "products": 30,
    }
    assert queue.batches.list() == []
    asker.start()
    busy = asker.refused(409, "POST", "", json={"app_key": APP, "mode": "full", "immediate": True})
    assert busy["type"].endswith(":app-busy")


def test_cancelling_is_at_once_for_what_waits_and_once_is_enough(asker: SyncAsker) -> None:
    started = asker.start()
    path = f"/jobs/{started['job_id']}/cancel"
    first = asker.post(path)
    assert (first["status"], {each["status"] for each in first["tasks"]}) == (
        "cancelled",
        {"cancelled"},
    )
    assert asker.post(path) == first
    assert asker.work()["tasks_processed"] == 0


def test_what_has_ended_is_not_cancelled(asker: SyncAsker, server: StripeServer) -> None:
    started = asker.start()
    asker.work()
    problem = asker.refused(409, "POST", f"/jobs/{started['job_id']}/cancel")
    assert (problem["type"], problem["about"]["status"]) == (
        "urn:leasehold:problem:job-ended",
        "completed",
    )
    server.fail(401, times=1_000)
    failed = asker.start()
    asker.work()
    problem = asker.refused(409, "POST", f"/jobs/{failed['job_id']}/cancel")
    assert problem["about"]["status"] == "failed"


def test_what_failed_is_retried_and_nothing_else(asker: SyncAsker, server: StripeServer) -> None:
    server.fail(401, times=1, path="/v1/customers", skip=1)
    started = asker.start()
    asker.work()
    failed = asker.job(started)
    assert (failed["status"], asker.task(started, "customers")["entity_count"]) == ("failed", 100)
    assert "customers" in failed["error_message"] or "401" in failed["error_message"]
    again = asker.post(f"/jobs/{started['job_id']}/retry")
    assert again["status"] in {"pending", "processing"}
    asker.work()
    done = asker.job(started)
    assert (done["status"], done["failed_tasks"], done["error_message"]) == ("completed", 0, None)
    assert asker.task(started, "customers")["entity_count"] == 250
    assert server.count("GET /v1/customers") == 4  # one was refused, and no page was read twice
    problem = asker.refused(409, "POST", f"/jobs/{started['job_id']}/retry")
    assert problem["type"].endswith(":nothing-to-retry")


def test_a_sync_is_not_retried_beside_another_one_of_its_app(
    asker: SyncAsker, server: StripeServer
) -> None:
    server.fail(401, times=1)
    failed = asker.start()
    asker.work()
    other = asker.start()
    problem = asker.refused(409, "POST", f"/jobs/{failed['job_id']}/retry")
    assert problem["type"].endswith(":app-busy")
    assert problem["about"]["job_id"] == other["job_id"]


def test_a_source_that_asks_for_patience_is_waited_for_and_it_is_said_why(
    asker: SyncAsker, server: StripeServer
) -> None:
    server.fail(429, times=1_000, path="/v1/customers", retry_after=600)
    started = asker.start()
    report = asker.work()
    assert report["shutdown_reason"] == "no_pending_tasks"
    task = asker.task(started, "customers")
    assert (task["status"], task["error_message"]) == ("pending", None)
    assert task["snoozed_until"] is not None
    assert task["snooze_reason"]


def test_an_app_that_has_to_wait_keeps_no_other_one_waiting(
    asker: SyncAsker,
    queue: lh.Client,
    database: Database,
    server: StripeServer,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with StripeServer(rows={"customers": 250}) as other:
        save_app(queue, database, other, monkeypatch, "other", resources=("customers",))
        server.fail(429, times=1_000, retry_after=600)
        waiting, going = asker.start(), asker.start("other")
        asker.work()
    assert asker.job(going)["status"] == "completed"
    assert asker.job(waiting)["status"] == "processing"
    assert server.count() <= 2  # once for each resource at most


REFUSED: list[tuple[int, str, str, Any]] = [
    (404, "app-not-found", "", {"app_key": "nobody", "mode": "full"}),
    (404, "app-not-found", "", {"app_key": "nobody", "mode": "full", "immediate": True}),
    (400, "unknown-resource", "", {"app_key": APP, "mode": "full", "resource_types": ["cats"]}),
    (404, "sync-not-found", "/worker", {"job_id": str(uuid4())}),
    (404, "sync-not-found", f"/jobs/{uuid4()}/cancel", {}),
    (404, "sync-not-found", f"/jobs/{uuid4()}/retry", {}),
    (422, "bad-request", "", {"app_key": APP, "mode": "some"}),
    (422, "bad-request", "", {"mode": "full"}),
    (422, "bad-request", "", {"app_key": APP, "mode": "full", "resource_types": []}),
    (422, "bad-request", "", {"app_key": APP, "mode": "full", "imediate": True}),
    (422, "bad-request", "", {"app_key": "a\x00b", "mode": "full"}),
    (422, "bad-request", "", {"app_key": 7, "mode": "full"}),
    (422, "bad-request", "", [APP]),
    (422, "bad-request", "/worker", {"max_tasks": 0}),
    (422, "bad-request", "/worker", {"max_tasks": True}),
    (422, "bad-request", "/worker", {"job_id": "seven"}),
    (422, "bad-request", "/jobs/seven/cancel", {}),
]


def test_what_cant_be_done_is_refused_with_its_reason(asker: SyncAsker) -> None:
    for status, name, path, body in REFUSED:
        problem = asker.refused(status, "POST", path, json=body)
        assert problem["type"] == f"urn:leasehold:problem:{name}", (path, body)
        assert problem["detail"]


def test_an_unknown_resource_is_answered_with_those_that_there_are(asker: SyncAsker) -> None:
    wanted = {"app_key": APP, "mode": "full", "resource_types": ["cats", "customers"]}
    problem = asker.refused(400, "POST", "", json=wanted)
    assert "cats" in problem["detail"]
    assert all(name in problem["detail"] for name in RESOURCES)


def test_what_is_no_json_or_too_much_of_it_is_refused(asker: SyncAsker) -> None:
    asker.refused(404, "GET", f"/jobs/{uuid4()}")
    asker.refused(404, "GET", f"/jobs/{uuid4()}/events")
    asker.refused(404, "GET", "/nowhere")
    json_type = {"content-type": "application/json"}
    asker.refused(422, "POST", "", content=b"{", headers=json_type)
    for path in ("", "/worker"):
        large = b'{"app_key": "' + b"x" * 1_000_000 + b'"}'
        asker.refused(413, "POST", path, content=large, headers=json_type)
        unsaid = iter([large[:500_000], large[500_000:]])
        asker.refused(413, "POST", path, content=_pieces(unsaid), headers=json_type)
        asker.refused(405, "PUT", path)


async def _pieces(parts: Any) -> Any:
    for part in parts:
        yield part


def test_a_browser_that_comes_to_the_address_itself_sees_the_apps(asker: SyncAsker) -> None:
    for path in ("", "/", "/ui", "/ui/"):
        assert f'href="/sync/ui/apps/{APP}"' in asker.page(path)
