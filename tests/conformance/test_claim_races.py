"""Many claim at once: no job twice, none left behind, and every fence is used for one claim."""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from leasehold.model.ids import WorkerId
from leasehold.store import open_store
from tests.conformance.kit import claim, new_jobs, settle, settlement, start_one

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim
    from leasehold.store.base import Store

THREADS = 8
JOBS = 600


@pytest.fixture
def hints() -> None:
    """Leave the hints on: they must not lose a job either."""


class Drain:
    """Claims until all of the jobs were claimed by somebody, or the time is up."""

    def __init__(self, count: int) -> None:
        self._left = count
        self._lock = threading.Lock()
        self._start = threading.Barrier(THREADS)
        self._deadline = time.monotonic() + 30

    def run(self, open_one: Callable[[], Store]) -> list[list[Claim]]:
        """Return what each claim call took, of all threads."""
        with ThreadPoolExecutor(THREADS) as pool:
            rounds = pool.map(lambda number: self._try(open_one(), number), range(1, THREADS + 1))
            return [taken for of_one_thread in rounds for taken in of_one_thread]

    def _try(self, store: Store, number: int) -> list[list[Claim]]:
        try:
            return self._work(store, number)
        except Exception:
            self._deadline = 0.0  # the others need not wait for what this one has lost
            raise

    def _work(self, store: Store, number: int) -> list[list[Claim]]:
        rounds: list[list[Claim]] = []
        self._start.wait(30)
        while self._left > 0 and time.monotonic() < self._deadline:
            taken = claim(store, worker=WorkerId(number), limit=7)
            rounds += [taken] if taken else []
            with self._lock:
                self._left -= len(taken)
        return rounds


@pytest.mark.parametrize("connections", ["shared", "own"])
def test_no_job_is_claimed_twice_by_many_at_once(
    store: Store, store_url: str, connections: str
) -> None:
    jobs = new_jobs(JOBS)
    store.enqueue(jobs)
    with contextlib.ExitStack() as stack:

        def open_own() -> Store:
            return stack.enter_context(contextlib.closing(open_store(store_url)))

        rounds = Drain(JOBS).run(open_own if connections == "own" else lambda: store)

    taken = Counter(lease.job_id for claims in rounds for lease in claims)
    assert set(taken) == {job.id for job in jobs}
    assert set(taken.values()) == {1}


def test_many_look_from_the_head_at_once_while_the_queue_runs_dry(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("leasehold.store.postgres.levels.HEAD_MOST_SECONDS", 0.0)
    for _ in range(10):
        store.enqueue(new_jobs(40))
        rounds = Drain(40).run(lambda: store)
        assert sum(map(len, rounds)) == 40


def test_a_job_handed_back_is_not_hidden_for_long_behind_newer_ones(store: Store) -> None:
    old = start_one(store)
    newer = new_jobs(400)
    store.enqueue(newer)
    claim(store, limit=1)
    settle(store, old, "released")

    deadline = time.monotonic() + 10
    while old.job_id not in {taken.job_id for taken in claim(store, limit=1)}:
        assert time.monotonic() < deadline, "it is still hidden"


def test_every_claim_call_has_a_fence_of_its_own(store: Store) -> None:
    store.enqueue(new_jobs(200))
    rounds = Drain(200).run(lambda: store)

    fences = [{lease.fence for lease in claims} for claims in rounds]
    assert all(len(used) == 1 for used in fences)
    assert len(set.union(*fences)) == len(rounds)


def test_one_lease_is_settled_once_by_many_at_once(store: Store) -> None:
    worker = WorkerId(9)
    store.enqueue(new_jobs(50))
    ends = [settlement(taken, "succeeded") for taken in claim(store, worker=worker)]
    start = threading.Barrier(THREADS)

    def finish(_: int) -> list[str]:
        start.wait(30)
        return [str(answer) for answer in store.finish(worker, ends)]

    with ThreadPoolExecutor(THREADS) as pool:
        answers = list(pool.map(finish, range(THREADS)))
    for of_one_job in zip(*answers, strict=True):
        assert Counter(of_one_job) == {"settled": 1, "already": THREADS - 1}


def test_finish_and_reclaim_of_one_lease_have_one_winner(store: Store) -> None:
    worker = WorkerId(9)
    store.enqueue(new_jobs(60))
    taken = claim(store, worker=worker)
    store.skew_seconds += 3600
    lapsed = store.lapsed(limit=100)
    start = threading.Barrier(2)

    def finish() -> set[object]:
        start.wait(30)
        answers = [store.finish(worker, [settlement(one, "succeeded")])[0] for one in taken]
        return {
            one.job_id for one, answer in zip(taken, answers, strict=True) if answer == "settled"
        }

    def reclaim() -> set[object]:
        start.wait(30)
        return {job_id for one in reversed(lapsed) for job_id in store.reclaim([(one, 5.0)])}

    with ThreadPoolExecutor(2) as pool:
        finishing, reclaiming = pool.submit(finish), pool.submit(reclaim)
        finished, reclaimed = finishing.result(), reclaiming.result()
    assert not finished & reclaimed
    assert finished | reclaimed == {one.job_id for one in taken}
