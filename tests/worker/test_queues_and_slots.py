"""Which queues are served first, and how many handlers run at once."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.model.ids import WorkerId
from leasehold.model.values import Want
from leasehold.worker.pace import AHEAD_SECONDS, MOST_AHEAD
from tests.worker.kit import (
    ChangedStore,
    drain,
    new_worker,
    outcomes,
    ready_count,
    running_count,
    wait_until,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.client import Client
    from leasehold.model.values import Claim
    from leasehold.store.base import Store


class Crowd:
    """Counts how many handlers are inside at once, in all and by queue."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.order: list[str] = []

    def enter(self) -> None:
        queue = lh.current_job().queue
        with self._lock:
            self.order.append(queue)
            for name in (queue, "all"):
                self._now[name] += 1
                self.most[name] = max(self.most[name], self._now[name])

    def leave(self) -> None:
        with self._lock:
            self._now.subtract([lh.current_job().queue, "all"])

    def tasks(self, seconds: float) -> list[lh.Task[[], Any]]:
        """One async and one blocking task that stay inside for so long."""

        async def stay_async() -> None:
            self.enter()
            await asyncio.sleep(seconds)
            self.leave()

        def stay() -> None:
            self.enter()
            time.sleep(seconds)
            self.leave()

        return [lh.task(name="stay.async")(stay_async), lh.task(name="stay.blocking")(stay)]


def test_the_first_queue_is_emptied_before_the_next_is_touched(client: Client) -> None:
    crowd = Crowd()
    awaited, blocking = crowd.tasks(0)
    for queue in ("low", "high", "middle"):
        client.enqueue_many(blocking.with_options(queue=queue).call() for _ in range(10))
    drain(client, blocking, awaited, queues=["high", "middle", "low"], slots=1)
    assert crowd.order == ["high"] * 10 + ["middle"] * 10 + ["low"] * 10


def test_inside_a_queue_priority_goes_first_then_age(client: Client) -> None:
    order: list[int] = []

    @lh.task(name="note")
    def note(n: int) -> None:
        order.append(n)

    for n, priority in enumerate([0, 5, 0, -5, 5]):
        client.enqueue(note.with_options(priority=priority), n)
    drain(client, note, slots=1)
    assert order == [1, 4, 0, 2, 3]


def test_weights_share_the_slots_out(client: Client) -> None:
    crowd = Crowd()
    tasks = crowd.tasks(0)  # of both sorts: no prefetch, so that each job is drawn for itself
    for queue in ("heavy", "light"):
        client.enqueue_many(tasks[1].with_options(queue=queue).call() for _ in range(110))
    with new_worker(client, tasks, queues={"heavy": 3, "light": 1}, slots=1):
        wait_until(lambda: len(crowd.order) >= 100, "a hundred have run")
    heavy = crowd.order[:100].count("heavy")
    assert 55 <= heavy <= 95  # 75 are expected; this is 4.6 standard deviations wide


def test_a_queue_with_little_weight_is_not_starved(client: Client) -> None:
    crowd = Crowd()
    tasks = crowd.tasks(0)
    for queue in ("heavy", "light"):
        client.enqueue_many(tasks[1].with_options(queue=queue).call() for _ in range(20))
    drain(client, *tasks, queues={"heavy": 1000, "light": 0.001}, slots=1)
    assert crowd.most["light"] == 1


def test_slots_of_a_queue_are_never_exceeded_and_all_used(client: Client) -> None:
    crowd = Crowd()
    tasks = crowd.tasks(0.02)
    limits = {"narrow": 1, "wide": 3}
    for queue in limits:
        for priority in range(3):
            client.enqueue_many(
                task.with_options(queue=queue, priority=priority).call()
                for task in tasks
                for _ in range(4)
            )
    drain(client, *tasks, slots=limits, queues=list(limits))
    assert {queue: crowd.most[queue] for queue in limits} == limits
    assert len(crowd.order) == 48


def test_slots_of_a_queue_hold_for_parked_jobs_too(client: Client) -> None:
    crowd = Crowd()
    tasks = crowd.tasks(0.05)
    limits = {"narrow": 1, "wide": 4}
    for queue in limits:
        client.enqueue_many(task.with_options(queue=queue).call() for task in tasks for _ in "123")
    wants = [Want(queue, 50) for queue in limits]
    assert client.store.claim(WorkerId(1), wants, limit=50, leases={"other": 60.0}) == []
    assert ready_count(client) == 0

    drain(client, *tasks, slots=limits, queues=list(limits))
    assert crowd.most["narrow"] == 1
    assert len(crowd.order) == 12


@pytest.mark.parametrize("slots", [1, 5])
def test_all_slots_together_are_never_exceeded_by_both_sorts_of_handlers(
    client: Client, slots: int
) -> None:
    crowd = Crowd()
    tasks = crowd.tasks(0.01)
    client.enqueue_many(task.call() for _ in range(20) for task in tasks)
    drain(client, *tasks, slots=slots)
    assert crowd.most["all"] == slots
    assert len(crowd.order) == 40


@pytest.mark.parametrize("sort", [0, 1])
def test_prefetched_jobs_do_not_exceed_the_slots_either(client: Client, sort: int) -> None:
    crowd = Crowd()
    task = crowd.tasks(0.001)[sort]
    client.enqueue_many(task.call() for _ in range(200))
    drain(client, task, slots=4)
    assert crowd.most["all"] <= 4
    assert len(crowd.order) == 200


def test_a_worker_whose_handlers_are_slow_claims_no_more_than_its_slots(client: Client) -> None:
    go_on = threading.Event()

    @lh.task(name="slow")
    def slow() -> None:
        assert go_on.wait(20)

    looks: list[int] = []

    def claim(store: Store, worker: Any, wants: Sequence[Want], **named: Any) -> list[Claim]:
        looks.append(named["limit"])
        return store.claim(worker, wants, **named)

    client.enqueue_many(slow.call() for _ in range(30))
    changed = lh.Client(store=ChangedStore(client.store, claim=claim))
    with new_worker(changed, [slow], slots=4, poll="20ms") as worker:
        wait_until(lambda: running_count(client) == 4, "the slots are full")
        rounds = worker._crew._claimer._care.rounds  # type: ignore[union-attr]
        before = rounds._rounds[0].due_at
        wait_until(lambda: rounds._rounds[0].due_at > before + 0.1, "the claimer looked again")
        assert running_count(client) == 4
        assert max(looks) <= 4
        go_on.set()
        wait_until(lambda: not client.counts(), "all have ended")


def test_a_fast_worker_holds_no_more_than_its_pace_allows(client: Client) -> None:
    held: list[tuple[int, float]] = []

    def claim(store: Store, worker: Any, wants: Sequence[Want], **named: Any) -> list[Claim]:
        taken = store.claim(worker, wants, **named)
        crew = running._crew
        assert crew is not None
        held.append((crew.book.open_count + len(taken), crew._claimer._pace._rate))
        return taken

    @lh.task(name="noop")
    async def noop() -> None:
        return

    client.enqueue_many(noop.call() for _ in range(2_000))
    changed = lh.Client(store=ChangedStore(client.store, claim=claim))
    running = new_worker(changed, [noop], slots=8)
    assert running.run(until_empty=True).succeeded == 2_000
    for count, rate in held:
        assert count <= 8 + min(MOST_AHEAD, rate * 0.1)
    assert max(count for count, _ in held) > 8  # it did look ahead


def test_of_slow_jobs_that_end_in_bursts_little_is_held_ahead(client: Client) -> None:
    held: list[int] = []

    def claim(store: Store, worker: Any, wants: Sequence[Want], **named: Any) -> list[Claim]:
        taken = store.claim(worker, wants, **named)
        crew = running._crew
        assert crew is not None
        held.append(crew.book.open_count + len(taken))
        return taken

    @lh.task(name="slow")
    async def slow(number: int) -> None:
        await asyncio.sleep(0.05 + number % 7 / 1_000)

    client.enqueue_many(slow.call(number) for number in range(400))
    changed = lh.Client(store=ChangedStore(client.store, claim=claim))
    running = new_worker(changed, [slow], slots=10)
    assert running.run(until_empty=True).succeeded == 400
    assert max(held) <= 10 + 2 * 200 * AHEAD_SECONDS  # at most 200 a second end


def test_jobs_that_wait_here_for_a_third_of_their_lease_are_handed_back(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.worker.pace.Pace.room", lambda _self, held: 5 - held)
    started, go_on = threading.Event(), threading.Event()

    @lh.task(name="hold")
    def hold() -> None:
        started.set()
        assert go_on.wait(20)

    ids = [client.enqueue(hold).id for _ in range(5)]
    with new_worker(client, [hold], slots=1, lease="1s", poll="50ms") as worker:
        assert started.wait(10)
        wait_until(lambda: running_count(client) == 5, "all are held here")
        monkeypatch.setattr("leasehold.worker.pace.Pace.room", lambda _self, _held: 0)
        wait_until(lambda: ready_count(client) == 4, "four were handed back")
        assert running_count(client) == 1
        go_on.set()
        wait_until(lambda: worker.report.succeeded == 1, "the first one ended")
    assert [set(outcomes(client, job_id)) for job_id in ids] == [{"succeeded"}, *[{"released"}] * 4]
    assert {client.get(job_id).failures for job_id in ids} == {0}
    monkeypatch.undo()
    drain(client, hold)
    assert {client.get(job_id).state for job_id in ids} == {lh.State.SUCCEEDED}
