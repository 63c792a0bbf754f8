"""A worker that is killed takes its child processes with it, and all that was theirs."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import leasehold as lh
from tests.faults.waiting import wait_for

MODULE = """
import os, subprocess, tempfile, time
from pathlib import Path
import leasehold as lh

@lh.task(isolation="process", network=False)
def linger(path: str) -> None:
    program = subprocess.Popen(["sleep", "1000"])
    (Path(tempfile.gettempdir()) / "file").write_text("left")
    Path(path + ".new").write_text(f"{os.getpid()} {program.pid} {tempfile.gettempdir()}")
    os.rename(path + ".new", path)
    while True:
        time.sleep(0.01)
"""


def test_the_child_of_a_killed_worker_ends_too(sqlite_url: str, tmp_path: Path) -> None:
    (tmp_path / "lingering.py").write_text(MODULE)
    beacon = tmp_path / "pid"
    with lh.Client(sqlite_url) as client:
        client.enqueue_by_name("lingering.linger", {"path": str(beacon)})
    worker = subprocess.Popen(
        [sys.executable, "-m", "leasehold.cli", "--url", sqlite_url, "work", "lingering"],
        cwd=tmp_path,
    )
    try:
        child, program, folder = wait_for("the child runs", lambda: _read(beacon), 30).split()
        worker.send_signal(signal.SIGKILL)
        worker.wait()
        wait_for("the child ends", lambda: not _is_alive(int(child)) or None, 15)
        wait_for("what it started ends", lambda: not _is_alive(int(program)) or None, 15)
        assert not Path(folder).exists()
    finally:
        worker.kill()
        worker.wait()


def _read(path: Path) -> str | None:
    return path.read_text() or None if path.exists() else None


def _is_alive(pid: int) -> bool:
    """Whether it runs; a zombie that nobody has collected yet does not."""
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False
    return status.rpartition(") ")[2][0] != "Z"
