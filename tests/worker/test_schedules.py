"""Workers fire schedules: any worker, each slot once; what they can't fire stops nothing."""

from __future__ import annotations

import threading
from datetime import timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import msgspec

import leasehold as lh
from leasehold.errors import StoreBusy
from leasehold.model.states import State
from leasehold.upkeep.schedules import RETRY_SECONDS, Firings
from tests.worker.kit import ChangedStore, drain, new_worker, wait_until

if TYPE_CHECKING:
    import pytest

    from leasehold.client import Client
    from leasehold.model.schedules import Firing
    from leasehold.store.base import Store

HOUR_SECONDS = 3660.0


@lh.task(name="tick")
def tick(number: int = 1) -> int:
    return number


@lh.task(name="other", queue="elsewhere")
def other() -> None: ...


class Hand:
    """Fires what is due on a clock of its own, as a worker's claimer does."""

    def __init__(self, store: Store) -> None:
        self.now = 0.0
        self.firings = Firings(store, clock=lambda: self.now)

    def look(self) -> int:
        self.firings.expect(0.0)
        return self.firings.step()


def be_half_past(client: Client) -> None:
    """Keep the full hour away from what a test does."""
    client.store.skew_seconds = (30 - client.store.now().minute) * 60.0


def set_hourly(client: Client, *names: str, **timing: Any) -> None:
    be_half_past(client)
    for name in names or ("hourly",):
        client.schedules.set(name, "@hourly", tick.call(7), **timing)


def made(client: Client) -> int:
    return len(client.find(kind=tick, limit=1000))


def test_a_worker_fires_what_its_code_declares_and_runs_it(client: Client) -> None:
    every_second = lh.schedule("every second", "* * * * * *", tick.call(7))
    with new_worker(client, [tick], schedules=[every_second]):
        wait_until(lambda: len(client.find(state=State.SUCCEEDED)) >= 2, "two slots have been run")
    jobs = client.find(kind=tick)
    slots = [job.run_at for job in jobs if job.run_at]
    assert len(slots) == len(set(slots)) == len(jobs)
    steps = {earlier - later for earlier, later in pairwise(slots)}
    assert steps == {timedelta(seconds=1)}, "none was left out"


def test_a_worker_fires_schedules_whose_task_it_does_not_know(client: Client) -> None:
    client.schedules.set("every second", "every 1s", tick)
    with new_worker(client, [other]):
        wait_until(lambda: made(client) >= 1, "a slot was fired")


def test_a_busy_worker_fires_too(client: Client) -> None:
    may_end = threading.Event()

    @lh.task(name="long")
    def long() -> None:
        may_end.wait(20)

    client.schedules.set("every second", "every 1s", tick)
    client.enqueue(long)
    with new_worker(client, [long], slots=1, poll="30s"):
        wait_until(lambda: made(client) >= 2, "slots were fired beside it")
        may_end.set()


def test_a_run_until_empty_first_fires_what_is_due(client: Client) -> None:
    set_hourly(client)
    assert drain(client, tick).succeeded == 0
    client.store.skew_seconds += HOUR_SECONDS
    assert drain(client, tick).succeeded == 1
    assert drain(client, tick).succeeded == 0


def test_of_several_who_see_a_slot_one_fires_it(client: Client) -> None:
    set_hourly(client)
    hands = [Hand(client.store) for _ in range(5)]
    for round_number in range(1, 4):
        client.store.skew_seconds += 3600.0
        assert sum(hand.look() for hand in hands) == 1
        assert made(client) == round_number


def test_a_hand_is_there_again_when_the_next_slot_comes(client: Client) -> None:
    set_hourly(client)
    hand = Hand(client.store)
    hand.look()
    until_slot = hand.firings.due_at - hand.now
    assert 0 < until_slot <= 3600
    client.store.skew_seconds += HOUR_SECONDS
    assert hand.firings.step() == 0, "it does not ask before"
    hand.now += until_slot
    assert hand.firings.step() == 1


def test_away_for_six_hours_each_policy_is_kept(client: Client) -> None:
    be_half_past(client)
    for missed in ("none", "latest", "all"):
        client.schedules.set(missed, "@hourly", tick.call(7), missed=missed)
    client.schedules.set("capped", "@hourly", tick.call(7), missed="all", missed_cap=4)
    client.store.skew_seconds += 6 * 3600.0
    drain(client, tick)
    runs = {
        name: len([job for job in client.find(kind=tick) if job.created_by == f"schedule {name}"])
        for name in ("none", "latest", "all", "capped")
    }
    assert runs == {"none": 0, "latest": 1, "all": 6, "capped": 4}
    assert all(
        each.next_at > client.store.now() for each in client.schedules.list() if each.next_at
    )


def test_a_schedule_that_can_not_be_fired_stops_no_other_and_is_tried_again(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    set_hourly(client, "a", "bad", "c")
    client.store.skew_seconds += HOUR_SECONDS
    broken = [True]

    def fire(store: Store, firing: Firing) -> bool:
        if firing.name == "bad" and broken:
            raise StoreBusy("its key is busy")
        return store.fire(firing)

    changed: Any = ChangedStore(client.store, fire=fire)
    hand = Hand(changed)
    assert hand.look() == 2
    assert "schedule not fired" in caplog.text
    broken.clear()
    assert hand.look() == 0, "not at once"
    hand.now += RETRY_SECONDS
    assert hand.look() == 1
    assert made(client) == 3


def test_a_zone_that_this_machine_does_not_know_stops_no_other(client: Client) -> None:
    set_hourly(client, "a", "b")
    client.store.skew_seconds += HOUR_SECONDS

    def due(store: Store, *, limit: int) -> Any:
        found = store.due_schedules(limit=limit)
        strange = [
            msgspec.structs.replace(each, zone="Mars/Olympus") if each.name == "a" else each
            for each in found.schedules
        ]
        return msgspec.structs.replace(found, schedules=strange)

    changed: Any = ChangedStore(client.store, due_schedules=due)
    assert Hand(changed).look() == 1


def test_who_comes_too_late_leaves_the_next_slot_to_those_who_were_there(client: Client) -> None:
    """Else a whole fleet would gather at each slot in the end."""
    set_hourly(client)
    quick, slow = Hand(client.store), Hand(client.store)
    client.store.skew_seconds += HOUR_SECONDS

    def steal(store: Store, firing: Firing) -> bool:
        quick.look()
        return store.fire(firing)

    changed: Any = ChangedStore(client.store, fire=steal)
    slow.firings = Firings(changed, clock=lambda: slow.now)
    assert slow.look() == 0
    assert made(client) == 1
    assert slow.firings.due_at == float("inf")
    assert quick.firings.due_at < float("inf")
