"""What was done and not answered is neither done twice nor forgotten."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.faults.history import OutcomeRow, read_history
from tests.faults.proxy import Cut, Proxy
from tests.faults.target import Target, prepare
from tests.faults.tasks import RETRY, record, record_async
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from uuid import UUID

# Only a claim's parameters name how many to take at most of a level.
CLAIM = b'"most":'
FINISH = b"finished"
TRIES = 20
# A dead peer is noticed in about 3 s, where the default is 15.
QUICK = "tcp_user_timeout=2000&keepalives_idle=1&keepalives_interval=1&keepalives_count=2"


@lh.task(name="note")
def note(text: str) -> str:
    return text


@lh.task(name="pay_note", retry=RETRY)
def pay_note() -> None:
    with lh.current_job().transaction() as connection:
        record(connection, lh.current_job())


@lh.task(name="pay_note_async", retry=RETRY)
async def pay_note_async() -> None:
    async with lh.current_job().transaction() as connection:
        await record_async(connection, lh.current_job())


@pytest.fixture
def target(postgres_url: str) -> Iterator[Target]:
    prepare(postgres_url)
    opened = Target("postgres", postgres_url)
    yield opened
    opened.close()


@pytest.fixture
def proxy(target: Target) -> Iterator[Proxy]:
    with Proxy(target.url) as opened:
        yield opened


@pytest.fixture
def far(proxy: Proxy) -> Iterator[lh.Client]:
    """A client whose answers may get lost."""
    with lh.Client(proxy.url(QUICK)) as client:
        yield client


@pytest.fixture
def near(target: Target) -> Iterator[lh.Client]:
    with lh.Client(target.url) as client:
        yield client


def outcomes(target: Target) -> list[OutcomeRow]:
    return sorted(read_history(target.url, {}).outcomes, key=lambda each: each.attempt)


def wait_for_success(client: lh.Client, job_id: UUID, seconds: float = 15) -> None:
    wait_for("success", lambda: client.get(job_id).state is lh.State.SUCCEEDED, seconds)


def test_an_enqueue_whose_answer_was_lost_is_repeated_by_itself_and_makes_one_job(
    proxy: Proxy, far: lh.Client, near: lh.Client
) -> None:
    cut = proxy.lose_answer(b"only once")
    enqueued = far.enqueue(note, "only once")
    assert cut.is_done.is_set()
    assert enqueued.is_new
    assert [job.id for job in near.find()] == [enqueued.id]


def test_an_enqueue_that_its_caller_repeats_under_the_same_id_makes_one_job(
    proxy: Proxy, far: lh.Client, near: lh.Client
) -> None:
    given = note.with_options(id=near.ids.next())
    cut = proxy.lose_answer(b"only once", times=2)
    with pytest.raises(lh.StoreUnavailable):
        far.enqueue(given, "only once")
    assert cut.is_done.is_set()
    assert not far.enqueue(given, "only once").is_new
    assert len(near.find()) == 1


def lose_claim(cut: Cut, near: lh.Client) -> UUID:
    """Lose the answer of the next claim: of a job just enqueued, or of nothing, a moment before."""
    cut.is_done.clear()
    cut.times = 1
    job_id = near.enqueue(note, "lost").id
    assert cut.is_done.wait(10)
    started = time.monotonic()
    wait_for_success(near, job_id)
    assert time.monotonic() - started < 5, "long before its lease of a minute ends"
    return job_id


def test_a_claim_whose_answer_was_lost_is_handed_back_and_run_soon_by_the_same_worker(
    target: Target, proxy: Proxy, far: lh.Client, near: lh.Client
) -> None:
    cut = proxy.lose_answer(CLAIM, times=0)
    with lh.Worker(far, tasks=[note], poll="0.2s") as worker:
        wait_for_success(near, near.enqueue(note, "a worker that works").id)
        lost = (lose_claim(cut, near) for _ in range(TRIES))
        job_id = next(each for each in lost if len(near.history(each)) > 1)
    ended = [each for each in outcomes(target) if each.job_id == str(job_id)]
    assert [(each.state, each.failures, each.lapses) for each in ended] == [
        ("released", 0, 0),
        ("succeeded", 0, 0),
    ]
    assert {attempt.worker for attempt in near.history(job_id)} == {worker.id}


def test_a_finish_whose_answer_was_lost_counts_once(
    target: Target, proxy: Proxy, far: lh.Client, near: lh.Client
) -> None:
    with lh.Worker(far, tasks=[note], poll="0.2s") as worker:
        cut = proxy.lose_answer(FINISH)
        job_id = near.enqueue(note, "finished").id
        assert cut.is_done.wait(10)
        wait_for("answer in the end", lambda: worker.report.succeeded == 1, 10)
    assert [each.state for each in outcomes(target)] == ["succeeded"]
    assert near.get(job_id).result == "finished"
    assert (worker.report.succeeded, worker.report.lost) == (1, 0)


@pytest.mark.parametrize("task", [pay_note, pay_note_async], ids=lambda task: task.name)
def test_a_transaction_whose_commit_was_not_answered_stands_and_counts_once(
    target: Target, proxy: Proxy, far: lh.Client, near: lh.Client, task: lh.Task[[], object]
) -> None:
    with lh.Worker(far, tasks=[task], poll="0.2s") as worker:
        cut = proxy.lose_answer(b"COMMIT")
        job_id = near.enqueue(task).id
        assert cut.is_done.wait(10)
        wait_for_success(near, job_id)
        wait_for("settled book", lambda: worker._crew and worker._crew.book.is_empty, 10)
    assert [each.state for each in outcomes(target)] == ["succeeded"]
    assert len(read_history(target.url, {}).effects) == 1


def test_half_open_connections_are_noticed_and_work_goes_on(
    proxy: Proxy, far: lh.Client, near: lh.Client
) -> None:
    with lh.Worker(far, tasks=[note, pay_note, pay_note_async], poll="0.2s"):
        before = [near.enqueue(pay_note).id, near.enqueue(pay_note_async).id]
        for job_id in before:
            wait_for_success(near, job_id)
        proxy.vanish()
        started = time.monotonic()
        after = [near.enqueue(note, "after").id, near.enqueue(pay_note).id]
        after += [near.enqueue(pay_note_async).id, far.enqueue(note, "from afar").id]
        for job_id in after:
            wait_for_success(near, job_id, 30)
        print(f"all went on after {time.monotonic() - started:.1f} s")
