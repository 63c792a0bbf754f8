"""`client.wait`: results, typed; errors that say what happened; one look for all who wait."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any
from uuid import UUID

import pytest

import leasehold as lh
from leasehold.errors import LeaseholdError, StoreUnavailable
from leasehold.waiter import LONGEST_SECONDS, SHORTEST_SECONDS, next_look
from tests.worker.kit import ChangedStore, new_worker, wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.ids import JobId
    from leasehold.store.base import Store

NOBODY = "0192f0c1-2a3b-7c4d-8e5f-60718293a4b5"
ENOUGH_SECONDS = 20.0


@dataclass(frozen=True)
class Invoice:
    number: int
    at: datetime


@lh.task(name="bill")
def bill(number: int) -> Invoice:
    return Invoice(number, datetime(2030, 1, 31, tzinfo=UTC))


@lh.task(name="bill_async")
async def bill_async(number: int) -> list[Invoice]:
    return [Invoice(number, datetime(2030, 1, 31, tzinfo=UTC))]


@lh.task(name="fail", max_attempts=1)
def fail() -> None:
    raise ValueError("no")


@lh.task(name="stumble", max_attempts=3, retry=lh.fixed(0))
def stumble() -> int:
    if lh.current_job().attempt < 3:
        raise ValueError("not yet")
    return lh.current_job().attempt


@lh.task(name="nothing")
def nothing() -> None: ...


TASKS: list[lh.Task[..., Any]] = [bill, bill_async, fail, stumble, nothing]


class Counting(ChangedStore):
    """A store that counts the looks of those who wait."""

    def __init__(self, store: Store) -> None:
        super().__init__(store, ended=self._count)
        self.looks: list[int] = []

    def _count(self, store: Store, job_ids: Sequence[JobId]) -> Any:
        self.looks.append(len(job_ids))
        return store.ended(job_ids)


@pytest.fixture
def counting(client: Client) -> Counting:
    return Counting(client.store)


def waits_on(client: lh.Client) -> int:
    return len(client.waiter._waits)


def test_a_result_comes_back_as_its_annotation_says(client: Client) -> None:
    with new_worker(client, TASKS):
        assert client.wait(client.enqueue(bill, 7), 20) == Invoice(
            7, datetime(2030, 1, 31, tzinfo=UTC)
        )
        assert client.wait(client.enqueue(bill_async, 8), 20)[0].number == 8
        assert client.wait(client.enqueue(nothing), 20) is None


def test_by_its_id_a_result_is_plain_json(client: Client) -> None:
    with new_worker(client, TASKS):
        job = client.enqueue(bill, 7)
        assert client.wait(job.id, 20) == {"number": 7, "at": "2030-01-31T00:00:00Z"}
        assert client.wait(str(job.id), 20)["number"] == 7


def test_a_dead_job_raises_its_error(client: Client) -> None:
    with new_worker(client, TASKS), pytest.raises(lh.JobFailed, match="ValueError: no") as raised:
        client.wait(job := client.enqueue(fail), 20)
    assert (raised.value.job_id, raised.value.kind) == (job.id, "fail")
    assert raised.value.error is not None


def test_a_cancelled_job_says_by_whom(client: Client) -> None:
    job = client.enqueue(nothing)
    client.cancel(job.id, by="ada")
    with pytest.raises(lh.JobCancelled, match="ada"):
        client.wait(job, 20)


def test_a_job_that_does_not_exist_is_not_waited_for(client: Client) -> None:
    with pytest.raises(lh.JobNotFound):
        client.wait(NOBODY)


def test_a_wait_ends_when_the_job_is_deleted(client: Client) -> None:
    job = client.enqueue(nothing)
    threading.Timer(0.05, client.delete, [job.id]).start()
    with pytest.raises(lh.JobNotFound):
        client.wait(job, 20)


def test_a_wait_gives_up_in_time_and_can_be_repeated(client: Client) -> None:
    job = client.enqueue(nothing)
    with pytest.raises(lh.WaitTimeout, match=str(job.id)) as raised:
        client.wait(job, 0.05)
    assert raised.value.job_ids == (job.id,)
    assert raised.value.timeout_seconds == 0.05
    assert isinstance(raised.value, TimeoutError)
    with new_worker(client, TASKS):
        assert client.wait(job, 20) is None


def test_a_job_that_will_be_tried_again_is_waited_for(client: Client) -> None:
    with new_worker(client, TASKS):
        assert client.wait(client.enqueue(stumble), 20) == 3


def test_all_results_come_in_the_order_of_the_jobs(client: Client) -> None:
    with new_worker(client, TASKS):
        jobs = client.enqueue_all(bill.call(number) for number in range(100))
        assert [each.number for each in client.wait_all(jobs, 20)] == list(range(100))


def test_among_many_the_errors_can_be_had_as_values(client: Client) -> None:
    jobs = [client.enqueue(bill, 1), client.enqueue(fail)]
    with new_worker(client, TASKS):
        first, second = client.wait_all([*jobs], 20, return_errors=True)
        with pytest.raises(lh.JobFailed):
            client.wait_all([*jobs], 20)
    assert first.number == 1
    assert isinstance(second, lh.JobFailed)


def test_those_that_are_late_are_named(client: Client) -> None:
    jobs = [client.enqueue(nothing) for _ in range(5)]
    client.cancel(jobs[0].id)
    with pytest.raises(lh.WaitTimeout, match="and 1 more") as raised:
        client.wait_all(jobs, 0.3)
    assert set(raised.value.job_ids) == {job.id for job in jobs[1:]}


def test_jobs_can_be_had_as_they_end(client: Client) -> None:
    late, soon = client.enqueue(bill, 1), client.enqueue(bill, 2)
    client.cancel(soon.id)
    seen = client.as_completed([late, soon, NOBODY], 20)
    first, second = next(seen), next(seen)
    assert {first.id, second.id} == {soon.id, UUID(NOBODY)}
    assert {first.state, second.state} == {lh.State.CANCELLED, None}
    with new_worker(client, TASKS):
        assert next(seen).result().number == 1
    assert list(seen) == []


def test_an_end_in_the_same_process_is_seen_without_a_poll(counting: Counting) -> None:
    """A job that is a minute old is looked at once a second, unless its end is told here."""
    client = lh.Client(store=counting)
    job = client.enqueue(bill, 7)
    waiting = threading.Thread(target=client.wait, args=(job, ENOUGH_SECONDS))
    waiting.start()
    wait_until(lambda: waits_on(client) == 1, "somebody waits")
    client.waiter._waits[job.id].look_at = time.monotonic() + 1_000
    with new_worker(client, TASKS):
        waiting.join(ENOUGH_SECONDS)
    assert not waiting.is_alive()
    client.close()


def test_a_thousand_idle_waits_are_one_look_a_second(counting: Counting) -> None:
    """They began at different moments; soon they are looked at together."""
    client = lh.Client(store=counting)
    jobs = client.enqueue_all(nothing.call() for _ in range(1_000))

    async def wait_for_all() -> None:
        with pytest.raises(lh.WaitTimeout):
            await asyncio_client.wait_all(jobs, 6.0)

    asyncio_client = lh.AsyncClient(store=counting)
    threading.Timer(3.0, counting.looks.clear).start()
    threads = threading.active_count()
    asyncio.run(wait_for_all())
    assert threading.active_count() <= threads
    assert 1 <= len(counting.looks) <= 6  # in three seconds
    assert max(counting.looks) == 1_000
    client.close()


def test_waits_that_began_apart_are_looked_at_together() -> None:
    moments = [1_000.31 + number / 1_000 for number in range(500)]
    looks = {next_look(now - 4 - number, now, 0.3) for number, now in enumerate(moments)}
    assert {round(look, 6) for look in looks} == {1_001.3}


@pytest.mark.parametrize("age", [0.0, 0.001, 0.1, 1.0, 3.0, 60.0, 1e6])
def test_the_next_look_is_soon_for_a_young_wait_and_never_later_than_a_second(age: float) -> None:
    now = 5_000.0
    pause = next_look(now - age, now, 0.77) - now
    assert 0 < pause <= min(LONGEST_SECONDS, max(SHORTEST_SECONDS, age / 2)) + 1e-6


def test_a_wait_survives_a_database_that_is_away_for_a_while(client: Client) -> None:
    trouble = [StoreUnavailable("starting up")] * 3

    def shaky(store: Store, job_ids: Sequence[JobId]) -> Any:
        if trouble:
            raise trouble.pop()
        return store.ended(job_ids)

    job = client.enqueue(nothing)
    client.cancel(job.id)
    waiting = lh.Client(store=ChangedStore(client.store, ended=shaky))
    with pytest.raises(lh.JobCancelled):
        waiting.wait(job, 20)
    assert not trouble
    waiting.close()


def test_a_late_wait_says_that_the_database_was_away(client: Client) -> None:
    def away(_store: Store, _job_ids: Sequence[JobId]) -> Any:
        raise StoreUnavailable("gone")

    waiting = lh.Client(store=ChangedStore(client.store, ended=away))
    with pytest.raises(lh.WaitTimeout) as raised:
        waiting.wait(NOBODY, 0.3)
    assert isinstance(raised.value.__cause__, StoreUnavailable)
    waiting.close()


def test_an_error_of_the_store_reaches_all_who_wait(client: Client) -> None:
    def broken(_store: Store, _job_ids: Sequence[JobId]) -> Any:
        raise lh.StoreRefused("no such tables")

    waiting = lh.Client(store=ChangedStore(client.store, ended=broken))
    with pytest.raises(lh.StoreRefused):
        waiting.wait(NOBODY, 20)
    waiting.close()


def test_closing_the_client_ends_its_waits_and_its_thread(client: Client) -> None:
    job = client.enqueue(nothing)
    errors: list[BaseException] = []

    def wait() -> None:
        try:
            client.wait(job)
        except LeaseholdError as error:
            errors.append(error)

    thread = threading.Thread(target=wait)
    thread.start()
    wait_until(lambda: waits_on(client) == 1, "somebody waits")
    client.close()
    thread.join(ENOUGH_SECONDS)
    assert "closed" in str(errors[0])
    assert not [each for each in threading.enumerate() if each.name == "leasehold-wait"]
    client.cancel(job.id)
    with pytest.raises(lh.JobCancelled):
        client.wait(job, 20)  # a later wait begins anew


def test_nothing_is_left_of_waits_that_were_given_up(client: Client) -> None:
    job = client.enqueue(nothing)
    for _ in range(3):
        with pytest.raises(lh.WaitTimeout):
            client.wait(job, 0.02)
    assert waits_on(client) == 0


def test_a_cancelled_await_gives_its_wait_up(client: Client) -> None:
    async def scenario() -> None:
        awaited = lh.AsyncClient(client.store.url)
        job = await awaited.enqueue(nothing)
        waiting = asyncio.create_task(awaited.wait(job))
        await asyncio.to_thread(wait_until, lambda: waits_on(awaited.sync) > 0, "it waits")
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        assert waits_on(awaited.sync) == 0
        await awaited.close()

    asyncio.run(scenario())


def test_async_waits_give_typed_results_and_errors(client: Client) -> None:
    async def scenario() -> None:
        async with lh.AsyncClient(client.store.url) as awaited:
            assert (await awaited.wait(await awaited.enqueue(bill, 5), 20)).number == 5
            assert (await awaited.wait(await awaited.enqueue(bill_async, 6), 20))[0].number == 6
            jobs = [await awaited.enqueue(bill, 1), await awaited.enqueue(fail)]
            assert len(await awaited.wait_all(jobs, 20, return_errors=True)) == 2
            assert len([each async for each in awaited.as_completed(jobs, 20)]) == 2
            with pytest.raises(lh.JobFailed):
                await awaited.wait(jobs[1], 20)
            with pytest.raises(lh.JobNotFound):
                await awaited.wait(NOBODY)

    with new_worker(client, TASKS):
        asyncio.run(scenario())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_a_child_waits_for_itself(client: Client) -> None:
    """The parent's thread is not there after a fork, and its waits are not the child's."""
    held = client.enqueue(nothing)
    job = client.enqueue(nothing)
    client.cancel(job.id)
    waiting = threading.Thread(target=client.wait, args=(held, ENOUGH_SECONDS))
    waiting.start()
    wait_until(lambda: waits_on(client) == 1, "somebody waits")
    child = os.fork()
    if child == 0:
        try:
            client.wait(job, 10)
        except lh.JobCancelled:
            os._exit(7)
        finally:
            os._exit(1)
    _, status = os.waitpid(child, 0)
    with new_worker(client, TASKS):
        waiting.join(ENOUGH_SECONDS)
    assert os.waitstatus_to_exitcode(status) == 7


def test_a_handler_that_waits_can_be_interrupted(client: Client) -> None:
    """It waits in slices: an interruption strikes between them."""
    never = client.enqueue(nothing.with_options(queue="nobody"))

    @lh.task(name="waits", timeout=0.2, max_attempts=1)
    def waits() -> None:
        client.wait(never)

    with new_worker(client, [waits]), pytest.raises(lh.JobFailed, match="TimedOut"):
        client.wait(client.enqueue(waits), 20)
