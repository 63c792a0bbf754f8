"""Lines in real workers: a key's limit holds, whoever waits behind whom, and none waits long."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.worker import attempt as attempts
from leasehold.worker import intake
from leasehold.worker.durations import SHORT_SECONDS, Durations
from tests.worker.kit import ChangedStore, drain, new_worker, outcomes, running_count, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from leasehold.model.lanes import LaneClaims
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

_two = lh.Throttle("two", running=2)
_one = lh.Throttle("one", running=1)
_counting = threading.Lock()
_now: Counter[str] = Counter()
_most: Counter[str] = Counter()
_order: list[int] = []
_gate = threading.Event()


@pytest.fixture(autouse=True)
def _afresh(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    for each in (_now, _most, _order, _gate):
        each.clear()
    monkeypatch.setattr(Durations, "is_short", lambda _self, _kind: True)
    yield
    _gate.set()


def enter(key: str, number: int) -> None:
    with _counting:
        _now[key] += 1
        _most[key] = max(_most[key], _now[key])
        _order.append(number)


def leave(key: str) -> None:
    with _counting:
        _now[key] -= 1


@lh.task(name="lines.threaded", throttle=_two.by("key"))
def threaded(number: int, key: str) -> None:
    enter(key, number)
    time.sleep(0.0005)
    leave(key)


@lh.task(name="lines.awaited", throttle=_two.by("key"))
async def awaited(number: int, key: str) -> None:
    enter(key, number)
    await asyncio.sleep(0.0005)
    leave(key)


@lh.task(name="lines.single", throttle=_one)
async def single(number: int) -> None:
    enter("one", number)
    await asyncio.sleep(0)
    leave("one")


@lh.task(name="lines.stuck", throttle=_one)
def stuck(number: int) -> None:
    enter("one", number)
    if number == 0:
        _gate.wait(30)
    leave("one")


@lh.task(name="lines.pausing", throttle=_one)
def pausing(number: int) -> None:
    enter("one", number)
    if number == 2:
        lh.current_job().pause_throttle("1h", reason="429")
    leave("one")


class Watched:
    """A client whose store notes the lines that are claimed."""

    def __init__(self, store: Store) -> None:
        self.claims: list[Claim] = []
        self.client = lh.Client(store=ChangedStore(store, claim_lanes=self._claim))

    def _claim(self, real: Store, *args: Any, **named: Any) -> LaneClaims:
        taken = real.claim_lanes(*args, **named)
        self.claims += taken.claims
        return taken

    @property
    def behind(self) -> int:
        return sum(each.behind is not None for each in self.claims)


def enqueue(
    client: lh.Client, task: lh.Task[..., Any], count: int, keys: str = "abcd"
) -> list[Any]:
    calls = (task.call(number, keys[number % len(keys)]) for number in range(count))
    return [job.id for job in client.enqueue_all(calls)]


@pytest.mark.parametrize("task", [threaded, awaited])
def test_workers_with_lines_never_run_more_of_a_key_than_its_limit(
    store: Store, task: lh.Task[..., Any]
) -> None:
    watched = [Watched(store), Watched(store)]
    ids = enqueue(watched[0].client, task, 400)
    with new_worker(watched[0].client, [task]), new_worker(watched[1].client, [task]):
        wait_until(lambda: not watched[0].client.counts(), "all have ended")
    assert sorted(_order) == list(range(400))
    assert max(_most[key] for key in "abcd") == 2
    assert sum(each.behind for each in watched) > 50
    assert {tuple(outcomes(watched[0].client, each)) for each in ids[::7]} == {("succeeded",)}


def test_lines_of_handlers_of_both_sorts_are_one_after_the_other(store: Store) -> None:
    watched = Watched(store)
    mixed = (threaded, awaited, threaded)
    watched.client.enqueue_all(mixed[number % 3].call(number, "a") for number in range(90))
    drain(watched.client, threaded, awaited)
    assert (sorted(_order), _most["a"]) == (list(range(90)), 2)
    assert watched.behind > 40


def test_mutant_that_starts_a_whole_line_at_once_exceeds_the_limit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(intake, "line_up", list)
    client = lh.Client(store=store)
    enqueue(client, threaded, 100, "a")
    drain(client, threaded)
    assert _most["a"] > 2


def test_a_line_keeps_the_order_of_its_key(store: Store) -> None:
    watched = Watched(store)
    watched.client.enqueue_all(single.call(number) for number in range(60))
    drain(watched.client, single)
    assert _order == list(range(60))
    assert watched.behind > 30


def test_what_waits_behind_a_job_that_is_not_short_is_handed_back_and_its_slot_is_kept(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(attempts, "LINE_SECONDS", 0.05)
    client = lh.Client(store=store)
    ids = [job.id for job in client.enqueue_all(stuck.call(number) for number in range(5))]
    with new_worker(client, [stuck]):
        wait_until(lambda: all("released" in outcomes(client, e) for e in ids[1:]), "they are back")
        assert running_count(client) == 1
        assert client.why(ids[1]).reason == "throttled"
        assert _order == [0]
        _gate.set()
        wait_until(lambda: not client.counts(), "all have ended")
    assert (_order, _most["one"]) == ([0, 1, 2, 3, 4], 1)
    assert {client.get(each).failures for each in ids} == {0}


def test_a_stop_hands_back_what_waits_when_the_one_before_has_ended(store: Store) -> None:
    client = lh.Client(store=store)
    ids = [job.id for job in client.enqueue_all(stuck.call(number) for number in range(4))]
    worker = new_worker(client, [stuck], grace="20s")
    stopper = threading.Thread(target=worker.stop)
    with worker, new_worker(client, [stuck]):
        wait_until(lambda: _order == [0], "the first runs")
        stopper.start()
        wait_until(lambda: worker._crew is None or worker._crew.intake.is_stopping, "it stops")
        _gate.set()
        stopper.join(20)
        wait_until(lambda: not client.counts(), "the other one has done the rest")
    assert (sorted(_order), _most["one"]) == ([0, 1, 2, 3], 1)
    assert [outcomes(client, each)[-1] for each in ids] == ["succeeded"] * 4


def test_a_job_that_pauses_its_key_stops_those_behind_it(store: Store) -> None:
    client = lh.Client(store=store)
    ids = [job.id for job in client.enqueue_all(pausing.call(number) for number in range(6))]
    with new_worker(client, [pausing]):
        wait_until(lambda: _order == [0, 1, 2] and running_count(client) == 0, "all stand still")
    assert _order == [0, 1, 2]
    assert {client.get(each).state for each in ids[3:]} == {lh.State.BLOCKED}
    assert {client.get(each).failures for each in ids[3:]} == {0}


def test_a_cancelled_job_in_a_line_does_not_run_and_the_others_do(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    client = lh.Client(store=store)
    ids = [job.id for job in client.enqueue_all(stuck.call(number) for number in range(4))]
    monkeypatch.setattr(attempts, "LINE_SECONDS", 60.0)
    with new_worker(client, [stuck], lease="2s") as worker:
        wait_until(lambda: running_count(client) == 4, "all are leased")
        client.cancel(ids[2])
        assert worker._crew is not None
        held = worker._crew.book.held()
        wait_until(lambda: any(each.interruption for each in held), "it is told")
        _gate.set()
        wait_until(lambda: not client.counts(), "all have ended")
    assert _order == [0, 1, 3]
    assert client.get(ids[2]).state is lh.State.CANCELLED


def test_a_kind_is_short_when_its_attempts_are_measured_to_be(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.undo()
    durations = Durations({"quick": SHORT_SECONDS / 2, "slow": SHORT_SECONDS * 2})
    assert [durations.is_short(kind) for kind in ("quick", "slow", "new")] == [True, False, False]
    for _ in range(100):
        durations.add("quick", 1.0)
        durations.add("new", 0.0)
    assert [durations.is_short(kind) for kind in ("quick", "new")] == [False, True]
