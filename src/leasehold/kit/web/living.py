"""What lives as long as an application is served."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any, Protocol, TypeAlias

from starlette.concurrency import run_in_threadpool

from leasehold.kit.data import Database
from leasehold.web import Beside

Lifespan: TypeAlias = Callable[[Any], AbstractAsyncContextManager[None]]
RUNS_GRACE_SECONDS = 1.5  # the service gives an application about two


class Living(Protocol):
    """Something that is started and, safe twice, closed; both may take a while."""

    def start(self) -> None: ...

    def close(self) -> None: ...


def lifespan_of(living: Living) -> Lifespan:
    """Start it with the application that gets this lifespan, and close it with it."""

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        try:
            await run_in_threadpool(living.start)
            yield
        finally:
            await run_in_threadpool(living.close)

    return lifespan


def lifespan_over(database: Database, runs: Beside | None = None) -> Lifespan:
    """At the application's end wait for runs that were told to stop, and let its database go."""

    @asynccontextmanager
    async def lifespan(_app: Any) -> AsyncIterator[None]:
        try:
            yield
        finally:
            if runs is not None:
                await runs.join(RUNS_GRACE_SECONDS)
            database.close()

    return lifespan
