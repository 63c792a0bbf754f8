"""The service beside much that has ended and waits: how soon pages answer, what watching costs."""

from __future__ import annotations

import http.client
import statistics
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

from bench.database import Load
from bench.draining import LOOK_SECONDS, MOST_SECONDS
from bench.fleet import STOP_SECONDS, BenchFailed, Fleet
from bench.tasks import noop

if TYPE_CHECKING:
    from collections.abc import Iterator

    from bench.crew import Crew
    from bench.database import Database, Figures, Size

LOOKS = 7
PAGES = (
    "/",
    "/?window=7d",
    "/jobs",
    *(f"/jobs?state={state}" for state in ("queued", "running", "failed", "succeeded", "dead")),
    "/jobs?queue=default&kind=bench.noop",
    "/jobs?kind=nobody.knows.it",
    "/jobs?q=nothing+has+this",
    "/failures",
    "/queues",
    "/batches",
    "/schedules",
    "/workers",
    "/throttles",
    "/system",
    "/metrics",
    "/api/stats",
    "/api/stats/series",
    "/api/stats/failures",
    "/api/jobs",
)


@contextmanager
def serving(url: str) -> Iterator[int]:
    """Serve the store, without a worker, in a process of its own; yields its port."""
    command = [sys.executable, "-m", "leasehold.cli", "--url", url, "serve"]
    options = ["--no-worker", "--no-apps", "--port", "0", "--log-level", "error"]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        said = process.stdout.readline()
        yield int(said.partition("127.0.0.1:")[2].partition("/")[0])
    finally:
        process.terminate()
        process.communicate(timeout=STOP_SECONDS)


def page_times(database: Database, size: Size) -> Figures:
    """Time every page beside `size.beside` ended and `size.jobs` waiting jobs, warm, medians."""
    database.write_finished(Load(count=size.beside, kind=noop.name))
    database.write_ready(Load(count=size.jobs, kind=noop.name))
    database.settle_down()
    with serving(database.url) as port:
        job = f"/jobs/{database.job_at(0)}"
        times = {page: _time_page(port, page) for page in (*PAGES, job, f"/api{job}/detail")}
    slowest = max(times, key=lambda page: times[page])
    print(f"slowest: {slowest}", flush=True)
    for page, taken in times.items():
        print(f"  {taken:7.1f} ms  {page.replace(job, '/jobs/ID')}", flush=True)
    return {"slowest_ms": times[slowest], "median_ms": statistics.median(times.values())}


def _time_page(port: int, page: str) -> float:
    return statistics.median(_ask(port, page)[0] for _ in range(LOOKS)) * 1_000


def _ask(port: int, page: str, etag: str = "") -> tuple[float, str]:
    """Get a page, as a browser's script does when it has it already; returns seconds and ETag."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    headers = {"HX-Request": "true", "If-None-Match": etag} if etag else {}
    started = time.perf_counter()
    connection.request("GET", page, headers=headers)
    answer = connection.getresponse()
    answer.read()
    seconds = time.perf_counter() - started
    connection.close()
    if answer.status not in {200, 204}:
        raise BenchFailed(f"{page} answered {answer.status}")
    return seconds, answer.headers.get("ETag", "")


class Watcher:
    """Keeps the overview open as a browser does: follows its stream, gets it again at each tick."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
        self._is_ended = False
        self._is_open = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self.ticks = 0

    def start(self) -> None:
        """Begin; returns when the page is open and its stream has said so."""
        self._thread.start()
        if not self._is_open.wait(STOP_SECONDS):
            raise BenchFailed("the page does not open")

    def stop(self) -> None:
        self._is_ended = True
        self._connection.close()

    def _follow(self) -> None:
        _, etag = _ask(self._port, "/")
        self._connection.request("GET", "/live?of=/")
        stream = self._connection.getresponse()
        while not self._is_ended:
            try:
                line = stream.readline()
            except (OSError, ValueError, AttributeError):  # closed under us, at the end
                return
            if line.startswith(b"event: tick"):
                _, etag = _ask(self._port, "/", etag or "none")
                self.ticks += 1
                self._is_open.set()


def drain_watched(database: Database, size: Size, crew: Crew, *, is_watched: bool) -> Figures:
    """Drain beside ended jobs, with the overview open in a browser or not."""
    database.write_finished(Load(count=size.beside, kind=noop.name))
    database.write_ready(Load(count=size.jobs, kind=noop.name))
    last = database.job_at(size.jobs - 1)
    database.settle_down()
    with serving(database.url) as port, Fleet(database.url, crew) as fleet:
        watcher = Watcher(port)
        if is_watched:
            watcher.start()
        started = time.perf_counter()
        fleet.release()
        fleet.wait_until(
            lambda: not (database.is_standing(last) or database.is_any_due()),
            look_seconds=LOOK_SECONDS,
            most_seconds=MOST_SECONDS,
        )
        seconds = time.perf_counter() - started
        watcher.stop()
        fleet.stop()
    return {"jobs_per_second": size.jobs / seconds, "looks": watcher.ticks}
