"""A worker counts what its attempts came to, once each, and writes it down without being asked."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import StoreUnavailable
from leasehold.model.states import State
from leasehold.model.values import Want
from leasehold.store import open_store
from leasehold.store.base import Answer
from leasehold.upkeep.statistics import DUTY
from leasehold.worker.caretaker import Caretaker
from tests.conformance.tables import open_tables
from tests.worker.kit import GONE, ChangedStore, drain, new_worker, outcomes, wait_until
from tests.worker.sample_tasks import add_process

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.store.base import Store


@lh.task
def fine() -> None: ...


@lh.task(max_attempts=2, retry=lh.fixed("0s"))
def fails() -> None:
    raise ValueError


@lh.task
def dies() -> None:
    raise lh.Dead("no use")


@lh.task
def stops() -> None:
    raise lh.Cancel("not wanted")


@lh.task
def sleepy() -> None:
    if lh.current_job().attempt == 1:
        raise lh.Snooze("0s")


@lh.task
def writes() -> None:
    with lh.current_job().transaction():
        pass


@lh.task
async def writes_async() -> None:
    async with lh.current_job().transaction():
        pass


def facts(client: Client) -> dict[str, int]:
    """How often each outcome was counted, of all kinds."""
    found: Counter[str] = Counter()
    for total in client.stats.totals():
        if total.fact != "ran":
            found[total.fact] += total.count
    return dict(found)


def recorded(client: Client) -> dict[str, int]:
    """How many attempts came to what, as the jobs' own history says."""
    with open_tables(client.store.url) as tables:
        return dict(Counter(str(row["state"]) for row in tables.rows("outcome")))


def test_each_attempt_is_counted_once_as_what_it_came_to(client: Client) -> None:
    tasks = (fine, fails, dies, stops, sleepy, writes, writes_async)
    for task in tasks:
        client.enqueue_many(task.call() for _ in range(3))
    drain(client, *tasks)
    assert facts(client) == recorded(client)
    assert facts(client) == {
        "succeeded": 12,
        "failed": 3,
        "dead": 6,
        "cancelled": 3,
        "snoozed": 3,
    }
    kinds = {(total.kind, total.fact): total for total in client.stats.totals()}
    assert kinds[fails.name, "failed"].count == 3
    assert kinds[writes.name, "succeeded"].count == 3


def test_run_times_are_those_of_attempts_that_ran_to_their_end(client: Client) -> None:
    for task in (fine, writes, stops):
        client.enqueue(task)
    drain(client, fine, writes, stops)
    ran = {total.kind: total for total in client.stats.totals() if total.fact == "ran"}
    assert ran.keys() == {fine.name, writes.name}
    assert all(0 < total.seconds < 10 for total in ran.values())
    assert client.stats.overview().average_seconds is not None


def test_a_child_process_is_counted_too(client: Client) -> None:
    client.enqueue(add_process, 1, 2)
    drain(client, add_process)
    assert facts(client) == {"succeeded": 1}


def test_what_was_counted_can_be_seen_while_the_worker_runs(client: Client) -> None:
    with new_worker(client, [fine]):
        client.enqueue(fine)
        wait_until(lambda: facts(client) == {"succeeded": 1}, "it is counted")
        client.enqueue(fine)
        wait_until(lambda: facts(client) == {"succeeded": 2}, "the next is counted")


def test_a_run_with_a_budget_writes_down_what_it_did(client: Client) -> None:
    client.enqueue_many(fine.call() for _ in range(5))
    report = new_worker(client, [fine]).run(budget="10s", until_empty=True)
    assert report.succeeded == 5
    assert facts(client) == {"succeeded": 5}


def test_an_idle_worker_writes_nothing(client: Client) -> None:
    calls: list[int] = []
    surveys: list[int] = []

    def add_statistics(store: Store, counted: Sequence[Any]) -> None:
        calls.append(len(counted))
        store.add_statistics(counted)

    def survey(store: Store, *args: Any) -> Any:
        surveys.append(1)
        return store.survey(*args)

    changed = ChangedStore(client.store, add_statistics=add_statistics, survey=survey)
    with new_worker(lh.Client(store=changed), [fine]):
        wait_until(lambda: len(surveys) > 25, "it has been idle for two flushes")
    assert calls == []


def test_what_could_not_be_written_down_is_written_down_later(client: Client) -> None:
    refusals: list[int] = []

    def add_statistics(store: Store, counted: Sequence[Any]) -> None:
        if len(refusals) < 2:
            refusals.append(1)
            raise StoreUnavailable("gone")
        store.add_statistics(counted)

    changed = ChangedStore(client.store, add_statistics=add_statistics)
    with new_worker(lh.Client(store=changed), [fine]):
        client.enqueue(fine)
        wait_until(lambda: len(refusals) == 2, "it was refused twice")
        client.enqueue(fine)
        wait_until(lambda: facts(client) == {"succeeded": 2}, "both are counted")


def test_an_attempt_whose_lease_was_lost_is_counted_as_lost(client: Client) -> None:
    def finish(store: Store, worker: Any, settlements: Sequence[Any]) -> list[Answer]:
        store.finish(worker, settlements)
        return [Answer.LOST] * len(settlements)

    changed = ChangedStore(client.store, finish=finish)
    client.enqueue(fine)
    drain(lh.Client(store=changed), fine)
    assert facts(client) == {"lost": 1}
    assert not [total for total in client.stats.totals() if total.fact == "ran"]


def test_who_takes_a_lease_back_counts_it_as_lapsed(client: Client) -> None:
    job = client.enqueue(fine)
    past = open_store(client.store.url)
    past.skew_seconds = -3600.0
    try:
        assert past.claim(GONE, [Want("default", 1)], limit=1, leases={fine.name: 1.0})
    finally:
        past.close()
    with new_worker(client, [fine]):
        assert client.wait(job, timeout=20) is None
        wait_until(lambda: facts(client) == {"lapsed": 1, "succeeded": 1}, "both are counted")
    assert outcomes(client, job.id) == ["lapsed", "succeeded"]
    assert client.get(job.id).state is State.SUCCEEDED


@pytest.fixture
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.FIRST_SAMPLE_SECONDS", 0.01)
    monkeypatch.setattr("leasehold.upkeep.statistics.ASK_SECONDS", 0.05)
    monkeypatch.setattr("leasehold.upkeep.statistics.SAMPLE_SECONDS", 0.05)


@pytest.mark.usefixtures("_soon")
def test_a_running_worker_samples_how_deep_the_queues_are(client: Client) -> None:
    client.enqueue_many(dies.call() for _ in range(3))
    with new_worker(client, [fine]):
        wait_until(lambda: bool(client.store.last_depths()), "there is a sample")
        wait_until(
            lambda: sum(each.parked for each in client.store.last_depths()) == 3,
            "and it shows what waits",
        )
    assert client.stats.overview().in_queue == 3


@pytest.mark.usefixtures("_soon")
@pytest.mark.parametrize("busy_seconds", [0.0, 60.0])
def test_a_worker_that_begins_with_jobs_to_run_samples_later(
    client: Client, monkeypatch: pytest.MonkeyPatch, busy_seconds: float
) -> None:
    monkeypatch.setattr("leasehold.worker.caretaker.BUSY_SAMPLE_SECONDS", busy_seconds)
    is_open = threading.Event()
    asked: list[None] = []

    @lh.task(name="tests.statistics.held")
    def held() -> None:
        is_open.wait(30)

    def ask(care: Caretaker) -> None:
        sample(care)
        asked.append(None)

    sample = Caretaker._sample
    monkeypatch.setattr(Caretaker, "_sample", ask)
    client.enqueue(held)
    with new_worker(client, [held]):
        try:
            if busy_seconds:
                wait_until(lambda: len(asked) >= 5, "it has thought of it often enough")
                assert not client.store.last_depths()
            else:
                wait_until(lambda: bool(client.store.last_depths()), "it does not wait for ever")
        finally:
            is_open.set()
        wait_until(lambda: bool(client.store.last_depths()), "there is a sample")


@pytest.mark.usefixtures("_soon")
def test_one_worker_of_a_fleet_samples_and_the_next_goes_on_when_it_ends(client: Client) -> None:
    def count(store: Store, name: str, worker: Any, *, seconds: float) -> Any:
        duty = store.take_duty(name, worker, seconds=seconds)
        if name == DUTY and duty is not None:
            holders.append(worker)
        return duty

    holders: list[Any] = []
    watched = lh.Client(store=ChangedStore(client.store, take_duty=count))
    with new_worker(watched, [fine]) as second, new_worker(watched, [fine]) as first:
        wait_until(lambda: len(holders) == 1, "one of them has the duty")
        leaver, stayer = (first, second) if holders == [first.id] else (second, first)
        leaver.stop()
        wait_until(lambda: holders == [leaver.id, stayer.id], "the other one goes on")


@pytest.mark.usefixtures("_soon")
def test_old_counts_are_folded_by_whoever_samples(client: Client) -> None:
    client.enqueue(fine)
    drain(client, fine)
    client.store.skew_seconds = 7_200.0
    with new_worker(client, [fine]), open_tables(client.store.url) as tables:
        wait_until(
            lambda: {row["span"] for row in tables.rows("statistic")} == {0, 300, 3600},
            "what was counted two hours ago is folded",
        )
    assert facts(client) == {"succeeded": 1}
