"""What taking away old jobs costs a drain that goes on meanwhile."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import leasehold as lh
from bench.crew import Crew
from bench.database import Load
from bench.draining import LOOK_SECONDS, MOST_SECONDS
from bench.fleet import BenchFailed, Fleet
from bench.tasks import noop

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

AT_ONCE_SECONDS = 0.1  # after its start a worker asks whether it is to prune


def drain_beside_retention(database: Database, size: Size, *, is_pruning: bool) -> Figures:
    """Drain `size.jobs` jobs beside `size.beside` old ones, which go meanwhile or are kept."""
    database.write_finished(Load(count=size.beside, kind=noop.name))
    database.write_ready(Load(count=size.jobs, kind=noop.name))
    with lh.Client(database.url) as client:
        client.retention.set(keep="0s" if is_pruning else "ever")
    last = database.job_at(size.jobs - 1)
    database.settle_down()
    crew = Crew(kinds=(noop.name,), first_keep_seconds=AT_ONCE_SECONDS)
    with Fleet(database.url, crew) as fleet:
        started = time.perf_counter()
        fleet.release()
        fleet.wait_until(
            lambda: not (database.is_standing(last) or database.is_any_due()),
            look_seconds=LOOK_SECONDS,
            most_seconds=MOST_SECONDS,
        )
        seconds = time.perf_counter() - started
        left = sum(database.count_outcomes().values())
        fleet.stop()
    gone = size.jobs + size.beside - left
    if database.count_standing() or (gone > 0) > is_pruning:
        raise BenchFailed(f"{database.count_standing()} jobs are left, and {gone} went")
    return {"jobs_per_second": size.jobs / seconds, "gone_per_second": gone / seconds}
