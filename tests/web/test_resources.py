"""Batches, queues, throttles, shares, retention, keys, workers, statistics over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from uuid import uuid4

import pytest

from leasehold.worker import Worker
from tests.web.tasks import REGISTRY, add, fail

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service

ODD_NAMES = ["mail", "a/b", "domain:example.org/x?y", "ü ñ", "a%2Fb", "x/pause", "#1"]


def quoted(name: str) -> str:
    from urllib.parse import quote

    return quote(name, safe="")


# -- batches -------------------------------------------------------------------------------------
def test_a_batch_is_made_filled_sealed_and_followed(service: Service, client: Client) -> None:
    made = service.post("/api/batches", {"name": "album", "meta": {"of": "Ada"}}, status=201)
    path = f"/api/batches/{made['id']}"
    for number in range(3):
        service.enqueue(args={"left": number}, batch=made["id"])
    service.enqueue("web.fail", args={"reason": "torn"}, batch=made["id"])
    assert service.get(path)["counts"]["queued"] == 4
    assert service.post(f"{path}/seal")["status"] == "sealed"
    problem = service.refused(
        409, "POST", "/api/jobs", json={"kind": "web.add", "args": {"left": 1}, "batch": made["id"]}
    )
    assert problem["type"] == "urn:leasehold:problem:batch-sealed"
    Worker(client, REGISTRY).run(until_empty=True)
    ended = service.get(path)
    assert (ended["status"], ended["progress"], ended["meta"]) == ("ended", 1.0, {"of": "Ada"})
    assert (ended["counts"]["succeeded"], ended["counts"]["dead"]) == (3, 1)
    dead = service.get(f"{path}/jobs", params={"state": "dead"})["jobs"]
    assert [job["kind"] for job in dead] == ["web.fail"]
    assert service.post(f"{path}/retry")["round"] == 2
    assert service.post(f"{path}/cancel", {"by": "ada"})["cancelled_by"] == "ada"


def test_the_same_batch_can_be_made_again(service: Service) -> None:
    request = {"id": str(uuid4()), "name": "album"}
    for _ in range(2):
        assert service.post("/api/batches", request, status=201)["id"] == request["id"]
    assert len(service.get("/api/batches")["batches"]) == 1


def test_batches_come_in_pages(service: Service) -> None:
    made = [service.post("/api/batches", {"name": "x"}, status=201)["id"] for _ in range(3)]
    first = service.get("/api/batches", params={"limit": 2, "name": "x", "status": "open"})
    rest = service.get("/api/batches", params={"limit": 2, "before": first["next"]})
    found = [each["id"] for each in [*first["batches"], *rest["batches"]]]
    assert sorted(found) == sorted(made)
    assert rest["next"] is None


@pytest.mark.parametrize("path", ["", "/jobs", "/seal", "/cancel", "/retry"])
def test_a_batch_that_is_not_there_is_404(service: Service, path: str) -> None:
    method = "GET" if path in {"", "/jobs"} else "POST"
    assert service.refused(404, method, f"/api/batches/{uuid4()}{path}")


# -- queues --------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_queue_can_be_paused_and_resumed(service: Service, client: Client, name: str) -> None:
    path = f"/api/queues/{quoted(name)}"
    request = {"duration": "1h", "reason": "tea", "by": "ada"}
    service.post(f"{path}/pause", request, status=204)
    (told,) = client.queues.list()
    assert (told.name, told.pause_reason, told.paused_by) == (name, "tea", "ada")
    assert service.post(f"{path}/resume") == {"is_changed": True}
    assert service.post(f"{path}/resume") == {"is_changed": False}


@pytest.mark.parametrize("name", ["a\nb", "\n", "a\x00", "\x7f", "x" * 201])
def test_a_name_that_can_be_none_is_refused(service: Service, name: str) -> None:
    for path in (f"queues/{quoted(name)}/resume", f"throttles/{quoted(name)}/refill"):
        assert service.refused(422, "POST", f"/api/{path}")
    assert service.refused(422, "GET", f"/api/keys/{quoted(name)}")


def test_queues_tell_counts_and_what_people_said(service: Service) -> None:
    service.enqueue()
    service.enqueue(delay="1h")
    assert service.ask("PUT", "/api/queues/sums/aging", json={"aging": "10m"}).status_code == 204
    service.post("/api/queues/sums/pause", {"until": "2100-01-01T00:00:00Z"}, status=204)
    (queue,) = service.get("/api/queues")
    assert (queue["name"], queue["ready"], queue["scheduled"]) == ("sums", 1, 1)
    assert queue["aging_seconds"] == 600
    assert queue["paused_until"].startswith("2100-01-01T00:00:00")
    assert service.post("/api/queues/sums/drain", {"timeout": 0}) == {"running": 0}


@pytest.mark.parametrize("name", ODD_NAMES)
def test_any_queue_can_be_limited_and_unlimited(
    service: Service, client: Client, name: str
) -> None:
    path = f"/api/queues/{quoted(name)}/limit"
    assert service.ask("PUT", path, json={"running": 3, "by": "ada"}).status_code == 204
    (told,) = service.get("/api/queues")
    assert (told["name"], told["running_limit"], told["limited_by"]) == (name, 3, "ada")
    assert service.ask("DELETE", path).json() == {"is_changed": True}
    assert service.ask("DELETE", path).json() == {"is_changed": False}
    assert client.queues.list() == []


@pytest.mark.parametrize("running", [-1, 1.5, None, "3", 10**9])
def test_a_limit_is_a_number_of_jobs(service: Service, running: object) -> None:
    assert service.refused(422, "PUT", "/api/queues/x/limit", json={"running": running})


def test_a_pause_has_one_end(service: Service) -> None:
    request = {"until": "2100-01-01T00:00:00Z", "duration": 5}
    assert service.refused(422, "POST", "/api/queues/x/pause", json=request)
    assert service.refused(422, "POST", "/api/queues/x/pause", json={"until": 5})
    assert service.refused(422, "POST", "/api/queues/x/pause", json={"until": "2100-01-01T00:00"})


# -- throttles, shares ---------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["domain", "domain:example.org/x", "domain:ü"])
def test_limits_change_and_only_those_that_are_named(
    service: Service, client: Client, name: str
) -> None:
    path = f"/api/throttles/{quoted(name)}"
    first = {"running": 2, "rate": 60, "per": "1m", "by": "ada"}
    assert service.ask("PATCH", path, json=first).status_code == 204
    assert service.ask("PATCH", path, json={"running": 3}).status_code == 204
    told = next(each for each in client.throttles.list() if each.name == name)
    assert (told.running_limit, told.rate, told.burst) == (3, 1.0, 60.0)
    assert service.ask("PATCH", path, json={"rate": None}).status_code == 204
    told = next(each for each in client.throttles.list() if each.name == name)
    assert (told.running_limit, told.rate) == (3, None)
    service.post(f"{path}/pause", {"reason": "429"}, status=204)
    assert service.get("/api/throttles")[-1]["pause_reason"] == "429"
    assert service.post(f"{path}/resume") == {"is_changed": True}
    assert service.post(f"{path}/refill") == {"is_changed": False}
    assert service.post(f"{path}/reset") == {"is_changed": True}


def test_a_throttle_that_each_tenant_has_for_itself_is_named_with_its_tenant(
    service: Service, client: Client
) -> None:
    path = f"/api/throttles/{quoted('@site:a.com')}"
    assert service.refused(422, "PATCH", path, json={"running": 2})
    said: Any = {"params": {"tenant": "acme"}}
    assert service.ask("PATCH", path, json={"running": 2}, **said).status_code == 204
    assert service.ask("POST", f"{path}/pause", json={"reason": "429"}, **said).status_code == 204
    (told,) = service.get("/api/throttles", **said)
    assert (told["name"], told["tenant"], told["running_limit"]) == ("@site:a.com", "acme", 2)
    assert service.get("/api/throttles", params={"tenant": "globex"}) == []
    for verb in ("resume", "reset"):
        assert service.ask("POST", f"{path}/{verb}", **said).json() == {"is_changed": True}


def test_who_is_bound_to_a_tenant_has_its_own_throttles_and_no_other(
    service: Service, client: Client
) -> None:
    client.throttles.set("@site", running=5, by="ops")
    client.throttles.set("shared", running=5)
    client.throttles.set("@site", running=9, tenant="globex")
    acme = client.tokens.add("acme", scope="operate", tenant="acme").secret
    said: Any = {"headers": {"authorization": f"Bearer {acme}"}}
    own, shared = f"/api/throttles/{quoted('@site')}", "/api/throttles/shared"
    assert service.ask("PATCH", own, json={"running": 3}, **said).status_code == 204
    assert service.ask("POST", f"{own}/pause", json={"reason": "ours"}, **said).status_code == 204
    (told,) = service.get("/api/throttles", **said)
    assert (told["tenant"], told["running_limit"], told["tenant_limit"]) == ("acme", 5, 3)
    assert service.refused(403, "PATCH", own, json={"rate": 9}, **said)
    assert service.refused(403, "POST", f"{own}/refill", **said)
    for verb in ("pause", "resume", "reset"):
        assert service.refused(403, "POST", f"{shared}/{verb}", **said)
        asked = said | {"params": {"tenant": "globex"}}
        assert service.refused(403, "POST", f"{own}/{verb}", **asked)
    assert service.ask("POST", f"{own}/resume", **said).json() == {"is_changed": True}


def test_a_change_of_a_throttle_says_which_limit(service: Service) -> None:
    assert service.refused(422, "PATCH", "/api/throttles/domain", json={"by": "ada"})
    tiny = {"rate": 5e-324, "per": "90s"}
    assert service.refused(422, "PATCH", "/api/throttles/domain", json=tiny)


def test_shares_have_weights(service: Service) -> None:
    assert service.ask("PUT", "/api/shares/user%3A7", json={"weight": 3}).status_code == 204
    (share,) = service.get("/api/shares")
    assert (share["name"], share["weight"]) == ("user:7", 3)
    assert service.refused(422, "PUT", "/api/shares/x", json={"weight": 0})


# -- retention, keys, workers, statistics --------------------------------------------------------
def test_retention_is_said_shown_and_forgotten(service: Service) -> None:
    request = {"queue": "mail", "keep": "1d", "dead": "ever", "by": "ada"}
    assert service.ask("PUT", "/api/retention", json=request).status_code == 204
    (said,) = service.get("/api/retention")
    assert (said["scope"], said["name"], said["set_by"]) == ("queue", "mail", "ada")
    assert service.get("/api/retention/effective", params={"queue": "mail"})["succeeded"] == 86_400
    answer = service.ask("DELETE", "/api/retention", params={"queue": "mail"})
    assert answer.json() == {"is_changed": True}
    assert service.refused(422, "PUT", "/api/retention", json={"queue": "mail"})
    both = {"queue": "a", "task": "b", "keep": "1d"}
    assert service.refused(422, "PUT", "/api/retention", json=both)


def test_a_key_names_its_job_until_it_is_forgotten(service: Service) -> None:
    path = f"/api/keys/{quoted('link/7')}"
    assert service.refused(404, "GET", path)
    job_id = service.enqueue(key="link/7", unique_for="ever")
    told = service.get(path)
    assert (told["holder"], told["is_live"]) == (job_id, True)
    problem = service.refused(409, "DELETE", path)
    assert problem["about"]["holder"] == job_id
    service.post(f"/api/jobs/{job_id}/cancel")
    assert service.ask("DELETE", path).status_code == 204
    assert service.refused(404, "DELETE", path)


def test_workers_show_themselves(service: Service, client: Client) -> None:
    with Worker(client, REGISTRY, name="here", grace="2s") as worker:
        (told,) = service.get("/api/workers")
        assert (told["name"], told["id"]) == ("here", str(worker.id))
        assert told["kinds"] == ["web.add", "web.fail", "web.wait"]
    assert service.get("/api/workers") == []


def test_the_numbers_of_the_last_hour(service: Service, client: Client) -> None:
    for number in range(3):
        client.enqueue(add, number)
    client.enqueue(fail, "no ink")
    Worker(client, REGISTRY).run(until_empty=True)
    client.enqueue(add, 1)
    told = service.get("/api/stats", params={"window": "1h"})
    assert (told["in_queue"], told["failed_24h"]) == (1, 1)
    assert told["activity"]["counts"]["succeeded"] == 3
    assert told["average_seconds"] is not None
    points = service.get("/api/stats/series", params={"window": "10m", "queue": "sums"})
    assert sum(point["counts"]["succeeded"] for point in points) == 3
    (group,) = service.get("/api/stats/failures")
    assert (group["kind"], group["error"], group["count"]) == ("web.fail", "ValueError", 1)
    assert service.refused(422, "GET", "/api/stats", params={"window": "1s"})
    assert service.refused(422, "GET", "/api/stats", params={"window": "soon"})


# -- quotas ----------------------------------------------------------------------------------------
@pytest.mark.parametrize("name", ["acme", "a/b c", "ü"])
def test_quotas_change_and_only_those_that_are_named(
    service: Service, client: Client, name: str
) -> None:
    path = f"/api/quotas/{quoted(name)}"
    first = {"waiting": 10, "running": 2, "rate": "100/minute", "by": "ada"}
    assert service.ask("PATCH", path, json=first).status_code == 204
    assert service.ask("PATCH", path, json={"running": None}).status_code == 204
    (told,) = service.get("/api/quotas")
    assert (told["tenant"], told["waiting_limit"], told["running_limit"]) == (name, 10, None)
    assert told["burst"] == 100.0
    assert service.ask("DELETE", path).json() == {"is_changed": True}
    assert service.ask("DELETE", path).json() == {"is_changed": False}
    assert client.quotas.list() == []


@pytest.mark.parametrize(
    "request_", [{}, {"waiting": -1}, {"running": "3"}, {"rate": "fast"}, {"rate": 5}]
)
def test_a_quota_that_can_be_none_is_refused(service: Service, request_: dict[str, Any]) -> None:
    assert service.refused(422, "PATCH", "/api/quotas/acme", json=request_)


def test_an_enqueue_over_a_quota_is_429_and_says_when_to_come_back(
    service: Service, client: Client
) -> None:
    client.quotas.set("acme", rate="1/hour")
    job = {"kind": "sum", "args": {"a": 1, "b": 2}, "tenant": "acme"}
    assert service.ask("POST", "/api/jobs", json=job).status_code == 201
    answer = service.ask("POST", "/api/jobs", json=job)
    assert answer.status_code == 429
    assert 3500 < int(answer.headers["Retry-After"]) <= 3600
    told = answer.json()
    assert told["type"] == "urn:leasehold:problem:quota-exceeded"
    assert (told["about"]["tenant"], told["about"]["quota"]) == ("acme", "rate")
    client.quotas.set("acme", rate=None, waiting=1)
    assert service.ask("POST", "/api/jobs", json=job).headers["Retry-After"] == "1"


# -- callbacks -------------------------------------------------------------------------------------
def test_a_job_and_a_batch_are_followed_by_their_callbacks(
    service: Service, client: Client
) -> None:
    end = {"kind": "far.away", "queue": "ends", "priority": 7, "timeout": "5m"}
    job = {"kind": "web.add", "args": {"left": 1}, "on_end": end, "tenant": "acme"}
    assert service.ask("POST", "/api/jobs", json=job).status_code == 201
    batch = service.ask("POST", "/api/batches", json={"on_end": end | {"kind": "far.batch"}}).json()
    member = {"kind": "web.add", "args": {"left": 2}, "batch": batch["id"]}
    assert service.ask("POST", "/api/jobs", json=member).status_code == 201
    service.post(f"/api/batches/{batch['id']}/seal")
    Worker(client, REGISTRY).run(until_empty=True)
    made = {each.kind: each for each in client.find(queue="ends")}
    assert made.keys() == {"far.away", "far.batch"}
    assert (made["far.away"].priority, made["far.away"].timeout_seconds) == (7, 300.0)
    assert made["far.away"].tenant == "acme"


def test_a_task_of_this_service_that_can_be_no_callback_is_refused(service: Service) -> None:
    job = {"kind": "web.add", "args": {"left": 1}, "on_end": {"kind": "web.add"}}
    assert service.refused(422, "POST", "/api/jobs", json=job)
