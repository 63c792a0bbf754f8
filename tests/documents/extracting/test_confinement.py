"""What a file could make its reader do: nothing that leaves the reader."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from leasehold_documents.errors import Rejected
from leasehold_documents.extracting.bounds import Bounds
from leasehold_documents.extracting.builtin import BuiltIn
from leasehold_documents.extracting.messages import Render
from tests.documents.extracting import papers
from tests.documents.extracting.processes import children, nursery

PDF = "application/pdf"
SLEEP = ["/bin/sleep", "600"]
_TAKEN_OVER = """
import errno, json, os, resource, socket

def tried(act):
    try:
        act()
    except OSError as error:
        return errno.errorcode[error.errno]
    return "done"

print("level\\t" + json.dumps({
    "inet": tried(lambda: socket.socket(socket.AF_INET)),
    "unix": tried(lambda: socket.socket(socket.AF_UNIX)),
    "fork": tried(os.fork),
    "memory": resource.getrlimit(resource.RLIMIT_AS)[0],
    "names": sorted(os.environ),
    "open": sorted(map(int, os.listdir("/proc/self/fd"))),
}))
"""


@pytest.fixture
def taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Let a reader run what a hostile file might want to, and report."""
    monkeypatch.setenv("LEASEHOLD_DOCUMENTS_SECRET", "canary")
    path = papers.pdf(tmp_path / "a", ["Text"])
    engine = BuiltIn()
    try:
        command = [sys.executable, "-I", "-c", _TAKEN_OVER]
        said = engine._asking.table(Render(PDF, 1, command), path)
    finally:
        engine.close()
    found: dict[str, Any] = json.loads(said.removeprefix(b"level\t"))
    return found


def test_a_reader_has_no_network_starts_nothing_and_knows_no_secret(
    taken_over: dict[str, Any],
) -> None:
    assert taken_over["inet"] == taken_over["unix"] == taken_over["fork"] == "EPERM"
    assert taken_over["memory"] == 1_024 * 2**20
    assert not [name for name in taken_over["names"] if name.startswith("LEASEHOLD")]
    # Its input, its output, nothing of the nursery's or of another reader's; one is the listing's.
    assert len(taken_over["open"]) <= 7


def test_a_reader_that_hangs_is_ended_at_its_time(tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a", ["Text"])
    engine = BuiltIn(Bounds(seconds=0.5))
    try:
        with pytest.raises(Rejected) as refused:
            engine._asking.table(Render(PDF, 1, SLEEP), path)
    finally:
        engine.close()
    assert refused.value.code == "PARSER_CRASH"
    assert "too long" in refused.value.reason


def test_a_silent_reader_ends_when_nobody_listens_any_more(engine: BuiltIn, tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a", ["Text"])
    asked = engine._asking._children.ask(Render(PDF, 1, SLEEP), path)
    asked.__enter__()
    reader = _first_child(nursery(engine))
    assert not asked.__exit__(InterruptedError, InterruptedError(), None)
    _wait_for_end(reader)


def test_many_threads_ask_at_once_and_each_has_its_own_answer(
    engine: BuiltIn, tmp_path: Path
) -> None:
    paths = [papers.pdf(tmp_path / f"{n}", [f"Paper {n}"]) for n in range(24)]

    def read(path: Path) -> str:
        return engine.extract(path, media_type=PDF).elements[0].text

    with ThreadPoolExecutor(8) as pool:
        texts = list(pool.map(read, paths))
    assert texts == [f"Paper {number}" for number in range(24)]


def test_the_nursery_ends_with_a_worker_that_was_killed(tmp_path: Path) -> None:
    path = papers.pdf(tmp_path / "a", ["Text"])
    code = (
        "import sys, time; from pathlib import Path;"
        "from leasehold_documents.extracting.builtin import BuiltIn; engine = BuiltIn();"
        f"engine.inspect(Path({str(path)!r}));"
        "print(engine._asking._children._nursery.pid, flush=True); time.sleep(60)"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE
    ) as worker:
        assert worker.stdout is not None
        started = int(worker.stdout.readline())
        worker.send_signal(signal.SIGKILL)
    _wait_for_end(started)


def _first_child(process: int) -> int:
    deadline = time.monotonic() + 20
    while not (found := children(process)):
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return found[0]


def _wait_for_end(process: int) -> None:
    deadline = time.monotonic() + 20
    while _is_running(process):
        assert time.monotonic() < deadline
        time.sleep(0.01)


def _is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"
