"""Many claim from the same lanes at once: the limits hold at every moment, and nothing is stuck."""

from __future__ import annotations

import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import Rule, read_place
from tests.conformance.kit import (
    RULE,
    claim_lanes,
    declare,
    new_jobs,
    place_of,
    promote,
    settle,
    take_lanes,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from leasehold.model.values import Claim
    from leasehold.store.base import Store

THREADS = 6
KEYS = [f"{RULE}:{name}" for name in "abcde"]
JOBS_OF_A_KEY = 30
LIMIT = 2


class Tally:
    """Counts what runs, by key: after the claim's answer, until before the settlement is sent.

    A lease stands for longer than that, so that what is seen here really ran at once.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self.most: Counter[str] = Counter()
        self.done = 0

    def start(self, taken: Claim) -> None:
        key = read_place(taken.place).lane
        with self._lock:
            self._running[key] += 1
            self.most[key] = max(self.most[key], self._running[key])

    def end(self, taken: Claim, *, is_last: bool) -> None:
        with self._lock:
            self._running[read_place(taken.place).lane] -= 1
            self.done += is_last


def at_once(act: Callable[[int], None]) -> None:
    start = threading.Barrier(THREADS)

    def run(number: int) -> None:
        start.wait(30)
        act(number)

    with ThreadPoolExecutor(THREADS) as pool:
        list(pool.map(run, range(THREADS)))


def test_a_key_never_runs_more_than_its_limit_whoever_claims_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=LIMIT))
    for key in KEYS:
        store.enqueue(new_jobs(JOBS_OF_A_KEY, lane=key, max_attempts=1000))
    tally = Tally()

    def work(number: int) -> None:
        worker, chance = WorkerId(number + 1), random.Random(number)
        deadline = time.monotonic() + 60
        while tally.done < len(KEYS) * JOBS_OF_A_KEY:
            assert time.monotonic() < deadline, "jobs are stuck"
            claims = take_lanes(store, worker, chance.randint(1, 5))
            for taken in claims:
                tally.start(taken)
            for taken in claims:
                outcome = chance.choice(["succeeded", "succeeded", "released", "failed"])
                tally.end(taken, is_last=outcome == "succeeded")
                settle(store, taken, outcome, worker=worker, delay_seconds=0.0)
            promote(store)

    at_once(work)
    assert set(tally.most) == set(KEYS)
    assert max(tally.most.values()) <= LIMIT
    assert tally.done == len(KEYS) * JOBS_OF_A_KEY


def test_no_two_get_one_jobs_lease_out_of_a_lane(store: Store) -> None:
    jobs = new_jobs(200, lane="", share="ada")
    store.enqueue(jobs)
    taken: list[Claim] = []

    def work(number: int) -> None:
        while some := claim_lanes(
            store, place_of("", share="ada"), worker=WorkerId(number + 1), limit=7
        ):
            taken.extend(some)

    at_once(work)
    taken += claim_lanes(store, place_of("", share="ada"), limit=1000)
    assert Counter(lease.job_id for lease in taken) == Counter(job.id for job in jobs)


def test_a_burst_is_given_once_whoever_claims_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, rate=1e-6, burst=10.0))
    store.enqueue(new_jobs(100, lane=KEYS[0]))
    taken: list[Claim] = []

    def work(number: int) -> None:
        for _ in range(10):
            taken.extend(
                claim_lanes(store, place_of(KEYS[0]), worker=WorkerId(number + 1), limit=3)
            )

    at_once(work)
    taken += claim_lanes(store, place_of(KEYS[0]))
    assert len(taken) == 10
