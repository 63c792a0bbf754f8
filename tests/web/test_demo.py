"""`make run`: the service with sample tasks, something to see at once, and a clean end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Self

import httpx
import pytest

from leasehold.client import Client
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
WAIT_SECONDS = 60.0


@pytest.fixture
def recipe() -> str:
    """What `make run` does, to be run elsewhere and with this Python."""
    shown = subprocess.run(
        ["make", "--dry-run", "--always-make", "run", "PORT=0"],
        cwd=ROOT,
        env={key: value for key, value in os.environ.items() if key != "LEASEHOLD_URL"},
        capture_output=True,
        text=True,
        check=True,
    )
    lines = [line for line in shown.stdout.splitlines() if "mkdir" in line or "serve" in line]
    return " && ".join(lines).replace(".venv/bin/leasehold", "python -m leasehold.cli")


@pytest.fixture
def running(recipe: str, tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Demo]:
    url = getattr(request, "param", None)
    given = request.getfixturevalue(url) if url else "sqlite:///var/leasehold.db"
    with Demo(recipe, tmp_path, given) as demo:
        yield demo


class Demo:
    """The recipe, running in a folder of its own."""

    def __init__(self, recipe: str, folder: Path, url: str) -> None:
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        paths = os.pathsep.join(sys.path)
        self.process = subprocess.Popen(
            ["sh", "-c", recipe.replace("python -m", "exec python -m")],
            start_new_session=True,
            cwd=folder,
            env=os.environ | {"LEASEHOLD_URL": url, "PATH": path, "PYTHONPATH": paths},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        assert found, line + self.process.communicate(timeout=WAIT_SECONDS)[1]
        self.http = httpx.Client(base_url=found[0], timeout=30)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.http.close()
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.mark.parametrize("running", ["sqlite_url", "postgres_url"], indirect=True)
def test_there_is_something_to_see_at_once(running: Demo) -> None:
    def seen(state: str) -> set[str]:
        page = running.http.get("/api/jobs", params={"state": state, "limit": 500}).json()
        return {job["kind"] for job in page["jobs"]}

    wait_until(lambda: {"greet", "fetch"} <= seen("succeeded"), "jobs succeeded", WAIT_SECONDS)
    wait_until(lambda: "charge_card" in seen("dead"), "one is dead", WAIT_SECONDS)
    batches = running.http.get("/api/batches").json()["batches"]
    assert "order" in {each["name"] for each in batches}
    names = {each["name"] for each in running.http.get("/api/schedules").json()}
    assert names >= {"tidy-up", "nightly-report"}  # and those of the applications
    assert "render_report" in running.http.get("/demo").text
    assert running.http.get("/health/ready").status_code == 200


def test_ctrl_c_ends_it_cleanly_and_the_file_stays(running: Demo, tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/var/leasehold.db"
    with Client(url) as client:
        wait_until(lambda: client.find(state="running") != [], "a job runs", WAIT_SECONDS)
        asked_at = time.monotonic()
        running.process.send_signal(signal.SIGINT)
        _, log = running.process.communicate(timeout=WAIT_SECONDS)
        assert running.process.returncode == 0
        assert time.monotonic() - asked_at < 8  # 3 s, were this machine idle
        assert "Traceback" not in log
        assert client.find(state="running") == []
        assert client.workers() == []
