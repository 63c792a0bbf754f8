"""`leasehold serve`: where it listens, what runs in it, how it ends."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import httpx
import pytest

from leasehold.client import Client
from leasehold.errors import BadOption, SchemaMismatch, StoreUnavailable
from leasehold.web.opening import await_database
from leasehold.web.serving import address_of, check_address, open_socket
from tests.web.serving import served
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from pathlib import Path

TASKS = "tests.web.tasks"
EVERYWHERE = "0.0.0.0"  # noqa: S104 - it is refused
# What ending may take on a machine that does much else: the promise is 3 s on an idle one.
PATIENCE_SECONDS = 8.0


def run(*words: str, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "leasehold.cli", "serve", *words]
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )


def test_it_serves_and_runs_jobs_and_ends_cleanly(store_url: str) -> None:
    with served(store_url, TASKS) as service:
        assert service.http.get("/health/ready").json() == {"status": "ok"}
        job = {"kind": "web.add", "args": {"left": 3, "right": 4}}
        path = service.http.post("/api/jobs", json=job).headers["location"]
        wait_until(
            lambda: service.http.get(path).json()["state"] == "succeeded", "the job succeeded"
        )
        assert service.http.get(path).json()["result"] == 7
        code, _, log = service.end()
        assert code == 0
        assert "Traceback" not in log
    with Client(store_url) as client:
        assert client.workers() == []


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_hands_running_jobs_back_uncharged(store_url: str, number: int) -> None:
    with served(store_url, TASKS) as service, Client(store_url) as client:
        answer = service.http.post("/api/jobs", json={"kind": "web.wait", "args": {}})
        job_id = answer.json()["id"]
        wait_until(lambda: client.get(job_id).state == "running", "the job runs")
        code, seconds, _ = service.end(number)
        assert code == 0
        assert seconds < PATIENCE_SECONDS
        job = client.get(job_id)
        assert (job.state, job.failures) == ("queued", 0)


def test_requests_that_wait_end_with_the_service(store_url: str) -> None:
    """A drain, a run and a kept-alive connection: none of them holds it up."""
    with served(store_url, TASKS, "--no-worker") as service, Client(store_url) as client:
        service.http.post("/api/jobs", json={"kind": "web.wait", "args": {}})
        answers: list[str] = []

        def ask(path: str, document: dict[str, object]) -> None:
            answers.append(service.http.post(path, json=document).text)

        run = threading.Thread(target=ask, args=("/worker", {"budget": 60}))
        run.start()
        wait_until(lambda: any(each.running for each in client.counts()), "the job runs")
        drain = threading.Thread(target=ask, args=("/api/queues/sums/drain", {"timeout": 60}))
        drain.start()
        wait_until(lambda: client.queues.list() != [], "the queue is paused")
        code, seconds, log = service.end()
        run.join(10)
        drain.join(10)
        assert code == 0
        assert seconds < PATIENCE_SECONDS, log
        assert len(answers) >= 1  # a run that ends after the last request is cut off
        assert client.counts()[0].running == 0


def test_it_may_run_without_a_worker(store_url: str) -> None:
    with served(store_url, "--no-worker", "--silent", "1ms") as service:
        answer = service.http.get("/health/ready")
        assert answer.status_code == 503
        assert "no worker" in answer.json()["detail"]
    with served(store_url, "--no-worker", "--no-needs-worker") as service:
        assert service.http.get("/health/ready").json() == {"status": "ok"}


def test_jobs_can_be_run_by_post_worker_only(store_url: str) -> None:
    with served(store_url, TASKS, "--no-worker", "--no-needs-worker") as service:
        for number in range(3):
            job = {"kind": "web.add", "args": {"left": number}}
            assert service.http.post("/api/jobs", json=job).status_code == 201
        report = service.http.post("/worker", json={"budget": "20s", "max_jobs": 2}).json()
        assert (report["reason"], report["succeeded"]) == ("max_jobs", 2)
        report = service.http.post("/worker").json()
        assert (report["reason"], report["succeeded"]) == ("empty", 1)


def test_read_only(store_url: str) -> None:
    with served(store_url, "--read-only", "--no-worker") as service:
        assert service.http.post("/api/jobs", json={"kind": "x"}).status_code == 403
        assert service.http.get("/api/jobs").status_code == 200


def test_names_behind_a_proxy(store_url: str) -> None:
    with served(store_url, "--no-worker", "--allow-host", "jobs.example.org") as service:
        for host, status in (("jobs.example.org", 200), ("evil.example", 421)):
            answer = service.http.get("/health/live", headers={"host": host})
            assert answer.status_code == status


def test_behind_a_proxy_that_strips_a_path(store_url: str) -> None:
    with served(store_url, "--no-worker", "--root-path", "/queue") as service:
        assert service.address.endswith("/queue")
        bare = service.address.removesuffix("/queue")
        answer = service.http.post(f"{bare}/api/jobs", json={"kind": "x"})
        assert answer.status_code == 201
        assert answer.headers["location"].startswith("/queue/api/jobs/")


def test_logs_are_json_when_asked_and_requests_are_not_logged(store_url: str) -> None:
    with served(store_url, TASKS, "--log-format", "json") as service:
        service.http.get("/api/jobs", params={"queue": "canary-secret"})
        _, _, log = service.end()
    events = [json.loads(line) for line in log.splitlines()]
    assert events
    assert "canary-secret" not in log


def test_an_address_that_others_reach_is_refused(tmp_path: Path) -> None:
    for host in (EVERYWHERE, "::", "192.0.2.1", "example.org", ""):
        with pytest.raises(BadOption, match="token"):
            check_address(host, is_asking=False)
        check_address(host, is_asking=True)
    for host in ("127.0.0.1", "127.1.2.3", "::1", "localhost"):
        check_address(host, is_asking=False)
    for words in ((), ("--no-auth",), ("--no-auth", "--auth", "required")):
        done = run("--host", EVERYWHERE, *words, folder=tmp_path)
        assert done.returncode == 2
        assert "leasehold token add" in done.stderr
    assert not list(tmp_path.iterdir())  # no database was made for it


def test_with_a_token_others_may_reach_it_and_are_asked(store_url: str) -> None:
    refused = run("--host", EVERYWHERE, "--url", store_url)
    assert refused.returncode == 2
    with Client(store_url) as client:
        secret = client.tokens.add("ci").secret
    with served(store_url, "--no-worker", "--host", EVERYWHERE) as service:
        assert service.http.get("/api/jobs").status_code == 401
        headers = {"authorization": f"Bearer {secret}"}
        assert service.http.get("/api/jobs", headers=headers).json()["jobs"] == []
    with served(store_url, "--no-worker", "--no-auth") as service:
        assert service.http.get("/api/jobs").status_code == 200


def test_authentication_can_be_required_before_there_is_a_token(store_url: str) -> None:
    with served(store_url, "--no-worker", "--auth", "required", "--host", EVERYWHERE) as service:
        assert service.http.get("/api/jobs").status_code == 401
        assert service.http.get("/health/live").status_code == 200


def test_a_port_that_is_taken_is_named() -> None:
    with closing(open_socket("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(BadOption, match=f"port {port}.*--port"):
            open_socket("127.0.0.1", port)
    with pytest.raises(BadOption, match="no address"):
        open_socket("no.such.host.invalid", 0)


def test_the_address_is_one_to_type() -> None:
    with closing(open_socket("127.0.0.1", 0)) as opened:
        assert address_of(opened) == f"http://127.0.0.1:{opened.getsockname()[1]}"
    if socket.has_ipv6:
        with closing(open_socket("::1", 0)) as opened:
            assert address_of(opened).startswith("http://[::1]:")


def test_a_database_that_needs_a_migration_is_said(postgres_url: str, tmp_path: Path) -> None:
    done = run("--url", postgres_url, "--no-apps", "--port", "0")
    assert done.returncode == 3
    assert "leasehold migrate" in done.stderr
    with served(postgres_url, "--migrate", "--no-worker") as service:
        assert service.http.get("/api/jobs").json()["jobs"] == []


def test_a_database_that_is_down_is_waited_for(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pauses: list[float] = []
    monkeypatch.setattr(time, "sleep", pauses.append)
    answers = [StoreUnavailable("connection refused")] * 6

    def check() -> None:
        if answers:
            raise answers.pop()

    with caplog.at_level("WARNING", logger="leasehold.web"):
        await_database(check)
    assert pauses == [0.25, 0.5, 1.0, 2.0, 4.0, 5.0]
    assert [each.getMessage() for each in caplog.records] == ["waiting for the database"] * 6


def test_a_database_that_refuses_is_not_waited_for() -> None:
    def check() -> None:
        raise SchemaMismatch("too old")

    with pytest.raises(SchemaMismatch):
        await_database(check)


def test_fifty_open_streams_end_with_the_service(store_url: str) -> None:
    with served(store_url, TASKS) as service, ExitStack() as streams:
        limits = httpx.Limits(max_connections=60)
        http = streams.enter_context(httpx.Client(base_url=service.address, limits=limits))
        opened = [streams.enter_context(http.stream("GET", "/live?of=/jobs")) for _ in range(50)]
        assert {each.headers["content-type"].partition(";")[0] for each in opened} == {
            "text/event-stream"
        }
        code, seconds, log = service.end()
        assert code == 0
        assert seconds < PATIENCE_SECONDS
        assert "Traceback" not in log
        for each in opened:  # each was told that it is over, not cut off
            each.read()
