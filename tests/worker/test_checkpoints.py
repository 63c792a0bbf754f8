"""Checkpoints and progress: the next attempt goes on where the last one was."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import StoreBusy, StoreUnavailable
from leasehold.model.states import State
from tests.worker.kit import ChangedStore, drain, new_worker, outcomes, wait_for_state, wait_until
from tests.worker.saving_kit import saved

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store

SORTS = ("async", "blocking", "blocking in async")


# -- the cursor ----------------------------------------------------------------------------------
@pytest.mark.parametrize("sort", SORTS)
def test_the_next_attempt_finds_the_cursor(client: Client, sort: str) -> None:
    seen: list[Any] = []

    def body() -> None:
        job = lh.current_job()
        seen.append(job.cursor)
        job.checkpoint({"page": job.attempt}, done=job.attempt, total=3, note="x")
        seen.append(job.cursor)
        if job.attempt < 3:
            raise ValueError("again")

    async def body_async() -> None:
        job = lh.current_job()
        seen.append(await job.cursor_async())
        await job.checkpoint_async({"page": job.attempt}, done=job.attempt, total=3, note="x")
        seen.append(await job.cursor_async())
        if job.attempt < 3:
            raise ValueError("again")

    async def body_blocking() -> None:
        body()

    chosen: Any = {"async": body_async, "blocking": body}.get(sort, body_blocking)
    task = lh.task(name="pages", max_attempts=3, retry=lh.fixed(0))(chosen)
    job_id = client.enqueue(task).id
    assert drain(client, task).succeeded == 1

    first, second, third = ({"page": n} for n in (1, 2, 3))
    assert seen == [None, first, first, second, second, third]
    found = saved(client, job_id)
    assert (found.cursor, found.done, found.total, found.note) == (third, 3, 3, "x")


def test_a_first_attempt_reads_nothing_to_know_that_there_is_no_cursor(client: Client) -> None:
    def fail(_store: Store, *_: Any) -> Any:
        raise AssertionError("it has read")

    changed = ChangedStore(client.store, checkpoint=fail, steps=fail)

    @lh.task(name="reads")
    def reads() -> Any:
        job = lh.current_job()
        return [job.cursor, job.step("one", lambda: 1)]

    with lh.Client(store=changed) as other:
        job_id = other.enqueue(reads).id
        drain(other, reads)
    assert client.get(job_id).result == [None, 1]


def test_a_cursor_is_read_as_a_type(client: Client) -> None:
    @lh.task(name="typed")
    def typed() -> Any:
        job = lh.current_job()
        nothing = job.cursor_as(dict[str, int])
        job.checkpoint({"1": "2026-01-01"})
        with pytest.raises(lh.BadCheckpoint, match="cursor"):
            job.cursor_as(list)
        found = job.cursor_as(dict[int, str])
        return [nothing, list(found or {})]

    job_id = client.enqueue(typed).id
    drain(client, typed)
    assert client.get(job_id).result == [None, [1]]


@pytest.mark.parametrize(
    ("cursor", "reason"),
    [
        (float("nan"), "nan has no form"),
        ("x" * 262_144, "262,146 bytes"),
        (object(), "object"),
        ("\0", "NUL"),
    ],
)
def test_a_cursor_that_can_not_be_stored_is_refused(
    client: Client, cursor: Any, reason: str
) -> None:
    @lh.task(name="bad", max_attempts=1)
    def bad() -> None:
        job = lh.current_job()
        job.checkpoint("good")
        job.checkpoint(cursor)

    job_id = client.enqueue(bad).id
    drain(client, bad)
    error = client.get(job_id).error or ""
    assert error.startswith("BadCheckpoint: checkpoint of 'bad': cursor")
    assert reason in error
    assert saved(client, job_id).cursor == "good"


@pytest.mark.parametrize("units", [{"done": -1}, {"total": float("inf")}, {"done": "7"}])
def test_units_that_are_no_numbers_are_refused(client: Client, units: Any) -> None:
    @lh.task(name="units", max_attempts=1)
    def bad() -> None:
        lh.current_job().checkpoint(1, **units)

    job_id = client.enqueue(bad).id
    drain(client, bad)
    assert (client.get(job_id).error or "").startswith("BadOption")


def test_many_jobs_that_save_at_once_share_their_writes(client: Client) -> None:
    """While the first write is held up, the others come; the second one takes all of them."""
    sizes: list[int] = []
    gate = threading.Event()
    came = threading.Semaphore(0)

    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        sizes.append(len(saves))
        if len(sizes) == 1:
            assert gate.wait(20)
        return store.save(worker, saves)

    @lh.task(name="many")
    def many(number: int) -> None:
        came.release()
        lh.current_job().checkpoint(number)

    changed = ChangedStore(client.store, save=save)
    with lh.Client(store=changed) as other:
        ids = [other.enqueue(many, number).id for number in range(30)]
        with new_worker(other, [many], slots=30) as worker:
            for _ in ids:
                assert came.acquire(timeout=20)
            waiting = worker._crew._saver._asked  # type: ignore[union-attr] # to see them wait
            wait_until(lambda: sum(sizes) + len(waiting) == 30, "the others wait")
            gate.set()
            wait_until(lambda: worker.report.succeeded == 30, "all have ended")
    assert (len(sizes), sum(sizes)) == (2, 30)
    assert [saved(client, job_id).cursor for job_id in ids] == list(range(30))


# -- the fence -----------------------------------------------------------------------------------
def lose(client: Client) -> None:
    """Take every lease back, as if they had lapsed."""
    store = client.store
    store.skew_seconds += 3600
    assert store.reclaim([(each, 60.0) for each in store.lapsed(limit=10)])
    store.skew_seconds -= 3600


@pytest.mark.parametrize("sort", ["async", "blocking"])
def test_a_job_that_was_taken_back_saves_no_more(client: Client, sort: str) -> None:
    told = threading.Event()

    def body() -> None:
        job = lh.current_job()
        job.checkpoint("mine", done=1)
        lose(client)
        job.progress(7, note="late")
        with pytest.raises(lh.LeaseLost):
            job.checkpoint("late")
        with pytest.raises(lh.LeaseLost):
            job.step("late", int)
        with pytest.raises(lh.LeaseLost), job.saving():
            job.checkpoint("late")
        told.set()

    async def body_async() -> None:
        job = lh.current_job()
        await job.checkpoint_async("mine", done=1)
        lose(client)
        job.progress(7, note="late")
        with pytest.raises(lh.LeaseLost):
            await job.checkpoint_async("late")
        with pytest.raises(lh.LeaseLost):
            async with job.saving():
                await job.checkpoint_async("late")
        told.set()

    chosen: Any = body if sort == "blocking" else body_async
    task = lh.task(name="lost")(chosen)
    job_id = client.enqueue(task).id
    with new_worker(client, [task]) as worker:
        wait_until(lambda: worker.report.lost == 1, "the attempt was refused")
    assert told.is_set()
    found = saved(client, job_id)
    assert (found.cursor, found.done, found.note) == ("mine", 1, None)
    assert client.steps(job_id) == []


def test_an_interrupted_handler_may_save_before_it_ends(client: Client) -> None:
    @lh.task(name="long")
    def long() -> None:
        job = lh.current_job()
        try:
            job.progress(1)
            while True:
                time.sleep(0.002)
        except lh.Stopping:
            job.checkpoint("so far")
            raise

    job_id = client.enqueue(long).id
    with new_worker(client, [long], grace="4s"):
        wait_for_state(client, job_id, State.RUNNING)
        wait_until(lambda: client.checkpoint(job_id) is not None, "it runs")
    assert outcomes(client, job_id) == ["released"]
    assert saved(client, job_id).cursor == "so far"


def test_a_handler_that_waits_for_its_save_can_be_interrupted(client: Client) -> None:
    begun, go_on = threading.Event(), threading.Event()

    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        begun.set()
        assert go_on.wait(20)
        return store.save(worker, saves)

    @lh.task(name="stuck")
    def stuck() -> None:
        lh.current_job().checkpoint(1)

    with lh.Client(store=ChangedStore(client.store, save=save)) as other:
        job_id = other.enqueue(stuck).id
        with new_worker(other, [stuck]):
            assert begun.wait(20)
            client.cancel(job_id)
            wait_for_state(client, job_id, State.CANCELLED)
            go_on.set()
    assert client.checkpoint(job_id) is None


def test_a_save_waits_while_the_database_is_away(client: Client) -> None:
    refused = [0]

    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        if refused[0] < 3:
            refused[0] += 1
            raise StoreUnavailable("away")
        return store.save(worker, saves)

    @lh.task(name="patient")
    def patient() -> None:
        lh.current_job().progress(1)
        lh.current_job().checkpoint("there")

    with lh.Client(store=ChangedStore(client.store, save=save)) as other:
        job_id = other.enqueue(patient).id
        assert drain(other, patient).succeeded == 1
    assert (saved(client, job_id).cursor, saved(client, job_id).done) == ("there", 1)


def test_a_save_that_is_refused_does_not_harm_the_others(client: Client) -> None:
    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        if any(each.cursor == "13" for each in saves):
            raise StoreBusy("locked")
        return store.save(worker, saves)

    @lh.task(name="some", max_attempts=1)
    def some(number: int) -> None:
        lh.current_job().checkpoint(number)

    with lh.Client(store=ChangedStore(client.store, save=save)) as other:
        ids = [other.enqueue(some, number).id for number in range(20)]
        report = drain(other, some)
    assert (report.succeeded, report.dead) == (19, 1)
    assert client.get(ids[13]).error == "StoreBusy: locked"
