"""Connections for the transactions of async handlers, bounded and kept for the next one."""

from __future__ import annotations

import asyncio
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import psycopg

from leasehold.store.postgres.connection import POOL_SIZE, connect_async, has_hung_up
from leasehold.store.postgres.errors import translating

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from leasehold.store.postgres.connection import AsyncConnection

_IDLE = psycopg.pq.TransactionStatus.IDLE


class AsyncPool:
    """An async connection belongs to the loop it was opened on, so each loop has its own."""

    def __init__(self, url: str, size: int = POOL_SIZE) -> None:
        self._url = url
        self._size = size
        self._by_loop: dict[
            asyncio.AbstractEventLoop, tuple[asyncio.Semaphore, list[AsyncConnection]]
        ] = {}

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[AsyncConnection]:
        room, idle = self._of_this_loop()
        async with room:
            with translating(self._url):
                connection = await self._take(idle)
            try:
                yield connection
            finally:
                if not connection.closed and connection.info.transaction_status == _IDLE:
                    idle.append(connection)
                else:
                    await connection.close()

    async def _take(self, idle: list[AsyncConnection]) -> AsyncConnection:
        while idle:
            connection = idle.pop()
            if not connection.closed and not has_hung_up(connection):
                return connection
            await connection.close()
        return await connect_async(self._url)

    def close(self) -> None:
        """Close what is idle; from any thread, since this awaits nothing."""
        for loop in list(self._by_loop):
            self._forget(loop)

    def _of_this_loop(self) -> tuple[asyncio.Semaphore, list[AsyncConnection]]:
        for loop in list(self._by_loop):
            if loop.is_closed():
                self._forget(loop)
        loop = asyncio.get_running_loop()
        return self._by_loop.setdefault(loop, (asyncio.Semaphore(self._size), []))

    def _forget(self, loop: asyncio.AbstractEventLoop) -> None:
        _, idle = self._by_loop.pop(loop)
        for connection in idle:
            connection.pgconn.finish()
