"""A queue's limit holds over all workers; a freed slot is used at once."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.worker.report import Reason
from tests.worker.kit import all_ended, drain, new_worker, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.client import Client

LONG_POLL = "20s"


class Room:
    """Handlers that stay inside until they are let go, counted by queue."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.leave = threading.Semaphore(0)

    def task(self) -> lh.Task[[], Any]:
        @lh.task(name="stay")
        async def stay() -> None:
            queue = lh.current_job().queue
            with self._lock:
                self.now[queue] += 1
                self.most[queue] = max(self.most[queue], self.now[queue])
            while not self.leave.acquire(blocking=False):  # noqa: ASYNC110 - let go by a thread
                await asyncio.sleep(0.002)
            with self._lock:
                self.now[queue] -= 1

        return stay


@contextmanager
def working(client: Client, task: lh.Task[[], Any], **options: Any) -> Iterator[None]:
    """Run a worker meanwhile."""
    worker = new_worker(client, [task], grace="100ms", **options)
    thread = threading.Thread(target=worker.run)
    thread.start()
    try:
        yield
    finally:
        worker.stop()
        thread.join()


def test_of_a_queue_with_a_limit_no_more_run_than_that_in_two_workers(client: Client) -> None:
    room = Room()
    stay = room.task()
    client.queues.limit("default", running=3)
    client.enqueue_many(stay.call() for _ in range(12))
    client.enqueue_many(stay.with_options(queue="other").call() for _ in range(4))
    options: dict[str, Any] = {"queues": ["default", "other"], "slots": 8}
    with working(client, stay, **options), working(client, stay, **options):
        wait_until(lambda: room.now == {"default": 3, "other": 4}, "all run that may")
        room.leave.release(16)
        wait_until(lambda: all_ended(client), "all have ended")
    assert room.most == {"default": 3, "other": 4}


def test_a_freed_slot_is_taken_on_by_who_freed_it_without_a_poll(client: Client) -> None:
    room = Room()
    stay = room.task()
    client.queues.limit("default", running=1)
    client.enqueue_many(stay.call() for _ in range(20))
    room.leave.release(20)
    with working(client, stay, poll=LONG_POLL):
        wait_until(lambda: all_ended(client), "all ran", seconds=15)
    assert room.most["default"] == 1


def test_a_limit_is_set_and_lifted_under_a_running_worker(client: Client) -> None:
    room = Room()
    stay = room.task()
    client.enqueue_many(stay.call() for _ in range(10))
    with working(client, stay, slots=4):
        wait_until(lambda: room.now["default"] == 4, "all slots are full")
        client.queues.limit("default", running=2)
        room.leave.release(4)
        wait_until(lambda: room.now["default"] == 2, "as many run as may")
        client.queues.unlimit("default")
        wait_until(lambda: room.now["default"] == 4, "all slots are full again")
        room.leave.release(6)
        wait_until(lambda: all_ended(client), "all have ended")


def test_a_run_until_empty_drains_a_queue_with_a_limit(client: Client) -> None:
    room = Room()
    stay = room.task()
    room.leave.release(100)
    client.queues.limit("default", running=2)
    client.enqueue_many(stay.call() for _ in range(30))
    assert drain(client, stay).succeeded == 30
    assert room.most["default"] <= 2


def test_a_run_until_empty_does_not_wait_for_slots_that_others_have(client: Client) -> None:
    room = Room()
    stay = room.task()
    client.queues.limit("default", running=1)
    client.enqueue_many(stay.call() for _ in range(2))
    with working(client, stay, slots=1):
        wait_until(lambda: room.now["default"] == 1, "the only slot is taken")
        report = drain(client, stay)
        assert (report.reason, report.succeeded) == (Reason.EMPTY, 0)
        room.leave.release(2)
        wait_until(lambda: all_ended(client), "all have ended")
