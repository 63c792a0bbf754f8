"""The finisher: what can't be written is kept, what no database takes is isolated."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import leasehold as lh
from leasehold.errors import BadValue, StoreBusy, StoreError, StoreFull, StoreUnavailable
from leasehold.model.states import State
from tests.worker.kit import ChangedStore, drain, new_worker, outcomes, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from uuid import UUID

    from leasehold.client import Client
    from leasehold.model.values import Settlement
    from leasehold.store.base import Answer, Store
    from leasehold.task import Task

JOBS = 40


def changed(client: Client, **operations: Callable[..., Any]) -> lh.Client:
    return lh.Client(store=ChangedStore(client.store, **operations))


@pytest.fixture
def together() -> Task[[int], int]:
    """A task of which many end at the same moment, so that they are settled in one batch."""
    gate = threading.Barrier(JOBS)

    @lh.task(name="together", max_attempts=3)
    def end_together(n: int) -> int:
        if lh.current_job().attempt == 1:
            gate.wait(20)
        return n

    return end_together


@pytest.mark.parametrize("error", [BadValue, StoreError, ZeroDivisionError])
def test_one_poisonous_settlement_is_isolated_and_the_others_settle(
    client: Client, together: Task[[int], int], error: type[Exception]
) -> None:
    ids = [client.enqueue(together, n).id for n in range(JOBS)]
    poisoned = ids[JOBS // 3]
    sizes: list[int] = []

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        sizes.append(len(settlements))
        if any(each.job_id == poisoned and each.outcome == "succeeded" for each in settlements):
            raise error("can't be stored")
        return store.finish(worker, settlements)

    report = drain(changed(client, finish=finish), together, slots=JOBS)
    assert (report.succeeded, report.failed, report.lost) == (JOBS - 1, 1, 0)
    assert max(sizes) > 1
    job = client.get(poisoned)
    assert (job.state, job.failures) == (State.FAILED, 1)
    assert "can't be stored" in (job.error or "")
    assert (job.error or "").startswith("BadResult")
    assert {client.get(each).state for each in ids if each != poisoned} == {State.SUCCEEDED}


def test_a_result_that_the_real_database_refuses_is_a_typed_failure(
    client: Client, together: Task[[int], int]
) -> None:
    """It got past the worker's own checks: here it is no JSON."""
    ids = [client.enqueue(together, n).id for n in range(JOBS)]
    poisoned = ids[7]

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        return store.finish(worker, [smuggle(each, poisoned) for each in settlements])

    report = drain(changed(client, finish=finish), together, slots=JOBS)
    assert report.succeeded == JOBS - 1
    assert client.get(poisoned).state is State.FAILED
    assert (client.get(poisoned).error or "").startswith("BadResult: the database refused")


def smuggle(settlement: Settlement, poisoned: UUID) -> Settlement:
    if settlement.job_id != poisoned or settlement.outcome != "succeeded":
        return settlement
    return msgspec.structs.replace(settlement, result=msgspec.Raw(b"{broken"))


def test_a_settlement_that_is_refused_in_every_form_is_left_to_lapse(client: Client) -> None:
    @lh.task(name="cursed")
    def cursed() -> None:
        return

    @lh.task(name="plain")
    def plain() -> None:
        return

    job_id = client.enqueue(cursed).id
    tries: list[str] = []

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        if any(each.job_id == job_id for each in settlements):
            tries.extend(each.outcome for each in settlements)
            raise StoreError(f"never, for the {len(tries)}th time")
        return store.finish(worker, settlements)

    with new_worker(changed(client, finish=finish), [cursed, plain]) as worker:
        wait_until(lambda: len(tries) == 2, "both forms were tried")
        other = client.enqueue(plain).id
        wait_until(lambda: outcomes(client, other) == ["succeeded"], "the others go on")
        assert worker._crew is not None
        book = worker._crew.book  # which hears of an outcome just after its commit
        wait_until(lambda: book.is_empty, "the refused one is not held, so that nobody renews it")
    assert tries == ["succeeded", "failed"]
    assert client.get(job_id).state is State.RUNNING


@pytest.mark.parametrize("error", [StoreUnavailable, StoreBusy, StoreFull])
def test_what_can_not_be_written_now_is_kept_and_tried_again(
    client: Client, error: type[StoreError]
) -> None:
    @lh.task(name="once")
    def once() -> str:
        runs.append(1)
        return "done"

    runs: list[int] = []
    failures = [error("not now")] * 4

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        if failures:
            raise failures.pop()
        return store.finish(worker, settlements)

    job_id = client.enqueue(once).id
    report = drain(changed(client, finish=finish), once)
    assert (report.succeeded, runs, failures) == (1, [1], [])
    assert outcomes(client, job_id) == ["succeeded"]


def test_an_answer_that_was_lost_is_asked_for_again_and_counts_once(client: Client) -> None:
    @lh.task(name="heard")
    def heard() -> str:
        return "done"

    lost: list[int] = []

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        answers = store.finish(worker, settlements)
        if not lost:
            lost.append(1)
            raise StoreUnavailable("cut off after the commit")
        return answers

    job_id = client.enqueue(heard).id
    report = drain(changed(client, finish=finish), heard)
    assert (report.succeeded, report.lost) == (1, 0)
    assert outcomes(client, job_id) == ["succeeded"]


def test_a_lost_lease_is_counted_and_changes_nothing(client: Client) -> None:
    @lh.task(name="beaten")
    def beaten() -> str:
        return "mine"

    def finish(store: Store, worker: Any, settlements: Sequence[Settlement]) -> list[Answer]:
        stale = [msgspec.structs.replace(each, fence=0) for each in settlements]
        return store.finish(worker, stale)

    job_id = client.enqueue(beaten).id
    with new_worker(changed(client, finish=finish), [beaten]) as worker:
        wait_until(lambda: worker.report.lost == 1, "the loss was noticed")
    assert client.get(job_id).result is None
    assert worker.report.succeeded == 0


def test_a_worker_that_can_not_settle_ends_all_the_same_and_says_so(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    @lh.task(name="unheard")
    def unheard() -> None:
        return

    def finish(*_: object) -> list[Answer]:
        tried.set()
        raise StoreUnavailable("gone for good")

    tried = threading.Event()
    job_id = client.enqueue(unheard).id
    with new_worker(changed(client, finish=finish), [unheard], grace="1s"):
        assert tried.wait(20)
    assert "left unsettled" in caplog.text
    assert client.get(job_id).state is State.RUNNING  # its lease lapses


def test_claims_that_fail_are_postponed_and_go_on(client: Client) -> None:
    @lh.task(name="patient")
    def patient() -> None:
        return

    failures: list[Exception] = [StoreUnavailable("restarting"), ZeroDivisionError("a bug")] * 2

    def claim(store: Store, *args: Any, **named: Any) -> Any:
        if failures:
            raise failures.pop()
        return store.claim(*args, **named)

    client.enqueue(patient)
    assert drain(changed(client, claim=claim), patient).succeeded == 1


def test_a_claim_whose_answer_was_lost_is_handed_back_and_run_uncharged(client: Client) -> None:
    @lh.task(name="found")
    def found() -> int:
        return lh.current_job().attempt

    lost: list[int] = []

    def claim(store: Store, *args: Any, **named: Any) -> Any:
        taken = store.claim(*args, **named)
        if taken and not lost:
            lost.append(len(taken))
            raise StoreUnavailable("cut off after the commit")
        return taken

    ids = [client.enqueue(found).id for _ in range(5)]
    report = drain(changed(client, claim=claim), found)
    assert report.succeeded == 5
    assert lost[0] >= 1
    assert {client.get(job_id).failures for job_id in ids} == {0}
    assert sum(client.get(job_id).result == 2 for job_id in ids) == lost[0]
