"""Answers that are lost and values that no database takes, with and without what guards them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import msgspec

import leasehold as lh
from leasehold.errors import StoreUnavailable
from leasehold.worker.finisher import Finisher
from leasehold.worker.intake import Intake
from tests.worker.kit import ChangedStore, new_worker, outcomes, running_count, wait_until

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

    import pytest

    from leasehold.model.values import Settlement
    from leasehold.store.base import Answer, Store

JOBS = 8


@lh.task(name="count me")
def count_me() -> int:
    return lh.current_job().attempt


def lose_first_answer(store: Store, lost: list[int]) -> lh.Client:
    """A client whose first claim is committed, and its answer cut off."""

    def claim(real: Store, *args: Any, **named: Any) -> Any:
        taken = real.claim(*args, **named)
        if taken and not lost:
            lost.append(len(taken))
            raise StoreUnavailable("cut off after the commit")
        return taken

    return lh.Client(store=ChangedStore(store, claim=claim))


def test_leases_of_a_lost_answer_are_handed_back_and_run_uncharged(store: Store) -> None:
    client, lost = lh.Client(store=store), list[int]()
    ids = [client.enqueue(count_me).id for _ in range(JOBS)]
    with new_worker(lose_first_answer(store, lost), [count_me], slots=4):
        wait_until(lambda: not client.counts(), "all have ended")
    assert lost == [4]
    results = sorted(client.get(job_id).result for job_id in ids)
    assert results == [1] * 4 + [2] * 4
    assert {client.get(job_id).failures for job_id in ids} == {0}
    assert sum(outcomes(client, job_id) == ["released", "succeeded"] for job_id in ids) == 4


def test_leases_that_the_worker_knows_are_not_handed_back_with_them(store: Store) -> None:
    """A job that runs meanwhile keeps its lease and ends in its first attempt."""
    go_on, started = threading.Event(), threading.Event()

    @lh.task(name="keep me", priority=9)
    def keep_me() -> int:
        started.set()
        assert go_on.wait(20)
        return lh.current_job().attempt

    client, lost = lh.Client(store=store), list[int]()
    kept = client.enqueue(keep_me).id

    def claim(real: Store, *args: Any, **named: Any) -> Any:
        taken = real.claim(*args, **named)
        if started.is_set() and taken and not lost:
            lost.append(len(taken))
            raise StoreUnavailable("cut off after the commit")
        return taken

    changed = lh.Client(store=ChangedStore(store, claim=claim))
    with new_worker(changed, [keep_me, count_me], slots=4):
        assert started.wait(10)
        ids = [client.enqueue(count_me).id for _ in range(3)]
        wait_until(lambda: all(client.get(each).result for each in ids), "the others have ended")
        go_on.set()
        wait_until(lambda: not client.counts(), "all have ended")
    assert lost
    assert (client.get(kept).result, outcomes(client, kept)) == (1, ["succeeded"])


def test_mutant_that_never_doubts_leaves_the_lost_leases_to_lapse(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Intake, "settle_doubt", lambda _self, _store: None)
    client, lost = lh.Client(store=store), list[int]()
    client.enqueue_many(count_me.call() for _ in range(JOBS))
    with new_worker(lose_first_answer(store, lost), [count_me], slots=4) as worker:
        wait_until(lambda: worker.report.succeeded == JOBS - 4, "the others have ended")
    assert running_count(client) == lost[0]


def poison(store: Store) -> tuple[lh.Client, list[Any]]:
    """A client with jobs that end at the same moment, one of them in what can't be stored."""
    together = threading.Barrier(JOBS)

    @lh.task(name="end together", max_attempts=1)
    def end_together(n: int) -> int:
        together.wait(20)
        return n

    client = lh.Client(store=store)
    ids = [client.enqueue(end_together, n).id for n in range(JOBS)]
    # PostgreSQL's jsonb has no NUL; SQLite takes it for what it is, and balks at broken JSON.
    bad = msgspec.Raw(b"{broken" if store.url.startswith("sqlite") else b'"a\\u0000b"')

    poisonous: list[UUID] = []  # the first that is to be settled together with others

    def finish(real: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        if not poisonous and len(settlements) > 1:
            poisonous.append(settlements[-1].job_id)
        return real.finish(
            worker,
            [
                msgspec.structs.replace(each, result=bad)
                if each.job_id in poisonous and each.outcome == "succeeded"
                else each
                for each in settlements
            ],
        )

    changed = lh.Client(store=ChangedStore(store, finish=finish))
    return changed, [end_together, ids, poisonous]


def test_a_poisonous_result_fails_alone_and_the_others_of_its_batch_succeed(store: Store) -> None:
    client, (task, _, poisonous) = poison(store)
    with new_worker(client, [task], slots=JOBS) as worker:
        wait_until(lambda: not client.counts(), "all have ended")
    assert (worker.report.succeeded, worker.report.dead) == (JOBS - 1, 1)
    assert (client.get(poisonous[0]).error or "").startswith("BadResult: the database refused")


def test_mutant_that_does_not_halve_drags_the_whole_batch_down(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = Finisher._divide
    monkeypatch.setattr(
        Finisher,
        "_divide",
        lambda self, asked, error, **named: [whole(self, [each], error, **named) for each in asked],
    )
    client, (task, ids, poisonous) = poison(store)
    with new_worker(client, [task], slots=JOBS) as worker:
        wait_until(lambda: not client.counts(), "all have ended")
    assert worker.report.dead > 1
    assert any(outcomes(client, each) == ["dead"] for each in ids if each not in poisonous)
