"""The same transaction for an async handler; apart, since asyncio takes long to import."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress

from leasehold.store.sqlite.errors import translating
from leasehold.store.sqlite.transaction import Ending, HandlerTransaction


@asynccontextmanager
async def hold_transaction_async(
    transaction: HandlerTransaction, ending: Ending
) -> AsyncIterator[sqlite3.Connection]:
    """Wait for the gate in a thread; the rest is as blocking as the handler's own statements."""
    connection = await _start_in_thread(transaction)
    try:
        yield connection
        transaction.commit(ending)
    except BaseException as error:
        raised = transaction.explain(error)
        if raised is error:
            raise
        raise raised from error
    finally:
        transaction.roll_back()


async def _start_in_thread(transaction: HandlerTransaction) -> sqlite3.Connection:
    # A thread of its own: those of the loop's pool may all be waiting for the gate.
    owner = threading.get_ident()
    with ThreadPoolExecutor(1, "leasehold-transaction") as pool:
        starting = asyncio.wrap_future(pool.submit(_start, transaction, owner))
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            with suppress(Exception):
                await starting
            transaction.roll_back()
            raise


def _start(transaction: HandlerTransaction, owner: int) -> sqlite3.Connection:
    with translating():
        return transaction.start(owner)
