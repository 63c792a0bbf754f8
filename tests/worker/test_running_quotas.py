"""A tenant's running quota holds over all workers, and others are not kept waiting by it."""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import leasehold as lh
from tests.worker.kit import all_ended, drain, wait_until
from tests.worker.test_queue_limits import working

if TYPE_CHECKING:
    from leasehold.client import Client

ACME = "acme"


class Room:
    """Handlers that are counted by their tenant, and stay inside for a moment."""

    def __init__(self, seconds: float) -> None:
        self._lock = threading.Lock()
        self._seconds = seconds
        self.now: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.ran: Counter[str] = Counter()

    def task(self) -> lh.Task[[], Any]:
        @lh.task(name="stay", max_attempts=1)
        async def stay() -> None:
            tenant = lh.current_job().tenant
            with self._lock:
                self.now[tenant] += 1
                self.most[tenant] = max(self.most[tenant], self.now[tenant])
            await asyncio.sleep(self._seconds)
            with self._lock:
                self.now[tenant] -= 1
                self.ran[tenant] += 1

        return stay


def test_a_tenant_with_a_quota_runs_no_more_than_that_in_two_workers(client: Client) -> None:
    room = Room(0.005)
    stay = room.task()
    client.quotas.set(ACME, running=2)
    client.enqueue_many(stay.with_options(tenant=ACME).call() for _ in range(40))
    client.enqueue_many(stay.with_options(tenant="other").call() for _ in range(20))
    client.enqueue_many(stay.call() for _ in range(20))
    with working(client, stay, slots=8), working(client, stay, slots=8):
        wait_until(lambda: all_ended(client), "all have ended")
    assert room.ran == {ACME: 40, "other": 20, "": 20}
    assert room.most[ACME] <= 2


def test_a_freed_slot_is_taken_on_by_who_freed_it_without_a_poll(client: Client) -> None:
    room = Room(0.0)
    stay = room.task()
    client.quotas.set(ACME, running=1)
    client.enqueue_many(stay.with_options(tenant=ACME).call() for _ in range(20))
    with working(client, stay, poll="20s"):
        wait_until(lambda: all_ended(client), "all ran", seconds=15)
    assert (room.ran[ACME], room.most[ACME]) == (20, 1)


def test_a_quota_set_and_lifted_at_run_time_holds_for_what_waits(client: Client) -> None:
    room = Room(0.02)
    stay = room.task()
    client.enqueue_many(stay.with_options(tenant=ACME).call() for _ in range(60))
    client.quotas.set(ACME, running=0)
    with working(client, stay, slots=8):
        client.enqueue(stay)
        wait_until(lambda: room.ran[""] == 1, "another one ran")
        assert room.ran[ACME] == 0
        client.quotas.set(ACME, running=3)
        wait_until(lambda: room.now[ACME] == 3, "as many run as may")
        client.quotas.remove(ACME)
        wait_until(lambda: all_ended(client), "all have ended")
    assert room.ran[ACME] == 60


def test_a_run_until_empty_ends_with_what_may_run(client: Client) -> None:
    room = Room(0.0)
    stay = room.task()
    client.quotas.set(ACME, running=2)
    client.enqueue_many(stay.with_options(tenant=ACME).call() for _ in range(30))
    assert drain(client, stay).succeeded == 30
    client.quotas.set(ACME, running=0)
    client.enqueue(stay.with_options(tenant=ACME))
    client.enqueue(stay)
    assert drain(client, stay).succeeded == 1
