"""Over real HTTP: news and progress as they happen, what ends a stream, ticks, health."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import httpx
import pytest

import leasehold as lh
from leasehold_documents import tasks
from leasehold_documents.access import add_member, remove_member
from leasehold_documents.settings import lending
from leasehold_documents.web import ALIASES, application
from tests.documents.flow.engines import Scripted, reading_with
from tests.documents.web.kit import LEASE, SERVICE_TOKEN, events, settings_for, token_of
from tests.kit.serving import Serving, serving
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from leasehold.kit.data import Database
    from leasehold_documents.settings import Settings
    from tests.documents.access.kit import Two

WAIT_SECONDS = 30
CRON = {"authorization": f"Bearer {SERVICE_TOKEN}"}


@pytest.fixture
def served(queue: lh.Client, said: Settings) -> Iterator[Serving]:
    with serving(queue, application(), aliases=ALIASES) as served:
        yield served


@pytest.fixture
def http(served: Serving, two: Two) -> Iterator[httpx.Client]:
    """Ada."""
    headers = {"authorization": f"Bearer {token_of(two.ada)}"}
    address = f"{served.address}/documents"
    with httpx.Client(base_url=address, timeout=WAIT_SECONDS, headers=headers) as http:
        yield http


def hand_in(http: httpx.Client, content: bytes = LEASE) -> str:
    answer = http.post("/api/documents", files={"file": ("a.pdf", content)})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["id"])


def agree(http: httpx.Client, document_id: str) -> str:
    path = f"/api/documents/{document_id}/extractions"
    estimate = http.post(f"{path}/estimate", json={}).json()
    wanted = {"extraction_id": estimate["extraction_id"]}
    return str(http.post(f"{path}/confirm", json=wanted).json()["job_id"])


def test_progress_and_news_are_told_as_they_happen(http: httpx.Client, queue: lh.Client) -> None:
    document_id = hand_in(http)
    agree(http, document_id)
    with (
        http.stream("GET", f"/api/documents/{document_id}/events") as progress,
        http.stream("GET", "/api/notifications/events") as news,
        http.stream("GET", "/api/jobs/events") as jobs,
    ):
        told, heard = events(progress.iter_lines()), events(news.iter_lines())
        counted = events(jobs.iter_lines())
        assert next(told)[1]["extraction"]["status"] == "queued"
        assert next(heard) == ("news", {"unread": 0, "newest": None})
        assert next(counted)[1]["queued"] == 1
        with lh.Worker(queue, tasks, grace="2s"):
            last = [data for name, data in told if name == "end"]
            assert (last[0]["extraction"]["status"], last[0]["doc_type"]) == (
                "done",
                "Mietvertrag",
            )
            until(heard, unread=1)
            until(counted, queued=0, running=0)


def test_a_reading_that_is_under_way_says_how_many_pages_were_read(
    http: httpx.Client, queue: lh.Client
) -> None:
    document_id = hand_in(http)
    agree(http, document_id)
    seen: list[int | None] = []

    def act() -> None:
        lh.current_job().checkpoint(done=3, total=7)
        seen.append(http.get(f"/api/documents/{document_id}").json()["extraction"]["pages_read"])

    with reading_with(Scripted(act)):
        lh.Worker(queue, tasks).run(until_empty=True)
    assert seen == [3]
    last = http.get(f"/api/documents/{document_id}").json()["extraction"]
    assert (last["status"], last["pages_read"]) == ("done", None)


def until(told: Iterator[tuple[str, Any]], **wanted: Any) -> None:
    """Wait for an event that says this."""
    for _, data in told:
        if wanted.items() <= data.items():
            return
    raise AssertionError(f"it ended before {wanted}")


def test_a_stream_ends_with_the_membership(
    http: httpx.Client, database: Database, two: Two
) -> None:
    with http.stream("GET", "/api/notifications/events") as stream:
        told = events(stream.iter_lines())
        next(told)
        remove_member(database, two.ada, two.first, cancel=lambda *_: None)
        assert list(told)[-1] == ("end", None)
    assert http.get("/api/notifications/events").status_code in {400, 403}
    add_member(database, two.ada, two.first)
    assert http.get("/api/notifications").status_code == 200


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
def test_a_stream_ends_with_the_token(http: httpx.Client, two: Two) -> None:
    short = {"authorization": f"Bearer {token_of(two.ada, seconds=2)}"}
    with http.stream("GET", "/api/notifications/events", headers=short) as stream:
        assert list(events(stream.iter_lines()))[-1] == ("end", None)


def test_a_cron_job_lets_workers_tick_where_nothing_runs_all_the_time(
    http: httpx.Client, served: Serving
) -> None:
    first, second = hand_in(http), hand_in(http, LEASE + b" ")
    jobs = [agree(http, each) for each in (first, second)]
    for path in ("/worker/tick", f"{served.address}/worker/tick"):
        ran = http.post(path, headers=CRON)
        assert (ran.status_code, ran.json()["jobs"]) == (200, 1)
    drained = http.post("/worker/tick?drain=1", headers=CRON)
    assert drained.status_code == 200
    assert drained.json()["duration_ms"] < 45_000
    assert {http.get(f"/api/jobs/{each}").json()["status"] for each in jobs} == {"done"}
    wait_until(lambda: _tick(http).status_code == 204, "there is nothing to do")
    assert _tick(http).content == b""
    assert http.get("/health").json()["status"] == "ok"


def _tick(http: httpx.Client) -> httpx.Response:
    return http.post("/worker/tick?drain=1", headers=CRON)


def test_a_tick_needs_the_services_token(
    http: httpx.Client, queue: lh.Client, served: Serving, tmp_path: Path
) -> None:
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": "Basic x"}):
        answer = httpx.post(f"{served.address}/documents/worker/tick", headers=headers)
        assert (answer.status_code, "www-authenticate" in answer.headers) == (401, True)
    assert http.post("/worker/tick").status_code == 403  # a person's is none
    with (
        lending(settings_for(tmp_path, service_token="", secret="")),
        serving(queue, application()) as other,
    ):
        refused = httpx.post(f"{other.address}/documents/worker/tick")
        assert refused.status_code == 403
        assert refused.json()["type"].endswith(":no-service-token")


def test_health_fails_when_nobody_works_and_is_for_everybody(
    served: Serving, queue: lh.Client, said: Settings
) -> None:
    health = f"{served.address}/documents/health"
    with lending(settings_for_silence(said, -1.0)):
        silent = httpx.get(health)
        assert (silent.status_code, silent.json()["status"]) == (503, "failed")
        assert "no worker was seen" in silent.json()["reasons"][0]
    with lh.Worker(queue, tasks, grace="2s"):
        wait_until(lambda: httpx.get(health).json()["workers"] == 1, "a worker is there")
        well = httpx.get(health)
        assert (well.status_code, well.json()["reasons"]) == (200, [])


def settings_for_silence(said: Settings, seconds: float) -> Settings:
    import msgspec

    return msgspec.structs.replace(said, silence_seconds=seconds)


def test_alerts_are_for_those_who_run_the_service(
    http: httpx.Client, served: Serving, queue: lh.Client
) -> None:
    assert http.get("/api/alerts").status_code == 403
    assert httpx.get(f"{served.address}/documents/api/alerts").status_code == 401
    assert http.get("/api/alerts", headers=CRON).json() == {"alerts": []}
    secret = queue.tokens.add("root", scope="admin").secret
    root = {"authorization": f"Bearer {secret}"}
    wait_until(
        lambda: http.get("/api/alerts", headers=root).status_code == 200, "the token is known"
    )
