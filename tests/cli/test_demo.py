"""`python -m leasehold.demo`: something to see at once, and a clean end."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

from leasehold.client import Client
from leasehold.model.states import State

WAIT_SECONDS = 60


def start(folder: Path, *words: str, **env: str) -> subprocess.Popen[str]:
    kept = {key: value for key, value in os.environ.items() if key != "LEASEHOLD_URL"}
    return subprocess.Popen(
        [sys.executable, "-m", "leasehold.demo", *words],
        cwd=folder,
        env=kept | env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_jobs_of_every_sort_run_and_the_file_stays(tmp_path: Path) -> None:
    out, err = start(tmp_path, "--seconds", "3").communicate(timeout=WAIT_SECONDS)
    assert err == ""
    assert f"The queue is {tmp_path}/var/demo.db" in out
    with Client(f"sqlite:///{tmp_path}/var/demo.db") as client:
        kinds = {job.kind for job in client.each(state=State.SUCCEEDED)}
        assert {"greet", "fetch", "hash_password"} <= kinds
        assert client.find(state=State.RUNNING) == []
        assert client.workers() == []


def test_the_commands_it_names_work(tmp_path: Path) -> None:
    out, _ = start(tmp_path, "--seconds", "1").communicate(timeout=WAIT_SECONDS)
    commands = [line for line in out.splitlines() if line.startswith("  LEASEHOLD_URL=")]
    assert len(commands) == 5
    for command in commands:
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True, capture_output=True)


def test_counts_are_printed_every_second(tmp_path: Path) -> None:
    out, _ = start(tmp_path, "--seconds", "2").communicate(timeout=WAIT_SECONDS)
    lines = re.findall(r"^\d\d:\d\d:\d\d  queued \d+  running \d+  failed \d+", out, re.MULTILINE)
    assert len(lines) >= 2


def test_ctrl_c_ends_it_cleanly_within_three_seconds(tmp_path: Path) -> None:
    process = start(tmp_path)
    wait_for_line(process, "queued")
    asked_at = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert time.monotonic() - asked_at < 3
    assert (process.returncode, err) == (0, "")
    assert "Done: " in out


def test_it_runs_where_leasehold_url_points_and_hides_the_password(
    tmp_path: Path, postgres_url: str
) -> None:
    process = start(tmp_path, "--seconds", "1", LEASEHOLD_URL=with_password(postgres_url))
    out, err = process.communicate(timeout=WAIT_SECONDS)
    assert process.returncode == 0, err
    assert "sesame" not in out
    assert not (tmp_path / "var").exists()
    with Client(postgres_url) as client:
        assert client.find(limit=1) != []


def with_password(url: str) -> str:
    return url + ("&" if "?" in url else "?") + "password=open-sesame"


def wait_for_line(process: subprocess.Popen[str], part: str) -> None:
    assert process.stdout is not None
    for line in process.stdout:
        if part in line:
            return
    raise AssertionError(f"it ended without saying {part!r}")
