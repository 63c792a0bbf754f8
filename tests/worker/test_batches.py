"""Batches and callbacks with real workers: ends are followed up, by whoever is there."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.batches import BatchStatus, Followed
from leasehold.model.states import State
from leasehold.model.values import Want
from leasehold.store import open_store
from leasehold.worker import follower
from tests.worker.kit import GONE, ChangedStore, drain, let_lapse, new_worker, wait_until
from tests.worker.sample_tasks import batch_of_child

if TYPE_CHECKING:
    from leasehold.client import Client

told: list[lh.BatchEnded] = []
told_of_jobs: list[lh.JobEnded] = []


@pytest.fixture(autouse=True)
def forget() -> None:
    told.clear()
    told_of_jobs.clear()


@lh.task(name="batch.report")
def report(ended: lh.BatchEnded) -> None:
    told.append(ended)


@lh.task(name="job.report")
def report_job(ended: lh.JobEnded) -> None:
    told_of_jobs.append(ended)


@lh.task(name="batch.step", max_attempts=1)
def step(number: int) -> None:
    if number < 0:
        raise ValueError(number)


@lh.task(name="batch.async_step")
async def async_step(number: int) -> None: ...


TASKS = (report, report_job, step, async_step)


def fill(client: Client, count: int = 3, **options: Any) -> lh.Batch:
    with client.batches.create(**({"on_end": report} | options)) as batch:
        batch.add_many(step.call(number) for number in range(count))
    return batch


def test_the_callback_runs_once_after_the_last_member(client: Client) -> None:
    batch = fill(client, 30, name="many", meta={"app": "shop"})
    assert drain(client, *TASKS).succeeded == 31
    (ended,) = told
    assert (ended.batch, ended.name, ended.meta) == (batch.id, "many", {"app": "shop"})
    assert (ended.total, ended.succeeded, ended.is_success) == (30, 30, True)
    info = batch.info()
    assert (info.status, info.progress, info.counts.succeeded) == (BatchStatus.ENDED, 1.0, 30)


def test_an_embedded_worker_follows_up_at_once(client: Client) -> None:
    with new_worker(client, TASKS, poll="30s"):  # no sweep comes to its help
        fill(client, 20)
        wait_until(lambda: len(told) == 1, "the callback has run")


def test_a_sweep_follows_up_what_a_worker_did_not_live_to(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    batch = fill(client, 2)
    deaf = ChangedStore(client.store, follow_up=_nothing, sweep=_nothing, follow_batches=_nothing)
    with new_worker(_client_on(deaf), TASKS, poll="50ms"):
        wait_until(lambda: batch.info().counts.succeeded == 2, "the members have ended")
    assert batch.info().status is BatchStatus.SEALED
    with new_worker(client, TASKS, poll="50ms"):
        wait_until(lambda: len(told) == 1, "a sweep has ended it")


def _nothing(*_args: object, **_named: object) -> Followed:
    return Followed()


def _client_on(store: Any) -> Client:
    return lh.Client(store=store)


def test_mutant_without_a_follower_and_sweeps_nobody_is_called(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(follower.Follower, "_follow_all", lambda _self: None)
    batch = fill(client, 2)  # before: who seals a batch that is over ends it
    with new_worker(client, TASKS, poll="50ms"):
        wait_until(lambda: batch.info().counts.succeeded == 2, "the members have ended")
    assert told == []


def test_members_add_members_after_the_seal(client: Client) -> None:
    @lh.task(name="batch.tree")
    def tree(depth: int) -> None:
        batch = lh.current_job().batch
        if depth > 0:
            batch.add(tree, depth - 1)
            assert batch.add_many([tree.call(depth - 1), tree.call(depth - 1)]) == 2

    with client.batches.create(on_end=report) as batch:
        batch.add(tree, 3)
    drain(client, tree, *TASKS)
    (ended,) = told
    assert (ended.total, ended.succeeded) == (1 + 3 + 9 + 27, 40)
    assert batch.info().counts.total == 40


def test_members_are_added_in_the_transaction_that_ends_the_member(client: Client) -> None:
    @lh.task(name="batch.pages")
    def pages(left: int) -> None:
        job = lh.current_job()
        with job.transaction() as connection:
            if left:
                job.batch.on(connection).add(pages, left - 1)

    with client.batches.create(on_end=report) as batch:
        batch.add(pages, 4)
    drain(client, pages, *TASKS)
    assert (batch.info().counts.succeeded, told[0].total) == (5, 5)


def test_a_member_nests_a_batch(client: Client) -> None:
    @lh.task(name="batch.outer")
    def outer() -> None:
        with lh.current_job().batch.nest(name="inner", on_end=report) as inner:
            inner.add_many(step.call(number) for number in range(5))

    with client.batches.create(name="outer", on_end=report) as batch:
        batch.add(outer)
    drain(client, outer, *TASKS)
    assert sorted(str(ended.name) for ended in told) == ["inner", "outer"]
    assert {each.name: each.status for each in client.batches.list()} == {
        "inner": BatchStatus.ENDED,
        "outer": BatchStatus.ENDED,
    }
    assert batch.info().counts.total == 1


def test_a_job_of_no_batch_has_none_to_add_to(client: Client) -> None:
    said: list[str] = []

    @lh.task(name="batch.alone")
    def alone() -> None:
        assert lh.current_job().batch_id is None
        try:
            lh.current_job().batch.add(step, 1)
        except lh.LeaseholdError as error:
            said.append(str(error))

    client.enqueue(alone)
    drain(client, alone)
    assert "belongs to no batch" in said[0]


def test_the_first_death_is_told_while_the_others_run(client: Client) -> None:
    @lh.task(name="batch.alarm")
    def alarm(ended: lh.BatchEnded) -> None:
        told.append(ended)
        may_end.set()

    may_end = threading.Event()

    @lh.task(name="batch.slow")
    def slow() -> None:
        assert may_end.wait(20)

    with client.batches.create(on_end=report, on_failure=alarm) as batch:
        batch.add(slow)
        batch.add(step, -1)
        batch.add(step, -2)
    with new_worker(client, [alarm, slow, *TASKS], slots=4, poll="30s"):
        wait_until(lambda: len(told) == 2, "both callbacks have run")
    first, last = told
    assert first.dead >= 1
    assert (last.total, last.dead, last.succeeded, last.is_success) == (3, 2, 1, False)


def test_what_failed_is_retried_as_another_round(client: Client) -> None:
    fails = [True]

    @lh.task(name="batch.shaky", max_attempts=1)
    def shaky(number: int) -> None:
        if number == 1 and fails[0]:
            raise ValueError(number)

    with client.batches.create(on_end=report) as batch:
        batch.add_many(shaky.call(number) for number in range(3))
    drain(client, shaky, *TASKS)
    assert (told[0].dead, told[0].round) == (1, 1)
    fails[0] = False
    info = batch.retry_failed()
    assert (info.status, info.round, info.counts.queued) == (BatchStatus.SEALED, 2, 1)
    drain(client, shaky, *TASKS)
    assert (told[1].succeeded, told[1].round, told[1].is_success) == (3, 2, True)
    assert batch.retry_failed() == batch.info()  # nothing failed: nothing is done
    assert len(told) == 2


def test_a_lapse_that_ends_the_last_member_is_followed_up(client: Client) -> None:
    with client.batches.create(on_end=report) as batch:
        batch.add(step.with_options(max_attempts=1), 1)
    let_lapse(client, [step.name])
    client.store.promote(limit=10)
    let_suspect_lapse(client)
    with new_worker(client, TASKS, poll="50ms"):
        wait_until(lambda: len(told) == 1, "the callback has run")
    assert told[0].dead == 1


def let_suspect_lapse(client: Client) -> None:
    past = open_store(client.store.url)
    past.skew_seconds = -3600.0
    leases = {step.name: 60.0}
    taken = past.claim(GONE, [Want("default", 1)], limit=1, leases=leases, is_for_suspects=True)
    past.close()
    assert len(taken) == 1
    states = client.store.reclaim([(each, 0.0) for each in client.store.lapsed(limit=10)])
    assert list(states.values()) == [State.DEAD]


@pytest.mark.parametrize("task", [step, async_step])
def test_a_single_jobs_callback_runs(client: Client, task: lh.Task[[int], Any]) -> None:
    job = client.enqueue(task.with_options(on_end=report_job), 7)
    drain(client, *TASKS)
    (ended,) = told_of_jobs
    assert (ended.job_id, ended.kind, ended.state) == (job.id, task.name, State.SUCCEEDED)
    assert (ended.attempt, ended.error, ended.batch) == (1, None, None)


def test_a_dead_jobs_callback_is_told_why(client: Client) -> None:
    client.enqueue(step.with_options(on_end=report_job), -1)
    drain(client, *TASKS)
    assert told_of_jobs[0].state is State.DEAD
    assert "ValueError" in (told_of_jobs[0].error or "")


def test_a_callback_wakes_an_idle_worker(client: Client) -> None:
    calling = report_job.with_options(queue="callbacks")
    with (
        new_worker(client, [report_job], queues=["callbacks"], poll="30s"),
        new_worker(client, [step], queues=["default"], poll="30s"),
    ):
        client.enqueue(step.with_options(on_end=calling), 1)
        wait_until(lambda: len(told_of_jobs) == 1, "the callback has run")


def test_a_cancelled_batch_ends_with_its_callback(client: Client) -> None:
    with client.batches.create(on_end=report) as batch:
        batch.add_many(step.call(number) for number in range(5))
    info = client.batches.cancel(batch.id, by="Ada")
    assert (info.status, info.counts.cancelled) == (BatchStatus.CANCELLED, 5)
    drain(client, *TASKS)
    assert (told[0].cancelled, told[0].is_cancelled) == (5, True)


def test_an_isolated_member_knows_its_batch_and_can_not_add(client: Client) -> None:
    with client.batches.create() as batch:
        job = batch.add(batch_of_child)
    drain(client, batch_of_child)
    assert client.get(job.id).result == [str(batch.id), "LeaseholdError"]


def test_a_cancellation_whose_caller_died_is_ended_by_a_sweep(client: Client) -> None:
    batch = fill(client, 5)
    client.store.cancel_batch(batch.id, by="Ada")  # and here its process was killed
    with new_worker(client, (report,), poll="100ms"):
        wait_until(lambda: len(told) == 1, "the callback has run")
    assert (told[0].cancelled, told[0].is_cancelled) == (5, True)
    assert batch.info().status is BatchStatus.CANCELLED
    (member, *_) = client.find(batch=batch.id)
    assert "Ada" in (client.history(member.id)[-1].error or "")


def test_an_error_while_it_is_filled_cancels_it(client: Client) -> None:
    batch = client.batches.create(on_end=report)

    def fill_badly() -> None:
        with batch:
            batch.add(step, 1)
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fill_badly()
    info = batch.info()
    assert (info.status, info.counts.cancelled) == (BatchStatus.CANCELLED, 1)
    assert "RuntimeError" in (info.cancelled_by or "")
