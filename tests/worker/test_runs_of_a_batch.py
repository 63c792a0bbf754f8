"""A run for one batch does its jobs, and no others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from leasehold.errors import BadOption
from leasehold.model.ids import JobId
from leasehold.model.states import State
from leasehold.worker import Reason
from tests.conformance.kit import make_batch
from tests.worker.budget_kit import knows, long, shared, short
from tests.worker.kit import let_lapse, new_worker, ready_count

if TYPE_CHECKING:
    from leasehold.client import Client


@pytest.fixture
def batch(client: Client) -> JobId:
    return make_batch(client.store)


def test_a_batchs_run_takes_its_members_wherever_they_wait(client: Client, batch: JobId) -> None:
    mine = [
        client.enqueue(short.with_options(batch=batch)),
        client.enqueue(shared.with_options(batch=batch)),
        client.enqueue(short.with_options(batch=batch, share="b")),
        client.enqueue(short.with_options(batch=batch, priority=3)),
    ]
    lapsed = client.enqueue(long.with_options(batch=batch))
    assert let_lapse(client, ["long", "short"]) >= 1
    client.enqueue_many(task.call() for task in (short, long, shared) for _ in range(10))

    report = new_worker(client, [short, long, shared]).run(batch=batch)
    assert report.reason is Reason.EMPTY
    assert {client.get(job.id).state for job in (*mine, lapsed)} == {State.SUCCEEDED}
    assert report.succeeded == 5
    assert sum(counts.ready + counts.blocked for counts in client.counts()) == 30


def test_a_batchs_run_takes_members_that_others_did_not_know(client: Client, batch: JobId) -> None:
    job = client.enqueue(long.with_options(batch=str(batch)))
    new_worker(client, [short]).run(until_empty=True)
    assert client.store.parked_kinds() == {"long": 1}
    assert new_worker(client, [short, long]).run(batch=batch).succeeded == 1
    assert client.get(job.id).state is State.SUCCEEDED


def test_a_batchs_run_sees_members_that_members_add(client: Client, batch: JobId) -> None:
    @lh.task(name="countdown")
    def countdown(n: int) -> None:
        if n:
            client.enqueue(countdown.with_options(batch=str(batch)), n - 1)

    client.enqueue(countdown.with_options(batch=str(batch)), 10)
    client.enqueue(countdown, 1)
    report = new_worker(client, [countdown]).run(batch=str(batch), budget=60)
    assert (report.reason, report.succeeded) == (Reason.EMPTY, 11)


def test_a_batchs_run_does_not_wait_for_members_that_are_not_due(
    client: Client, batch: JobId
) -> None:
    client.enqueue(short.with_options(batch=str(batch), delay="1h"))
    client.enqueue(short)
    report = new_worker(client, [short]).run(batch=batch)
    assert (report.reason, report.succeeded) == (Reason.EMPTY, 0)


def test_a_batch_a_budget_and_a_number_hold_together(client: Client, batch: JobId) -> None:
    knows(client, long=1_000.0)
    client.enqueue_many(
        [long.with_options(batch=str(batch)).call() for _ in range(4)]
        + [short.with_options(batch=str(batch)).call() for _ in range(4)]
        + [short.call()]
    )
    report = new_worker(client, [short, long], slots=4).run(batch=batch, budget=20, max_jobs=4)
    assert (report.reason, report.succeeded) == (Reason.MAX_JOBS, 4)
    report = new_worker(client, [short, long], slots=4).run(batch=batch, budget=20)
    assert report.reason is Reason.BUDGET
    assert ready_count(client) > 0


def test_a_batch_must_be_an_id(client: Client) -> None:
    worker = new_worker(client, [short])
    with pytest.raises(BadOption, match="batch"):
        worker.run(batch="tuesday")
