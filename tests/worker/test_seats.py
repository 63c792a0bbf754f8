"""Async jobs share tasks, one after the other; none may notice the one before."""

from __future__ import annotations

import asyncio
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any, cast

import leasehold as lh
from leasehold.errors import TimedOut
from leasehold.model.ids import WorkerId
from leasehold.model.values import Want
from leasehold.worker.attempt import attempt_of
from leasehold.worker.book import Book
from leasehold.worker.conclusion import Conclusion
from leasehold.worker.loop_runner import IN_A_ROW, LoopRunner
from leasehold.worker.saver import Saver
from tests.worker.kit import drain, outcomes, wait_until

if TYPE_CHECKING:
    from leasehold.client import Client
    from leasehold.model.outcomes import Outcome
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.finisher import Finisher

WORKER = WorkerId(7)

_left_behind: ContextVar[str] = ContextVar("left_behind", default="nothing")


class ToNobody:
    """A finisher that settles nothing."""

    def put(self, attempt: Attempt, outcome: Outcome) -> None: ...


def claimed(
    client: Client, task: lh.Task[..., Any], jobs: int, *, slots: int
) -> tuple[LoopRunner, Book, list[Attempt]]:
    """Claim so many jobs of one task, for a runner of their own."""
    client.enqueue_many(task.call(n) for n in range(jobs))
    claims = client.store.claim(
        WORKER, [Want("default", jobs)], limit=jobs, leases={task.name: 60.0}
    )
    book = Book()
    conclusion = Conclusion(book, cast("Finisher", ToNobody()))
    runner = LoopRunner(
        book=book,
        conclusion=conclusion,
        store=client.store,
        worker=WORKER,
        slots=slots,
        saver=Saver(client.store, WORKER),
    )
    attempts = [attempt_of(claim, task, 0.0) for claim in claims]
    book.add(attempts)
    return runner, book, attempts


def test_what_a_job_puts_into_its_context_is_not_there_for_the_next(client: Client) -> None:
    seen: list[str] = []

    @lh.task(name="leave")
    async def leave(n: int) -> None:
        seen.append(_left_behind.get())
        _left_behind.set(f"job {n}")

    client.enqueue_many(leave.call(n) for n in range(40))
    assert drain(client, leave, slots=2).succeeded == 40
    assert seen == ["nothing"] * 40


def test_a_job_that_cancels_its_own_task_at_its_end_does_not_stop_the_next(client: Client) -> None:
    @lh.task(name="cancel_self")
    async def cancel_self(n: int) -> int:
        if n % 2:
            current = asyncio.current_task()
            assert current is not None
            current.cancel()  # strikes at the next wait, and this job has none
        else:
            await asyncio.sleep(0)
        return n

    ids = [each.id for each in client.enqueue_all(cancel_self.call(n) for n in range(20))]
    assert drain(client, cancel_self, slots=1).succeeded == 20
    assert {outcome for job_id in ids for outcome in outcomes(client, job_id)} == {"succeeded"}


def test_a_job_that_is_cancelled_takes_none_of_the_next_with_it(client: Client) -> None:
    @lh.task(name="hang", timeout="200ms", max_attempts=1)
    async def hang(n: int) -> None:
        await asyncio.sleep(0 if n else 60)

    client.enqueue_many(hang.call(n) for n in range(10))
    report = drain(client, hang, slots=1)
    assert (report.succeeded, report.dead) == (9, 1)


def test_timeouts_and_groups_of_tasks_work_from_the_first_line_on(client: Client) -> None:
    """Both need a task of asyncio's around them, and put it right again when they end."""

    @lh.task(name="guarded")
    async def guarded(n: int) -> int:
        try:
            async with asyncio.timeout(0.001):
                await asyncio.sleep(60)
        except TimeoutError:
            async with asyncio.TaskGroup() as group:
                group.create_task(asyncio.sleep(0))
        return n

    client.enqueue_many(guarded.call(n) for n in range(10))
    assert drain(client, guarded, slots=1).succeeded == 10


def test_jobs_that_never_wait_leave_the_loop_its_turns(client: Client) -> None:
    in_a_row = longest = 0

    def tick() -> None:
        nonlocal in_a_row
        in_a_row = 0
        asyncio.get_running_loop().call_soon(tick)

    @lh.task(name="never_waits")
    async def never_waits(n: int) -> None:
        nonlocal in_a_row, longest
        if n == 0:
            tick()
        in_a_row += 1
        longest = max(longest, in_a_row)

    jobs, seats = 500, 2
    runner, book, attempts = claimed(client, never_waits, jobs, slots=seats)
    runner.start()
    runner.submit(attempts)  # all at once
    wait_until(lambda: book.finished == jobs, "all jobs have run")
    runner.stop(5.0)
    assert longest <= seats * IN_A_ROW


def test_an_interruption_that_comes_too_late_does_not_strike_the_next_job(client: Client) -> None:
    unhurt: list[int] = []

    @lh.task(name="told_late")
    async def told_late(n: int) -> None:
        if n == 0:
            runner.interrupt(attempts[0], TimedOut)  # it is heard when this job has ended
        else:
            await asyncio.sleep(0.001)
            unhurt.append(n)

    runner, book, attempts = claimed(client, told_late, 3, slots=1)
    runner.start()
    runner.submit(attempts)
    wait_until(lambda: book.finished == 3, "all jobs have run")
    runner.stop(5.0)
    assert unhurt == [1, 2]


def test_all_slots_are_filled_although_no_job_ends(client: Client) -> None:
    together = 50
    arrived = 0
    everybody = asyncio.Event()

    @lh.task(name="meet", timeout="20s", max_attempts=1)
    async def meet(n: int) -> int:
        nonlocal arrived
        arrived += 1
        if arrived == together:
            everybody.set()
        await everybody.wait()
        return n

    client.enqueue_many(meet.call(n) for n in range(together))
    assert drain(client, meet, slots=together).succeeded == together
