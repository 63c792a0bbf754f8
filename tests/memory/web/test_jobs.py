"""Jobs over HTTP: as the file's view has them, with why they wait, and done again."""

from __future__ import annotations

from datetime import UTC, datetime
from uuid import UUID, uuid4

import pytest

import leasehold as lh
from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.opening import Memory
from tests.memory.web.kit import Asker


@pytest.fixture
def dead(memory: Memory) -> UUID:
    """A job that has failed for good."""
    job = memory.client.enqueue(tasks.upsert_embeddings, 7)
    run(memory)
    return job.id


def run(memory: Memory) -> None:
    """Let a worker fail for unit 7, and for no other."""

    @lh.task(name="upsert_embeddings", queue=tasks.QUEUE)
    def fail(unit_id: int) -> None:
        if unit_id == 7:
            raise lh.Dead(f"unit {unit_id} can't be read")

    lh.Worker(memory.client, [fail]).run(until_empty=True)


def test_jobs_are_listed_as_the_view_has_them(asker: Asker, memory: Memory, dead: UUID) -> None:
    waiting = memory.client.enqueue(tasks.capsule_refresh, 5)
    newest, oldest = asker.get("/api/jobs")["jobs"]
    assert (newest["id"], newest["status"], newest["kind"]) == (
        str(waiting.id),
        0,
        "capsule_refresh",
    )
    assert newest["payload"] == {"limit": 5}
    assert (oldest["id"], oldest["status"], oldest["tries"]) == (str(dead), 3, 1)
    assert "can't be read" in oldest["last_error"]
    first = asker.get("/api/jobs", limit=1)
    assert [each["id"] for each in asker.get("/api/jobs", before=first["next"])["jobs"]] == [
        str(dead)
    ]
    assert [each["id"] for each in asker.get("/api/jobs", state="dead")["jobs"]] == [str(dead)]
    assert asker.get("/api/jobs", kind="bond_summary")["jobs"] == []


def test_a_job_says_what_became_of_it_and_why_it_waits(
    asker: Asker, memory: Memory, dead: UUID
) -> None:
    details = asker.get(f"/api/jobs/{dead}")
    assert [each["outcome"] for each in details["history"]] == ["dead"]
    waiting = memory.client.enqueue(tasks.capsule_refresh, 5)
    assert asker.get(f"/api/jobs/{waiting.id}")["why"]


def test_a_job_that_failed_is_done_again_and_one_that_is_done_is_not(
    asker: Asker, memory: Memory, dead: UUID
) -> None:
    again = asker.send("POST", f"/api/jobs/{dead}/retry")
    assert (again["status"], again["state"]) == (0, "queued")
    done = memory.client.enqueue(tasks.upsert_embeddings, 8)
    run(memory)
    problem = asker.send("POST", f"/api/jobs/{done.id}/retry", status=409)
    assert problem["type"].endswith("wrong-state")


def test_a_job_that_is_not_there_is_not_found(asker: Asker) -> None:
    assert asker.ask("GET", f"/api/jobs/{uuid4()}").status_code == 404
    assert asker.ask("POST", f"/api/jobs/{uuid4()}/retry").status_code == 404
    assert asker.ask("GET", "/api/jobs", params={"preset": "other"}).status_code == 404


def test_everything_is_derived_again_and_nothing_is_enqueued_twice(
    asker: Asker, memory: Memory
) -> None:
    with memory.database.write() as connection:
        units.save_episode(
            connection, user_text="hello", reply_text="hi", occurred_at=datetime.now(UTC)
        )
    first = asker.send("POST", "/api/replay", status=202)
    assert first["episodes"] == 1
    assert first["jobs"] == len(memory.client.find(limit=100)) > 0
    assert asker.send("POST", "/api/replay", status=202) == {"episodes": 1, "jobs": 0}
