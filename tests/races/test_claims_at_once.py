"""Claims beside claims, reprioritising and open transactions: no job twice, none hidden."""

from __future__ import annotations

import contextlib
import random
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from leasehold.errors import IdConflict, StoreError
from leasehold.model.ids import JobId, WorkerId
from leasehold.store import open_store
from tests.conformance.kit import claim, enqueue_one, new_job, new_jobs, raw, settle, start_one
from tests.races.kit import OpenSide, mutate

if TYPE_CHECKING:
    from collections.abc import Callable
    from uuid import UUID

    from leasehold.store.base import Store
    from tests.conformance.tables import Tables
    from tests.races.kit import PostgresRace


def test_a_claim_goes_past_what_another_is_just_claiming(race: PostgresRace) -> None:
    jobs = new_jobs(10)
    race.store.enqueue(jobs)
    with race.uncommitted() as side:
        first = claim(side.store, limit=5)
        second = race.start(lambda: claim(race.store, worker=WorkerId(2), limit=5)).result(10)
        side.commit()
    assert [one.job_id for one in first + second] == [job.id for job in jobs]


def test_mutant_without_skip_locked_a_claim_waits_for_the_other(
    race: PostgresRace, monkeypatch: pytest.MonkeyPatch
) -> None:
    mutate(monkeypatch, "claim", "SKIP LOCKED")
    race.store.enqueue(new_jobs(10))
    with race.uncommitted() as side:
        assert len(claim(side.store, limit=5)) == 5
        claiming = race.start(lambda: claim(race.store, limit=5))
        race.wait_until_blocked(side, claiming)


def test_a_claim_that_is_rolled_back_leaves_its_jobs_to_others(race: PostgresRace) -> None:
    job_id = enqueue_one(race.store)
    with race.uncommitted() as side:
        assert len(claim(side.store)) == 1
        assert claim(race.store) == []
        side.roll_back()
    assert [one.job_id for one in claim(race.store)] == [job_id]


class Stress:
    """Claimers that drain while somebody reprioritises; counts claims that came back empty."""

    def __init__(self, url: str, ids: list[UUID], change: Callable[[Store, UUID], object]) -> None:
        self._url = url
        self._ids = ids
        self._change = change
        self._left = len(ids)
        self._is_over = threading.Event()
        self.taken: Counter[UUID] = Counter()
        self.empty = 0

    def run(self, claimers: int = 3) -> None:
        with ThreadPoolExecutor(claimers + 2) as pool:
            drains = [pool.submit(self._drain, WorkerId(n + 1)) for n in range(claimers)]
            others = [pool.submit(self._reprioritise, seed) for seed in (1, 2)]
            try:
                for each in drains:
                    each.result(60)
            finally:
                self._is_over.set()
            for each in others:
                each.result(60)

    def _drain(self, worker: WorkerId) -> None:
        deadline = time.monotonic() + 30
        with contextlib.closing(open_store(self._url)) as store:
            while self._left > 0 and time.monotonic() < deadline:
                found = claim(store, worker=worker, limit=5)
                self._left -= len(found)
                self.taken.update(one.job_id for one in found)
                # With so many left, nobody else can have taken them all.
                self.empty += not found and self._left > 200

    def _reprioritise(self, seed: int) -> None:
        chance = random.Random(seed)
        with contextlib.closing(open_store(self._url)) as store:
            while not self._is_over.is_set():
                # The ones at the head are those that the claims are after.
                waiting = [each for each in self._ids if each not in self.taken][:20]
                if waiting:
                    self._change(store, chance.choice(waiting))


def reprioritise(store: Store, job_id: UUID) -> None:
    store.reprioritise(JobId(job_id), random.randrange(3))


def stress(store: Store, change: Callable[[Store, UUID], object], count: int) -> Stress:
    jobs = new_jobs(count)
    store.enqueue(jobs)
    found = Stress(store.url, [job.id for job in jobs], change)
    found.run()
    return found


def test_reprioritising_under_load_loses_no_job_and_hides_none(store: Store) -> None:
    found = stress(store, reprioritise, 1_500)
    assert len(found.taken) == 1_500
    assert set(found.taken.values()) == {1}
    assert found.empty == 0


def test_a_claim_does_not_come_back_empty_beside_a_reprioritised_head(race: PostgresRace) -> None:
    """The row at the head moved after the claim's snapshot and before the claim's lock."""
    assert claims_beside_moving_head(race, lambda side, job_id: side.store.reprioritise(job_id, 0))


def test_mutant_an_update_in_place_makes_the_claim_come_back_empty(race: PostgresRace) -> None:
    def update(side: OpenSide, job_id: JobId) -> None:
        query = "UPDATE leasehold.ready SET priority = 0 WHERE job_id = %s"
        side.connection.execute(query, (job_id,))

    assert not claims_beside_moving_head(race, update)


def claims_beside_moving_head(
    race: PostgresRace, change: Callable[[OpenSide, JobId], object]
) -> list[Any]:
    """Claim one while the change of the head commits between the claim's snapshot and its lock.

    A held advisory lock in the middle of the claim's own scan stops it there.
    """
    first, second = new_jobs(2)
    race.store.enqueue([first, second])
    with race.uncommitted() as brake, race.uncommitted() as side:
        brake.connection.execute("SELECT pg_advisory_xact_lock(77)")
        with pytest.MonkeyPatch.context() as patch:
            mutate(
                patch,
                "claim",
                "    FROM jsonb_to_recordset(%(levels)s::jsonb) AS level",
                "    FROM (SELECT pg_advisory_xact_lock_shared(77) OFFSET 0) AS brake\n"
                "    CROSS JOIN jsonb_to_recordset(%(levels)s::jsonb) AS level",
            )
            claiming = race.start(lambda: claim(race.store, limit=1))
            race.wait_until_blocked(brake, claiming)
            change(side, first.id)
            side.commit()
            brake.roll_back()
            return claiming.result(10)


def test_an_idle_callers_transaction_with_new_jobs_delays_no_claim_and_no_finish(
    race: PostgresRace,
) -> None:
    taken = start_one(race.store)
    waiting = enqueue_one(race.store)
    with race.uncommitted() as caller:
        caller.store.enqueue(new_jobs(50))
        assert race.start(lambda: settle(race.store, taken, "succeeded")).result(5) == "settled"
        found = race.start(lambda: claim(race.store)).result(5)
        assert [one.job_id for one in found] == [waiting]
        assert race.start(lambda: race.store.enqueue(new_jobs(50))).result(5) == {}
        assert race.start(lambda: race.store.promote(limit=10)).result(5).count == 0
        caller.commit()
    assert len(claim(race.store, limit=200)) == 100


def test_mutant_an_enqueue_that_locks_a_row_of_another_job_hides_it(race: PostgresRace) -> None:
    enqueue_one(race.store)
    with race.uncommitted() as caller:
        caller.store.enqueue(new_jobs(1))
        caller.connection.execute("SELECT FROM leasehold.ready FOR UPDATE")
        assert claim(race.store) == []


@pytest.mark.parametrize("commits", [True, False])
def test_the_same_id_enqueued_at_once_is_one_job(
    race: PostgresRace, tables: Tables, *, commits: bool
) -> None:
    job = new_job()
    existing = race.run_beside(
        lambda store: store.enqueue([job]), lambda: race.store.enqueue([job]), commits=commits
    )
    assert existing.keys() == ({job.id} if commits else set())
    assert [len(tables.rows(name)) for name in ("job", "ready")] == [1, 1]


def test_the_same_id_for_another_job_at_once_is_refused_when_the_first_commits(
    race: PostgresRace, tables: Tables
) -> None:
    job = new_job()
    other = new_job(id=job.id, args=raw({"name": "Grace"}))
    companion = new_job()
    with pytest.raises(IdConflict):
        race.run_beside(
            lambda store: store.enqueue([job]), lambda: race.store.enqueue([companion, other])
        )
    assert [row["id"] for row in tables.rows("job")] == [job.id]


def test_mutant_an_enqueue_that_looks_before_it_writes_breaks(race: PostgresRace) -> None:
    """It reads by the snapshot from before it waited: it sees nothing, and fails."""
    job = new_job()

    def look_then_write() -> None:
        with race.store._lend() as connection:
            connection.execute(
                """
                INSERT INTO leasehold.job (id, queue, kind, args, priority, max_attempts,
                  timeout_seconds, created_at)
                SELECT %(id)s, 'default', 'greet', '{}', 0, 5, 60, now()
                WHERE NOT EXISTS (SELECT FROM leasehold.job WHERE id = %(id)s)
                """,
                {"id": job.id},
            )

    with pytest.raises(StoreError, match="duplicate key"):
        race.run_beside(lambda store: store.enqueue([job]), look_then_write)
