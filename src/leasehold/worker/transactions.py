"""Transactions of a handler: its own writes, with what it saves or with its job's success."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING, Any

from leasehold.errors import Interrupted, LeaseholdError
from leasehold.model.values import Settlement
from leasehold.store.shield import shielded

if TYPE_CHECKING:
    from contextlib import AbstractAsyncContextManager, AbstractContextManager
    from types import TracebackType

    from leasehold.model.ids import WorkerId
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.saver import Saver
    from leasehold.worker.savings import Savings


class JobTransaction:
    """Usable with `with` and with `async with`; yields the driver's connection.

    On a clean exit what was saved inside is written in the same commit, and where it `ends` the
    job, that is settled as succeeded; set `job.result` before. When the lease does not stand any
    more, everything is rolled back and `LeaseLost` is raised.
    """

    def __init__(
        self,
        attempt: Attempt,
        store: Store,
        worker: WorkerId,
        saver: Saver,
        savings: Savings,
        *,
        ends: bool,
    ) -> None:
        self._attempt = attempt
        self._store = store
        self._worker = worker
        self._saver = saver
        self._savings = savings
        self._ends = ends
        self._blocking: AbstractContextManager[Any] | None = None
        self._awaited: AbstractAsyncContextManager[Any] | None = None

    def __enter__(self) -> Any:
        self._begin()
        self._blocking = self._open()
        try:
            with shielded():
                return self._blocking.__enter__()
        except BaseException as error:
            if isinstance(error, Interrupted):
                # It came while we waited for the lock or the connection, and we have them now.
                self._blocking.__exit__(type(error), error, error.__traceback__)
            self._savings.end_gathering(is_committed=False)
            raise

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._blocking is None:
            raise LeaseholdError("leave a transaction the way you entered it")
        is_committed = False
        with shielded():
            try:
                swallowed = self._blocking.__exit__(kind, error, trace)
                is_committed = error is None
            finally:
                self._end(is_committed=is_committed)
        return swallowed

    async def __aenter__(self) -> Any:
        if self._attempt.has_progress:
            await asyncio.to_thread(self._begin)  # it may wait for a write of that
        else:
            self._begin()
        self._awaited = self._open_async()
        try:
            return await self._awaited.__aenter__()
        except BaseException:
            self._savings.end_gathering(is_committed=False)
            raise

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool | None:
        if self._awaited is None:
            raise LeaseholdError("leave a transaction the way you entered it")
        is_committed = False
        try:
            swallowed = await self._awaited.__aexit__(kind, error, trace)
            is_committed = error is None
        finally:
            self._end(is_committed=is_committed)
        return swallowed

    def _begin(self) -> None:
        if self._attempt.is_settled:
            raise LeaseholdError("this job has ended in a transaction already; it can do so once")
        # Progress that was noted goes with the transaction: the saver could not write it beside it.
        self._savings.gather(self._saver.take(self._attempt))

    def _open(self) -> AbstractContextManager[Any]:
        savings, claim = self._savings, self._attempt.claim
        given: Any = {"lease_seconds": claim.lease_seconds, "tenant": claim.tenant}
        if not self._ends:
            return self._store.saving(self._worker, savings.gathered_or_fence, **given)
        saves = savings.gathered
        return self._store.transaction(self._worker, self._settlement, saves=saves, **given)

    def _open_async(self) -> AbstractAsyncContextManager[Any]:
        savings, claim = self._savings, self._attempt.claim
        given: Any = {"lease_seconds": claim.lease_seconds, "tenant": claim.tenant}
        if not self._ends:
            return self._store.async_saving(self._worker, savings.gathered_or_fence, **given)
        saves = savings.gathered
        return self._store.async_transaction(self._worker, self._settlement, saves=saves, **given)

    def _end(self, *, is_committed: bool) -> None:
        if is_committed and self._ends:
            self._attempt.is_settled = True
        self._savings.end_gathering(is_committed=is_committed)

    def _settlement(self) -> Settlement:
        attempt = self._attempt
        ended = Settlement(
            job_id=attempt.claim.job_id,
            fence=attempt.claim.fence,
            outcome="succeeded",
            result=attempt.task.encode_result(attempt.result, is_sealed=attempt.seal is not None),
            elapsed_seconds=time.monotonic() - attempt.started_at,
            spent=attempt.spent,
        )
        return ended if attempt.seal is None else attempt.seal.settle(ended)
