"""Checkpoints and progress: the next attempt goes on where the last one was."""

from __future__ import annotations

import asyncio
import threading
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import StoreBusy, StoreUnavailable
from leasehold.model.states import State
from tests.worker.kit import (
    ChangedStore,
    drain,
    new_worker,
    outcomes,
    wait_for_state,
    wait_until,
)
from tests.worker.saving_tasks import pages, pages_async, save_badly, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store

SORTS = ("async", "blocking", "blocking in async")


class RolledBack(Exception):
    """Raised inside a transaction."""


def saved(client: Client, job_id: Any) -> lh.Checkpoint:
    found = client.checkpoint(job_id)
    assert found is not None
    return found


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


# -- progress ------------------------------------------------------------------------------------
@pytest.mark.parametrize("ending", ["returns", "fails", "transaction"])
def test_progress_ends_exact_however_often_it_is_told(client: Client, ending: str) -> None:
    writes = [0]

    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        writes[0] += 1
        return store.save(worker, saves)

    @lh.task(name="counts", max_attempts=1)
    def counts() -> None:
        job = lh.current_job()
        for number in range(5_001):
            job.progress(number, 5_000, f"at {number}")
        if ending == "fails":
            raise ValueError("at the end")
        if ending == "transaction":
            with job.transaction():
                job.progress(5_001, 5_001, "with the end")

    with lh.Client(store=ChangedStore(client.store, save=save)) as other:
        job_id = other.enqueue(counts).id
        drain(other, counts)
    found = saved(client, job_id)
    if ending == "transaction":
        assert (found.done, found.total, found.note) == (5_001, 5_001, "with the end")
    else:
        assert (found.done, found.total, found.note) == (5_000, 5_000, "at 5000")
    assert writes[0] < 100


def test_progress_that_is_on_its_way_when_the_job_ends_is_not_too_late(client: Client) -> None:
    begun, go_on, finished = (threading.Event() for _ in range(3))

    def save(store: Store, worker: WorkerId, saves: Sequence[Save]) -> list[bool]:
        if not begun.is_set():
            begun.set()
            assert go_on.wait(20)
        return store.save(worker, saves)

    def finish(store: Store, *args: Any) -> Any:
        finished.set()
        return store.finish(*args)

    @lh.task(name="last")
    def last() -> None:
        lh.current_job().progress(1, 2)
        assert begun.wait(20)

    changed = ChangedStore(client.store, save=save, finish=finish)
    with lh.Client(store=changed) as other:
        job_id = other.enqueue(last).id
        with new_worker(other, [last]) as worker:
            assert begun.wait(20)
            assert not finished.wait(0.3)
            go_on.set()
            wait_until(lambda: worker.report.succeeded == 1, "it has ended")
    assert (saved(client, job_id).done, saved(client, job_id).total) == (1, 2)


def test_progress_is_seen_while_the_job_runs(client: Client) -> None:
    go_on = threading.Event()

    @lh.task(name="shows")
    def shows() -> None:
        lh.current_job().progress(3, 10)
        assert go_on.wait(20)

    job_id = client.enqueue(shows).id
    with new_worker(client, [shows]):
        wait_until(lambda: client.checkpoint(job_id) is not None, "it is seen")
        assert (saved(client, job_id).done, saved(client, job_id).total) == (3, 10)
        go_on.set()
        wait_for_state(client, job_id, State.SUCCEEDED)


def test_a_note_of_any_kind_is_stored(client: Client) -> None:
    @lh.task(name="notes")
    def notes() -> None:
        lh.current_job().progress(note="a\0b\ud800" + "x" * 5_000)

    job_id = client.enqueue(notes).id
    assert drain(client, notes).succeeded == 1
    note = saved(client, job_id).note or ""
    assert (len(note), note[:5]) == (1_000, "a\ufffdb?x")


# -- transactions --------------------------------------------------------------------------------
def test_progress_that_was_told_before_a_transaction_goes_with_it(client: Client) -> None:
    @lh.task(name="before")
    def before() -> None:
        job = lh.current_job()
        job.progress(1, 9)
        with suppress(RolledBack), job.saving():
            job.progress(5)
            raise RolledBack
        with job.transaction():
            pass

    job_id = client.enqueue(before).id
    drain(client, before)
    assert (saved(client, job_id).done, saved(client, job_id).total) == (1, 9)


def test_saving_is_one_commit_and_the_job_goes_on(client: Client) -> None:
    @lh.task(name="goes_on")
    def goes_on() -> Any:
        job = lh.current_job()
        with job.saving() as connection:
            connection.execute("SELECT 1")
            job.checkpoint("one", done=1)
            job.progress(2, 3)
            assert client.checkpoint(job.id) is None
        seen = [job.cursor, saved(client, job.id).done]
        with suppress(RolledBack), job.saving():
            job.checkpoint("two")
            raise RolledBack
        with pytest.raises(lh.LeaseholdError, match="one at a time"), job.saving(), job.saving():
            pass
        with job.saving():
            pass
        return [*seen, job.cursor]

    job_id = client.enqueue(goes_on).id
    drain(client, goes_on)
    assert client.get(job_id).result == ["one", 2, "one"]
    assert saved(client, job_id).cursor == "one"


def test_saving_works_for_async_handlers(client: Client) -> None:
    @lh.task(name="goes_on_async")
    async def goes_on() -> Any:
        job = lh.current_job()
        job.progress(1)
        async with job.saving():
            await job.checkpoint_async("one")
        with suppress(RolledBack):
            async with job.saving():
                await job.checkpoint_async("two")
                raise RolledBack
        await asyncio.gather(*(job.checkpoint_async(note=str(n)) for n in range(20)))
        return await job.cursor_async()

    job_id = client.enqueue(goes_on).id
    drain(client, goes_on)
    assert client.get(job_id).result == "one"
    assert (saved(client, job_id).cursor, saved(client, job_id).done) == ("one", 1)


# -- children ------------------------------------------------------------------------------------
def test_a_child_that_died_goes_on_where_it_was(client: Client, beacon: str) -> None:
    job_id = client.enqueue(pages, beacon, 10).id
    report = drain(client, pages)
    assert (report.failed, report.succeeded) == (1, 1)
    assert client.get(job_id).result == {"start": 5, "cursor": 10}
    assert (saved(client, job_id).done, saved(client, job_id).total) == (10, 10)


def test_an_async_child_saves_and_remembers(client: Client) -> None:
    job_id = client.enqueue(pages_async).id
    drain(client, pages_async)
    assert client.get(job_id).result == [{"page": 1}, 42]
    assert [step.name for step in client.steps(job_id)] == ["double"]
    assert saved(client, job_id).note == "async"


def test_a_childs_progress_ends_exact(client: Client) -> None:
    job_id = client.enqueue(tell, 500).id
    drain(client, tell)
    found = saved(client, job_id)
    assert (found.done, found.total, found.note) == (500, 500, "at 500")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        ("nan", "BadCheckpoint"),
        ("large", "BadCheckpoint"),
        ("on", "an isolated task can't save on a connection"),
        ("transaction", "an isolated task has no transaction"),
    ],
)
def test_a_child_is_told_what_it_can_not_save(client: Client, how: str, said: str) -> None:
    job_id = client.enqueue(save_badly, how).id
    drain(client, save_badly)
    assert said in client.get(job_id).result


def test_nothing_is_left_running_when_the_worker_has_stopped(client: Client) -> None:
    @lh.task(name="quick")
    def quick() -> None:
        lh.current_job().checkpoint(1)

    before = set(threading.enumerate())  # other tests may have left some on purpose
    client.enqueue(quick)
    drain(client, quick)
    names = [thread.name for thread in threading.enumerate() if thread not in before]
    assert "leasehold-save" not in names
