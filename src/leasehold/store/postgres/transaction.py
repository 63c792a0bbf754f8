"""Transactions that end an attempt together with the caller's own writes, or roll both back."""

from __future__ import annotations

from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

from leasehold.errors import LeaseholdError, LeaseLost
from leasehold.store.postgres.errors import LEASE_LOST, translate, translating

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from leasehold.model.ids import WorkerId
    from leasehold.model.values import Settlement
    from leasehold.store.postgres.async_pool import AsyncPool
    from leasehold.store.postgres.connection import AsyncConnection, Connection, Pool

_SETTLE = """
SELECT leasehold.settle(%(job_id)s, %(fence)s, %(worker)s, %(result)s::jsonb,
  %(elapsed_seconds)s, %(skew_seconds)s, %(spent)s)
"""


@dataclass(frozen=True, slots=True)
class Ending:
    """How the transaction ends the attempt; `settle` is asked last."""

    worker: WorkerId
    settle: Callable[[], Settlement]
    lease_seconds: float
    skew_seconds: float

    def idle_limit(self) -> bytes:
        """A stopped worker's transaction must not outlive its lease."""
        milliseconds = max(1, int(self.lease_seconds * 1000))
        return b"SET LOCAL idle_in_transaction_session_timeout = %d" % milliseconds

    def parameters(self) -> dict[str, Any]:
        settlement = self.settle()
        result = settlement.result
        return {
            "job_id": settlement.job_id,
            "fence": settlement.fence,
            "worker": self.worker,
            "result": None if result is None else bytes(result).decode(),
            "elapsed_seconds": settlement.elapsed_seconds,
            "skew_seconds": self.skew_seconds,
            "spent": settlement.spent,
        }

    def refusal(self, error: psycopg.Error) -> LeaseholdError:
        if error.sqlstate == LEASE_LOST:
            return LeaseLost(self.settle().job_id)
        return translate(error)


@contextmanager
def settling_transaction(pool: Pool, ending: Ending) -> Iterator[Connection]:
    """Lend a connection inside a transaction; settle last, together with the COMMIT."""
    with pool.connection() as connection:
        with translating():
            connection.execute("BEGIN", prepare=False)
            connection.execute(ending.idle_limit(), prepare=False)
        try:
            yield connection
            parameters = ending.parameters()
        except BaseException:
            _roll_back(connection)
            raise
        try:
            # Together: a worker that stops between the two would hold its lease row locked.
            with connection.pipeline():
                connection.execute(_SETTLE, parameters, prepare=False)
                connection.execute("COMMIT", prepare=False)
        except psycopg.Error as error:
            _roll_back(connection)
            raise ending.refusal(error) from error


@asynccontextmanager
async def async_settling_transaction(
    pool: AsyncPool, ending: Ending
) -> AsyncIterator[AsyncConnection]:
    """Do the same on an async connection; one that is left in a transaction is not kept."""
    async with pool.connection() as connection:
        with translating():
            await connection.execute("BEGIN", prepare=False)
            await connection.execute(ending.idle_limit(), prepare=False)
        yield connection
        parameters = ending.parameters()
        try:
            async with connection.pipeline():
                await connection.execute(_SETTLE, parameters, prepare=False)
                await connection.execute("COMMIT", prepare=False)
        except psycopg.Error as error:
            raise ending.refusal(error) from error


def _roll_back(connection: Connection) -> None:
    try:
        connection.execute("ROLLBACK", prepare=False)
    except psycopg.Error:
        connection.close()
