"""Runs async handlers as tasks on one event loop: its own thread's, or the caller's."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any

from leasehold.worker.current import CurrentJob, set_current_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.errors import Interrupted
    from leasehold.model.ids import WorkerId
    from leasehold.store.base import Store
    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion


class LoopRunner:
    """At most `slots` tasks at a time; the next one starts when one ends, without a thread hop."""

    def __init__(
        self,
        *,
        book: Book,
        conclusion: Conclusion,
        store: Store,
        worker: WorkerId,
        slots: int,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._book = book
        self._conclusion = conclusion
        self._store = store
        self._worker = worker
        self._slots = slots
        self._buffer: deque[Attempt] = deque()
        self._busy = 0
        self._is_own_loop = loop is None
        self._loop = loop or _new_loop()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        if self._is_own_loop:
            self._thread = threading.Thread(target=self._serve, name="leasehold-loop", daemon=True)
            self._thread.start()

    def submit(self, attempts: Sequence[Attempt]) -> None:
        self._buffer.extend(attempts)
        self._loop.call_soon_threadsafe(self._start_some)

    def recall(self) -> list[Attempt]:
        """Take back what has not started."""
        recalled = []
        while True:
            try:
                recalled.append(self._buffer.popleft())
            except IndexError:
                return recalled

    def interrupt(self, attempt: Attempt, reason: type[Interrupted]) -> None:
        task = attempt.handle
        if task is not None:
            self._loop.call_soon_threadsafe(task.cancel, reason.__name__)

    def replace(self, attempt: Attempt) -> None:
        """Free the slot of a handler that does not end; its task is left to itself."""
        self._loop.call_soon_threadsafe(self._leave, attempt)

    def stop(self, timeout_seconds: float) -> None:
        """End the loop's own thread; a handler that blocks it is left behind with it."""
        if self._thread is not None:
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join(timeout_seconds)

    def _serve(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            self._loop.run_forever()
        finally:
            self._loop.run_until_complete(self._loop.shutdown_asyncgens())
            self._loop.close()

    def _start_some(self) -> None:
        now = time.monotonic()
        while self._busy < self._slots:
            try:
                attempt = self._buffer.popleft()
            except IndexError:
                return
            if attempt.interruption is not None:
                self._conclusion.raised(attempt, attempt.interruption())
                continue
            self._busy += 1
            # A context of its own: this may be called at the end of the job before.
            own = contextvars.Context()
            attempt.handle = self._loop.create_task(self._run(attempt), context=own)
            attempt.runner = self
            self._book.start(attempt, now)

    async def _run(self, attempt: Attempt) -> None:
        set_current_job(CurrentJob(attempt, self._store, self._worker))
        task: Task[..., Any] = attempt.task
        try:
            if attempt.interruption is not None:
                raise attempt.interruption
            value = await task.handler(**task.decode(attempt.claim.args))
        except BaseException as error:  # noqa: BLE001 - the runner: whatever it is, it is the job's
            self._conclusion.raised(attempt, error)
        else:
            self._conclusion.returned(attempt, value)
        finally:
            self._leave(attempt)

    def _leave(self, attempt: Attempt) -> None:
        if attempt.handle is not None:  # else its slot is free already: it was abandoned
            attempt.handle = None
            self._busy -= 1
            self._start_some()


def _new_loop() -> asyncio.AbstractEventLoop:
    try:
        import uvloop
    except ImportError:
        return asyncio.new_event_loop()
    return uvloop.new_event_loop()
