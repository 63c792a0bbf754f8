"""What killed workers did not write down is missing in the charts; nothing is counted twice."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from typing import TYPE_CHECKING

import leasehold as lh
from tests.conformance.tables import LIVE, open_tables
from tests.faults.counted import tick
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from tests.faults.target import Target

JOBS = 600  # for each worker: more than it gets done until it has counted and is killed
KILLS = 3
WAIT_SECONDS = 60.0


def counted(client: lh.Client) -> Counter[str]:
    found: Counter[str] = Counter()
    for total in client.stats.totals():
        found[total.fact] += total.count
    return found


def recorded(url: str) -> Counter[str]:
    """How many attempts came to what, as the jobs' own history says."""
    with open_tables(url) as tables:
        return Counter(str(row["state"]) for row in tables.rows("outcome"))


def run_and_kill(client: lh.Client, url: str) -> None:
    """Let a worker count something, and kill it in the middle of its jobs."""
    client.enqueue_many(tick.call() for _ in range(JOBS))
    before = counted(client)["succeeded"]
    process = subprocess.Popen([sys.executable, "-m", "tests.faults.counted", url])
    try:
        wait_for("count", lambda: counted(client)["succeeded"] > before, WAIT_SECONDS)
    finally:
        process.kill()
        process.wait()


def test_counts_never_say_more_than_the_history(client: lh.Client, target: Target) -> None:
    for _ in range(KILLS):
        run_and_kill(client, target.url)
    killed = counted(client)
    assert killed["succeeded"] <= recorded(target.url)["succeeded"]

    with lh.Worker(client, [tick], slots=32, poll=0.1), open_tables(target.url) as tables:
        wait_for("end", lambda: not any(map(tables.rows, LIVE)), WAIT_SECONDS)
    found, whole = counted(client), recorded(target.url)
    assert whole["succeeded"] == KILLS * JOBS
    assert all(found[fact] <= count for fact, count in whole.items())
    assert found["succeeded"] > killed["succeeded"]
    assert found["ran"] == found["succeeded"]
    assert found["lapsed"] > 0
