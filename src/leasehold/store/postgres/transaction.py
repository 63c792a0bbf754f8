"""Transactions that end an attempt, or save for it, together with the caller's own writes."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import psycopg

from leasehold.errors import LeaseholdError, LeaseLost
from leasehold.store.postgres.bounds import AS_BEFORE, act_as, roll_back
from leasehold.store.postgres.errors import LEASE_LOST, translate, translating

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Sequence

    from psycopg.sql import Composed

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Settlement
    from leasehold.store.contract.saving import Saves
    from leasehold.store.postgres.async_pool import AsyncPool
    from leasehold.store.postgres.bounds import Bounds
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Lender

_encode = msgspec.json.Encoder().encode
_SETTLE = """
SELECT leasehold.settle(%(job_id)s, %(fence)s, %(worker)s, %(result)s::jsonb,
  %(elapsed_seconds)s, %(skew_seconds)s, %(spent)s)
"""
_SAVE = "SELECT leasehold.save(%(saves)s::text, %(worker)s, %(skew_seconds)s, true)"


@dataclass(frozen=True, slots=True)
class Ending:
    """How the transaction ends: what it saves, and how it settles the attempt, if it does.

    Both are asked for last.
    """

    worker: WorkerId
    settle: Callable[[], Settlement] | None
    saves: Saves
    lease_seconds: float
    skew_seconds: float
    # For the callback's queue, after the commit.
    wake: Callable[[Sequence[str] | None], None] = lambda _queues: None
    tenant: str = ""  # as whom the caller writes, where the database has roles

    def idle_limit(self) -> bytes:
        """A stopped worker's transaction must not outlive its lease."""
        milliseconds = max(1, int(self.lease_seconds * 1000))
        return b"SET LOCAL idle_in_transaction_session_timeout = %d" % milliseconds

    def opening(self, app: str | None) -> list[bytes | Composed]:
        """What is to be run first; a tenant's job acts as its tenant from then on."""
        first: list[bytes | Composed] = [b"BEGIN", self.idle_limit()]
        return [*first, act_as(app, self.tenant)] if app is not None else first

    def statements(self, app: str | None) -> list[tuple[str, dict[str, Any] | None]]:
        """What is to be run before the COMMIT, and together with it: by the worker itself."""
        known = {"worker": self.worker, "skew_seconds": self.skew_seconds}
        saves = self.saves()
        last: list[tuple[str, dict[str, Any] | None]] = []
        if app is not None:
            last += [(sql, None) for sql in AS_BEFORE]
        if saves:
            last.append((_SAVE, known | {"saves": _encode(saves).decode()}))
        if self.settle is not None:
            last.append((_SETTLE, known | _described(self.settle())))
        return last

    def tell(self, called: tuple[Any, ...] | None) -> None:
        """Wake somebody for the job's callback, if it has one."""
        self.wake([queue for queue in called or () if queue is not None])

    def refusal(self, error: psycopg.Error) -> LeaseholdError:
        if error.sqlstate == LEASE_LOST:
            lost = self.saves()[0] if self.settle is None else self.settle()
            return LeaseLost(lost.job_id)
        return translate(error)


def _described(settlement: Settlement) -> dict[str, Any]:
    result = settlement.result
    return {
        "job_id": settlement.job_id,
        "fence": settlement.fence,
        "result": None if result is None else bytes(result).decode(),
        "elapsed_seconds": settlement.elapsed_seconds,
        "spent": settlement.spent,
    }


@contextmanager
def ending_transaction(pool: Lender, bounds: Bounds, ending: Ending) -> Iterator[Connection]:
    """Lend a connection inside a transaction; save and settle last, together with the COMMIT."""
    app = bounds.app_role() if ending.tenant else None
    with pool.connection() as connection:
        with translating():
            for each in ending.opening(app):
                connection.execute(each, prepare=False)
        try:
            yield connection
            last = ending.statements(app)
        except BaseException:
            roll_back(connection)
            raise
        try:
            # Together: a worker that stops between them would hold its lease row locked.
            with connection.pipeline():
                cursors = [
                    connection.execute(sql.encode(), parameters, prepare=False)
                    for sql, parameters in last
                ]
                connection.execute("COMMIT", prepare=False)
            called = cursors[-1].fetchone() if ending.settle else None
        except psycopg.Error as error:
            roll_back(connection)
            raise ending.refusal(error) from error
    ending.tell(called)


@asynccontextmanager
async def async_ending_transaction(
    pool: AsyncPool, bounds: Bounds, ending: Ending
) -> AsyncIterator[AsyncConnection]:
    """Do the same on an async connection; one that is left in a transaction is not kept."""
    app = await _app_role(bounds) if ending.tenant else None
    async with pool.connection() as connection:
        with translating():
            for each in ending.opening(app):
                await connection.execute(each, prepare=False)
        yield connection
        last = ending.statements(app)
        try:
            async with connection.pipeline():
                cursors = [
                    await connection.execute(sql.encode(), parameters, prepare=False)
                    for sql, parameters in last
                ]
                await connection.execute("COMMIT", prepare=False)
            called = await cursors[-1].fetchone() if ending.settle else None
        except psycopg.Error as error:
            raise ending.refusal(error) from error
    ending.tell(called)


async def _app_role(bounds: Bounds) -> str | None:
    return bounds.app_role() if bounds.is_known else await asyncio.to_thread(bounds.app_role)
