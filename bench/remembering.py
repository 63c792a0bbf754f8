"""Whether a worker's memory stays flat over a long run."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bench.draining import MOST_SECONDS, Plan, preload
from bench.fleet import Fleet

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

SHARES = {"early": 0.1, "half": 0.5, "end": 1.0}


def memory_over_time(database: Database, size: Size) -> Figures:
    """One worker's resident memory after a tenth, a half and all of its jobs."""
    plan = Plan()
    preload(database, size, plan)
    marks = {
        name: database.job_at(max(0, round(size.jobs * share) - 1))
        for name, share in SHARES.items()
    }
    database.settle_down()
    figures = {}
    with Fleet(database.url, plan.crew) as fleet:
        fleet.release()
        for name, job_id in marks.items():
            _await(database, fleet, job_id)
            figures[f"worker_{name}_mb"] = fleet.memory().now_mb
        figures["worker_peak_mb"] = fleet.memory().peak_mb
        fleet.stop()
    return figures


def _await(database: Database, fleet: Fleet, job_id: str) -> None:
    fleet.wait_until(
        lambda: not database.is_standing(job_id), look_seconds=0.02, most_seconds=MOST_SECONDS
    )
