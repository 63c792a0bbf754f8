"""Schedules over HTTP."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from leasehold.client import Client
    from tests.web.kit import Service

NIGHTLY: dict[str, Any] = {
    "rule": "0 3 * * *",
    "zone": "Europe/Berlin",
    "job": {"kind": "web.add", "args": {"left": 1}, "queue": "night", "priority": 3},
    "by": "ada",
}


def put(service: Service, name: str, request: dict[str, Any], **params: str) -> dict[str, Any]:
    answer = service.ask("PUT", f"/api/schedules/{name}", json=request, params=params)
    assert answer.status_code == 200, answer.text
    return dict(answer.json())


def test_a_schedule_is_made_shown_changed_and_deleted(service: Service) -> None:
    made = put(service, "nightly", NIGHTLY)
    assert (made["rule"], made["kind"], made["set_by"]) == ("0 3 * * *", "web.add", "ada")
    assert service.get("/api/schedules/nightly") == made
    assert service.get("/api/schedules") == [made]
    changed = put(service, "nightly", {**NIGHTLY, "rule": "every 90s", "missed": "none"})
    assert (changed["rule"], changed["missed"], changed["version"]) == ("every 90s", "none", 2)
    for _ in range(2):
        assert service.ask("DELETE", "/api/schedules/nightly").status_code == 204
    assert service.refused(404, "GET", "/api/schedules/nightly")


def test_when_it_fires_is_changed_and_its_job_stays(service: Service) -> None:
    made = put(service, "nightly", NIGHTLY)
    change = {"rule": "every 90s", "missed": "none", "by": "grace"}
    answer = service.ask("PATCH", "/api/schedules/nightly", json=change)
    changed = answer.json()
    assert (changed["rule"], changed["missed"], changed["set_by"]) == ("every 90s", "none", "grace")
    assert (changed["zone"], changed["job"]) == (made["zone"], made["job"])
    assert changed["next_at"] <= made["next_at"]  # the same, just before
    refused: list[dict[str, Any]] = [{}, {"rule": "at noon"}, {"zone": "Atlantis"}, {"job": {}}]
    for wrong in refused:
        assert service.refused(422, "PATCH", "/api/schedules/nightly", json=wrong)
    assert service.get("/api/schedules/nightly") == changed
    assert service.refused(404, "PATCH", "/api/schedules/nobody", json=change)


def test_its_next_slots_are_known(service: Service) -> None:
    put(service, "nightly", NIGHTLY)
    params = {"count": 2, "after": "2030-03-30T12:00:00Z"}
    slots = service.get("/api/schedules/nightly/preview", params=params)
    assert slots == ["2030-03-31T01:00:00Z", "2030-04-01T01:00:00Z"]
    for after in ("7", "0.5", "2030-03-30T12:00:00"):
        params["after"] = after
        assert service.refused(422, "GET", "/api/schedules/nightly/preview", params=params)


def test_it_is_run_now_also_while_it_is_paused(service: Service, client: Client) -> None:
    put(service, "nightly", NIGHTLY)
    assert service.post("/api/schedules/nightly/pause", {"by": "ada"}) == {"is_changed": True}
    assert service.get("/api/schedules/nightly")["paused_by"] == "ada"
    job = client.get(service.post("/api/schedules/nightly/run")["job_id"])
    assert (job.kind, job.queue, job.priority) == ("web.add", "night", 3)
    assert service.post("/api/schedules/nightly/resume") == {"is_changed": True}


def test_each_tenant_has_schedules_of_its_own(service: Service, client: Client) -> None:
    put(service, "nightly", NIGHTLY, tenant="acme")
    assert service.refused(404, "GET", "/api/schedules/nightly")
    assert service.get("/api/schedules/nightly", params={"tenant": "acme"})["tenant"] == "acme"
    assert service.get("/api/schedules", params={"tenant": "other"}) == []
    assert service.ask("POST", "/api/schedules/nightly/run", params={"tenant": "acme"}).is_success
    assert [job.tenant for job in client.find()] == ["acme"]


def test_a_name_may_have_slashes_but_no_verb_at_its_end(service: Service) -> None:
    put(service, "a/b", NIGHTLY)
    assert service.get("/api/schedules/a/b")["name"] == "a/b"
    assert service.post("/api/schedules/a%2Fb/pause") == {"is_changed": True}
    assert service.refused(405, "PUT", "/api/schedules/x/pause", json=NIGHTLY)


@pytest.mark.parametrize(
    "change",
    [
        {"rule": "at noon"},
        {"zone": "Europe/Atlantis"},
        {"dst": "often"},
        {"job": {"kind": "web.add", "id": "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"}},
        {"job": {"kind": "web.add", "run_at": "2030-01-01T00:00:00Z"}},
        {"missed_cap": 0},
        {"jitter": "2d"},
    ],
)
def test_what_makes_no_schedule_is_refused(service: Service, change: dict[str, Any]) -> None:
    assert service.refused(422, "PUT", "/api/schedules/nightly", json={**NIGHTLY, **change})
    assert service.get("/api/schedules") == []


@pytest.mark.parametrize("verb", ["pause", "resume", "run"])
def test_a_schedule_that_is_not_there_is_404(service: Service, verb: str) -> None:
    assert service.refused(404, "POST", f"/api/schedules/nobody/{verb}")
