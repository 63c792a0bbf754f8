"""What a job saves beside its cursor: progress, rows in one commit, and from its child process."""

from __future__ import annotations

import asyncio
import threading
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.states import State
from tests.worker.kit import ChangedStore, drain, new_worker, wait_for_state, wait_until
from tests.worker.saving_kit import saved
from tests.worker.saving_tasks import pages, pages_async, save_badly, tell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.ids import WorkerId
    from leasehold.model.saving import Save
    from leasehold.store.base import Store


class RolledBack(Exception):
    """Raised inside a transaction."""


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
