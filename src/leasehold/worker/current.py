"""The job of a handler that runs in a thread, or on the loop, of its worker."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

from leasehold.batches import Batches
from leasehold.client import Client
from leasehold.enqueuing import traced_write
from leasehold.errors import Interrupted, LeaseholdError, LeaseLost
from leasehold.id_source import IdSource
from leasehold.model.batches import Adder
from leasehold.model.lanes import read_place
from leasehold.model.throttles import check_amount, read_pause
from leasehold.revealing import open_predecessor
from leasehold.store.shield import shielded
from leasehold.worker.keeper import LocalKeeper
from leasehold.worker.running_job import RunningJob
from leasehold.worker.savings import Savings
from leasehold.worker.transactions import JobTransaction

if TYPE_CHECKING:
    from datetime import datetime

    from leasehold.batches import Batch
    from leasehold.model.durations import Duration
    from leasehold.model.ids import WorkerId
    from leasehold.model.needs import Predecessor
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.saver import Saver


class CurrentJob(RunningJob):
    """A job that runs in a thread or on the loop of its worker."""

    __slots__ = ("_attempt", "_predecessors", "_saver", "_store", "_worker")

    def __init__(self, attempt: Attempt, store: Store, worker: WorkerId, saver: Saver) -> None:
        self._claim = attempt.claim  # not through super(): one is made for each job
        self._savings = None
        self._attempt = attempt
        self._store = store
        self._worker = worker
        self._saver = saver

    @property
    def is_stopping(self) -> bool:
        return self._attempt.interruption is not None

    @property
    def seconds_left(self) -> float:
        return self._attempt.deadline - time.monotonic()

    @property
    def result(self) -> Any:
        return self._attempt.result

    @result.setter
    def result(self, value: Any) -> None:
        self._attempt.result = value

    @property
    def batch(self) -> Batch:
        claim, store = self._claim, self._store
        if claim.batch is None:
            raise LeaseholdError(f"job {self.id} belongs to no batch")
        adder = Adder(claim.job_id, claim.fence)
        batches = Batches(lambda: store, IdSource(), traced_write(store.enqueue), adder=adder)
        return batches.batch(claim.batch, tenant=claim.tenant)

    @property
    def client(self) -> Client:
        everybodys = Client(store=self._store)
        return everybodys.for_tenant(self.tenant) if self.tenant else everybodys

    @property
    def predecessors(self) -> tuple[Predecessor, ...]:
        try:
            return self._predecessors
        except AttributeError:  # not in __init__: one is made for each job
            with shielded():
                found = self._store.predecessors(self.id)
            keyring = self._store.keyring
            self._predecessors: tuple[Predecessor, ...] = tuple(
                open_predecessor(each, keyring) for each in found
            )
            return self._predecessors

    def check(self) -> None:
        interruption: type[Interrupted] | None = self._attempt.interruption
        if interruption is not None:
            raise interruption

    def transaction(self) -> JobTransaction:
        return self._transaction(ends=True)

    def saving(self) -> JobTransaction:
        return self._transaction(ends=False)

    def spend(self, amount: float) -> None:
        self._attempt.spent = check_amount(amount)

    def pause_throttle(self, until: datetime | Duration, /, *, reason: str = "") -> None:
        place = self._claim.place
        if not place or not read_place(place).lane:
            raise LeaseholdError(f"job {self.id} has no throttle that could be paused")
        pause = read_pause(until, reason=reason, by=f"job {self.id}")
        with shielded():
            is_paused = self._store.pause_lane(self._worker, self._attempt.held(), pause)
        if not is_paused:
            raise LeaseLost(self.id)
        self._attempt.stop_line()

    def _transaction(self, *, ends: bool) -> JobTransaction:
        savings = self._save_with()
        return JobTransaction(
            self._attempt, self._store, self._worker, self._saver, savings, ends=ends
        )

    def _open_savings(self) -> Savings:
        attempt = self._attempt
        keeper = LocalKeeper(attempt, self._store, self._worker, self._saver)
        limit = attempt.task.options.result_limit
        return Savings(attempt.claim, keeper, result_limit=limit)
