"""Slots that go from job to job: beside claims, in a worker, when an answer is lost, at a stop."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

import leasehold as lh
from leasehold.errors import StoreUnavailable
from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule
from leasehold.worker.intake import Intake
from tests.conformance.kit import (
    GREET,
    HOST,
    OTHER_HOST,
    RULE,
    claim_lanes,
    declare,
    new_jobs,
    place_of,
    settlement,
)
from tests.conformance.tables import open_tables
from tests.worker.kit import ChangedStore, new_worker, outcomes, running_count, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim
    from leasehold.store.base import Store

PLACES = [place_of(HOST), place_of(OTHER_HOST)]
_two = lh.Throttle("two", running=2)
_order: list[int] = []


@lh.task(name="passing.note", throttle=_two.by("key"))
def note(number: int, key: str) -> None:
    _order.append(number)


@pytest.fixture(autouse=True)
def _afresh() -> None:
    _order.clear()


def watched(
    store: Store, passed: list[int], then: Callable[[int], None] = lambda _: None
) -> lh.Client:
    """A client whose store notes what is passed on, and then does something more."""

    def pass_on(real: Store, *args: Any, **named: Any) -> Any:
        answers, claims = real.pass_on(*args, **named)
        if claims:
            passed.append(len(claims))
            then(len(claims))
        return answers, claims

    return lh.Client(store=ChangedStore(store, pass_on=pass_on))


def enqueue_notes(client: lh.Client, count: int, keys: str = "a") -> list[Any]:
    calls = (note.call(number, keys[number % len(keys)]) for number in range(count))
    return [job.id for job in client.enqueue_all(calls)]


def test_a_full_lane_of_a_worker_goes_on_without_claims_and_in_order(store: Store) -> None:
    client, passed = lh.Client(store=store), list[int]()
    enqueue_notes(client, 60)
    with new_worker(watched(store, passed), [note], slots=1, poll="30s"):
        wait_until(lambda: not client.counts(), "all have ended")
    assert _order == list(range(60))
    assert sum(passed) > 30


def test_leases_of_a_lost_answer_are_handed_back_and_run_once(store: Store) -> None:
    client, passed = lh.Client(store=store), list[int]()

    def cut_off(_count: int) -> None:
        if len(passed) == 3:
            raise StoreUnavailable("cut off after the commit")

    ids = enqueue_notes(client, 40)
    with new_worker(watched(store, passed, cut_off), [note], slots=4):
        wait_until(lambda: not client.counts(), "all have ended")
    assert sorted(_order) == list(range(40))
    released = [each for each in ids if outcomes(client, each) == ["released", "succeeded"]]
    assert len(released) == passed[2]
    assert {client.get(each).failures for each in ids} == {0}


def test_mutant_that_does_not_doubt_leaves_lost_leases_to_lapse(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Intake, "doubt", lambda _self: None)
    client, passed = lh.Client(store=store), list[int]()

    def cut_off(_count: int) -> None:
        if len(passed) == 1:
            raise StoreUnavailable("cut off after the commit")

    enqueue_notes(client, 10)
    with new_worker(watched(store, passed, cut_off), [note], slots=4) as worker:
        wait_until(lambda: bool(passed) and worker.report.succeeded > 0, "one has ended")
    assert running_count(client) == passed[0]


def is_stopping(worker: lh.Worker) -> bool:
    return worker._crew is not None and worker._crew.intake.is_stopping


def test_what_is_passed_on_while_the_worker_stops_is_handed_back(store: Store) -> None:
    client, passed = lh.Client(store=store), list[int]()
    stopping = threading.Event()

    def stop(_count: int) -> None:
        if not stopping.is_set():
            stopper.start()
            stopping.set()
            wait_until(lambda: is_stopping(worker), "it stops")

    ids = enqueue_notes(client, 40)
    worker = new_worker(watched(store, passed, stop), [note], slots=2)
    stopper = threading.Thread(target=worker.stop, kwargs={"within": "5s"})
    with worker:
        assert stopping.wait(20)
        stopper.join(20)
    assert running_count(client) == 0
    assert sum("released" in outcomes(client, each) for each in ids) >= passed[0]


class Hand:
    """A worker's claims and ends, without a worker; others do the same at the same time."""

    def __init__(self, store: Store, number: int) -> None:
        self._store = store
        self._worker = WorkerId(number)
        self._held: list[Claim] = []
        self.ended: list[Any] = []

    def work(self) -> None:
        idle = 0
        while idle < 20:
            if not self._held:
                self._held = claim_lanes(self._store, *PLACES, worker=self._worker)
                idle = 0 if self._held else idle + 1
                continue
            said = [settlement(each, "succeeded") for each in self._held]
            places = [each.place for each in self._held]
            self.ended += [each.job_id for each in self._held]
            _, self._held = self._store.pass_on(self._worker, said, places, leases={GREET: 60.0})


def test_claims_and_slots_passed_on_beside_each_other_never_exceed_a_limit(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))
    jobs = [*new_jobs(150, lane=HOST), *new_jobs(150, lane=OTHER_HOST)]
    store.enqueue(jobs)
    hands = [Hand(store, number) for number in range(1, 5)]
    threads = [threading.Thread(target=hand.work) for hand in hands]
    for thread in threads:
        thread.start()
    most: Counter[str] = Counter()
    with open_tables(store.url) as tables:
        while any(thread.is_alive() for thread in threads):
            most |= Counter(row["lane"] for row in tables.rows("lease"))
    for thread in threads:
        thread.join()
    ended = [job_id for hand in hands for job_id in hand.ended]
    assert sorted(ended) == sorted(job.id for job in jobs)
    assert (most[HOST], most[OTHER_HOST]) == (2, 2)
