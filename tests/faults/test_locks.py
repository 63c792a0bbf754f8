"""An interruption may strike a handler anywhere, but never leaves a store's lock behind."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.model.ids import WorkerId
from leasehold.model.values import Claim, Want
from leasehold.store.sqlite.gate import Gate
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Sequence
    from uuid import UUID

HOLDERS = 10  # as many as the pool has connections; on SQLite the first has the only write lock
WAITERS = 10


def test_handlers_that_time_out_while_they_wait_for_a_transaction_leave_no_lock_behind(
    client: lh.Client,
) -> None:
    """The waiters come to the lock together, time out there, and get it only after that."""
    together = threading.Barrier(HOLDERS + WAITERS)
    room = 1 if client.store.url.startswith("sqlite") else HOLDERS
    inside = threading.Barrier(room + 1)
    is_full = threading.Event()
    may_end = threading.Event()

    @lh.task(name="hold")
    def hold() -> None:
        together.wait(10)
        with lh.current_job().transaction():
            if not is_full.is_set():
                inside.wait(10)
            may_end.wait(10)

    @lh.task(name="wait", timeout="2s", max_attempts=1)
    def wait() -> None:
        together.wait(10)
        assert is_full.wait(10)
        with lh.current_job().transaction():
            pass

    @lh.task(name="follow")
    def follow() -> None:
        with lh.current_job().transaction():
            pass

    with lh.Worker(client, tasks=[hold, wait, follow], slots=HOLDERS + WAITERS, poll="0.1s") as it:
        client.enqueue_many(
            [*(hold.call() for _ in range(HOLDERS)), *(wait.call() for _ in range(WAITERS))]
        )
        inside.wait(10)
        is_full.set()
        assert it._crew is not None
        book = it._crew.book
        wait_for(
            "interruption of all who wait",
            lambda: sum(each.interruption is not None for each in book.running()) == WAITERS,
            20,
        )
        may_end.set()
        ids = [client.enqueue(follow).id for _ in range(HOLDERS)]
        wait_for("end of those who follow", lambda: _have_ended(client, ids), 8)
    assert {client.get(each).state for each in ids} == {lh.State.SUCCEEDED}


def test_a_lease_that_waited_for_the_write_lock_is_counted_from_when_it_was_given(
    sqlite_url: str,
) -> None:
    waited_seconds, lease_seconds = 1.0, 2.0
    taken: list[Claim] = []

    def claim() -> None:
        wants = [Want("default", 1)]
        taken.extend(store.claim(WorkerId(1), wants, limit=1, leases={"follow": lease_seconds}))

    with lh.Client(sqlite_url) as client:
        store = client.store
        job_id = client.enqueue_by_name("follow").id
        claiming = threading.Thread(target=claim)
        with Gate(sqlite_url.removeprefix("sqlite:///") + "-lock", 10).hold():
            claiming.start()
            claiming.join(waited_seconds)
            assert claiming.is_alive(), "it waits for the lock"
            free_at = datetime.now(UTC)
        claiming.join(10)
        until = client.get(job_id).lease_until
    assert len(taken) == 1
    assert until is not None
    assert until >= free_at + timedelta(seconds=lease_seconds)


def _have_ended(client: lh.Client, ids: Sequence[UUID]) -> bool:
    return all(client.get(each).state.is_final for each in ids)
