"""Long work that a request waits for, in a thread of its own: not one of those that answer all.

It is stopped when nobody waits for it any more: its caller has gone, or the service ends.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from leasehold.web.access.lasting import until_over

if TYPE_CHECKING:
    from collections.abc import Coroutine

    from starlette.requests import Request

T = TypeVar("T")


class Beside:
    """The long works of a process. Used on the event loop only."""

    def __init__(self) -> None:
        self.threads: set[threading.Thread] = set()

    def __len__(self) -> int:
        """How many are under way."""
        return len(self.threads)

    async def run(
        self,
        request: Request,
        work: Callable[[], T],
        stop: Callable[[], None],
        *,
        over: Coroutine[Any, Any, object] | None = None,
    ) -> T:
        """Work in a thread and return what comes of it.

        When the request's caller goes away or `over` returns (`until_over(request)` unless given)
        `stop` is called; the work has to end soon then. Its body must have been read before.
        """
        started = _Work(work, self.threads)
        watches: list[asyncio.Future[Any]] = [
            asyncio.ensure_future(_disconnected(request)),
            asyncio.ensure_future(over or until_over(request)),
        ]
        try:
            await asyncio.wait({started.done, *watches}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for watch in watches:
                watch.cancel()
            if not started.done.done():
                stop()
        return await started.done

    async def join(self, timeout_seconds: float) -> None:
        """Wait for those that are under way, as at the end of the service."""
        await asyncio.gather(
            *(asyncio.to_thread(each.join, timeout_seconds) for each in list(self.threads))
        )


class _Work(Generic[T]):
    """One thread, and the future that it settles."""

    def __init__(self, work: Callable[[], T], threads: set[threading.Thread]) -> None:
        self._loop = asyncio.get_running_loop()
        self._work = work
        self._threads = threads
        self.done: asyncio.Future[T] = self._loop.create_future()
        self._thread = threading.Thread(target=self._run, name="leasehold-run", daemon=True)
        threads.add(self._thread)
        self._thread.start()

    def _run(self) -> None:
        result, failure = None, None
        try:
            result = self._work()
        except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
            failure = error
        self._threads.discard(self._thread)  # before its caller knows, who may ask for the next one
        with suppress(RuntimeError):  # the loop has ended: nobody is there to be told
            self._loop.call_soon_threadsafe(self._settle, result, failure)

    def _settle(self, result: Any, failure: BaseException | None) -> None:
        if self.done.cancelled():
            return
        if failure is not None:
            self.done.set_exception(failure)
        else:
            self.done.set_result(result)


async def _disconnected(request: Request) -> None:
    """Return when the caller has gone; its body has been read by now."""
    while (await request.receive())["type"] != "http.disconnect":
        pass
