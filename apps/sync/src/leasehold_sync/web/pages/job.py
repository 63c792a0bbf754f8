"""One sync: a bar for each resource that moves while it runs; cancel it, retry what failed."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from fastapi import APIRouter, Response

from leasehold.kit.web import Changer, Reader, Visit
from leasehold_sync import syncing
from leasehold_sync.data import browsing
from leasehold_sync.web.api.values import ENDED, JobPath, is_over
from leasehold_sync.web.hub import OfHub
from leasehold_sync.web.pages.shell import PAGES, OfVisit

router = APIRouter(prefix="/ui/jobs", include_in_schema=False)
Row = dict[str, Any]


@router.get("/{job_id}")
def show_job(job_id: JobPath, visit: OfVisit, _person: Reader, hub: OfHub) -> Response:
    """Show how a sync goes on."""
    found = syncing.status(hub.client, hub.database, job_id)
    expected = hub.read(browsing.expected_counts, job_id)
    seconds = _seconds(found)
    return PAGES.render(
        visit,
        "job.html",
        of=found,
        tasks=[_show(visit, task, expected.get(task["resource_type"])) for task in found["tasks"]],
        is_active=found["status"] not in ENDED,
        is_live=not is_over(found),
        seconds=int(seconds),
        speed=_speed(found["processed_entities"], seconds),
    )


@router.post("/{job_id}/cancel")
def cancel(job_id: JobPath, visit: OfVisit, _person: Changer, hub: OfHub) -> Response:
    """Cancel the sync."""
    syncing.cancel(hub.client, hub.database, job_id)
    return visit.go(f"/jobs/{job_id}", "cancelled")


@router.post("/{job_id}/retry")
def retry(job_id: JobPath, visit: OfVisit, _person: Changer, hub: OfHub) -> Response:
    """Do what failed again."""
    count = syncing.retry(hub.client, hub.database, job_id)
    return visit.go(f"/jobs/{job_id}", "retried", count=count)


def _show(visit: Visit, task: Row, expected: int | None) -> Row:
    """Add what a bar needs: no source says how much it has, so a bar has a scale of its own."""
    count = task["entity_count"]
    scale = scale_of(count, expected)
    is_done = task["status"] == "completed"
    return task | {
        "scale": scale,
        "reached": scale if is_done else count,
        "counted": _count(visit, task, expected),
        "speed": _speed(count, _seconds(task)),
    }


def scale_of(count: int, expected: int | None) -> int:
    """Return what a full bar stands for: as many as last time, else the next round number."""
    if expected is not None and expected >= count > 0:
        return expected
    step = 100
    while True:
        for factor in (1, 2, 5):
            if count < factor * step:
                return factor * step
        step *= 10


def _count(visit: Visit, task: Row, expected: int | None) -> str:
    count = task["entity_count"]
    if task["status"] in ENDED:
        return visit.say.many("task.count", count)
    if expected is not None and expected >= count > 0:
        return visit.say("task.of_about", count=count, expected=expected)
    return visit.say("task.so_far", count=count)


def _seconds(row: Row) -> float:
    """Return how long it took, or takes by now."""
    if row["started_at"] is None:
        return 0.0
    began: datetime = row["started_at"]
    until: datetime = row["completed_at"] or datetime.now(UTC)
    return max(0.0, (until - began).total_seconds())


def _speed(count: int, seconds: float) -> int:
    return round(count / seconds) if seconds > 0 else 0
