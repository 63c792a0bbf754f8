"""An outside cron gets one job done, or what fits into its time; and is seen as a worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold_documents import working
from leasehold_documents.model.jobs import TYPES
from leasehold_documents.monitoring import health
from tests.documents.flow.kit import Office
from tests.worker.kit import wait_until

if TYPE_CHECKING:
    import pytest


def test_a_tick_without_work_has_done_nothing(queue: lh.Client) -> None:
    assert working.tick(queue, drain=False)[:2] == (0, 0)
    assert working.tick(queue, drain=True)[:2] == (0, 0)


def test_a_tick_runs_one_job(office: Office) -> None:
    jobs = [office.agree(office.add(f"{number}.pdf")) for number in range(2)]
    assert working.tick(office.client, drain=False).jobs == 1
    states = sorted(office.client.get(each).state for each in jobs)
    assert states == [lh.State.QUEUED, lh.State.SUCCEEDED]


def test_a_draining_tick_does_all_that_there_is(office: Office) -> None:
    document = office.add()
    job_id = office.agree(document)
    ticked = working.tick(office.client, drain=True)
    assert ticked.done == ticked.jobs > 1  # what follows from it, too
    assert office.extraction(job_id)["status"] == "done"
    assert not office.client.find(state="queued")


def test_a_tick_is_seen_as_a_worker(office: Office) -> None:
    working.tick(office.client, drain=False)
    assert health(office.client).is_ok


@lh.task(name="endless", queue="documents", resumable=True)
def endless() -> None:
    """Take as long as it may, and go on another time."""
    while True:
        lh.current_job().check()
        time.sleep(0.005)


def test_a_draining_tick_ends_in_time_and_hands_back(
    queue: lh.Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(working, "tasks", [endless])
    job_id = queue.enqueue(endless).id
    assert working.tick(queue, drain=True, budget_seconds=1.5).jobs == 1
    assert queue.get(job_id).state == lh.State.QUEUED


def test_a_worker_that_stays_knows_all_jobs(queue: lh.Client) -> None:
    worker = working.make_worker(queue, poll=0.05)
    with worker:
        kinds = {kind for each in queue.workers() for kind in each.kinds}
    assert set(TYPES) <= kinds


def test_a_consent_wakes_a_worker_before_its_next_look(office: Office) -> None:
    document = office.add()
    with working.make_worker(office.client, poll=60.0):
        wait_until(lambda: bool(office.client.workers()), "a worker")
        job_id = office.agree(document)
        office.client.wait(job_id, 30)  # else `TimeoutError`
