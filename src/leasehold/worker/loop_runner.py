"""Runs async handlers as tasks on one event loop: its own thread's, or the caller's."""

from __future__ import annotations

import asyncio
import contextvars
import threading
import time
from collections import deque
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from leasehold.worker.current import CurrentJob
from leasehold.worker.lag import LagProbe
from leasehold.worker.running_job import set_current_job

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from leasehold.errors import Interrupted
    from leasehold.model.ids import WorkerId
    from leasehold.store.base import Store
    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.observing import Observing
    from leasehold.worker.saver import Saver


IN_A_ROW = 16  # jobs that a seat runs before the loop sees to anything else

_new_loop: Callable[[], asyncio.AbstractEventLoop] = asyncio.new_event_loop
with suppress(ImportError):  # with the program, not when a worker starts and jobs wait
    import uvloop

    _new_loop = uvloop.new_event_loop


class Seat:
    """A task that runs jobs, one at a time: one for each job was a seventh of a worker's CPU.

    The context is empty but for the current job: one that a handler has put something into is not
    for the next job, nor is a task that was told to stop.
    """

    __slots__ = ("attempt", "context", "is_spoilt", "task")

    def __init__(self) -> None:
        self.context = contextvars.Context()  # its own: a seat may be made in the middle of a job
        self.attempt: Attempt | None = None
        self.task: asyncio.Task[None] | None = None
        self.is_spoilt = False

    def cancel(self, attempt: Attempt, reason: str) -> None:
        """Stop the handler, if this is still the job that it runs."""
        if self.attempt is attempt and self.task is not None:
            self.task.cancel(reason)

    @property
    def is_used_up(self) -> bool:
        """Whether the next job needs a new one."""
        is_changed = self.is_spoilt or len(self.context) > 1
        return is_changed or self.task is None or self.task.cancelling() > 0


class LoopRunner:
    """At most `slots` handlers at a time; the next starts when one ends, without a thread hop."""

    def __init__(
        self,
        *,
        book: Book,
        conclusion: Conclusion,
        store: Store,
        worker: WorkerId,
        slots: int,
        saver: Saver,
        observing: Observing | None = None,
        loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._book = book
        self._conclusion = conclusion
        self._store = store
        self._worker = worker
        self._slots = slots
        self._saver = saver
        self._observing = observing
        self._buffer: deque[Attempt] = deque()
        self._busy = 0
        self._is_own_loop = loop is None
        self._loop = loop or _new_loop()
        self._thread: threading.Thread | None = None
        self._probe: LagProbe | None = None
        self._ident = 0  # of the loop's thread, once a job was started there

    def start(self) -> None:
        if self._observing is not None and self._observing.wants("loop_lagged"):
            self._probe = LagProbe(self._loop, partial(self._observing.tell, "loop_lagged"))
            self._probe.start()
        if self._is_own_loop:
            self._thread = threading.Thread(target=self._serve, name="leasehold-loop", daemon=True)
            self._thread.start()

    def submit(self, attempts: Sequence[Attempt]) -> None:
        self._buffer.extend(attempts)
        self._loop.call_soon_threadsafe(self._start_some)

    def follow(self, attempt: Attempt) -> None:
        """Run it next. The seat of the one that ended takes it, unless that was in a thread."""
        self._buffer.appendleft(attempt)
        if threading.get_ident() != self._ident:  # to ask asyncio takes as long as a job does
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
        seat = attempt.handle
        if seat is not None:
            self._loop.call_soon_threadsafe(seat.cancel, attempt, reason.__name__)

    def replace(self, attempt: Attempt) -> None:
        """Free the slot of a handler that does not end; its task is left to itself."""
        self._loop.call_soon_threadsafe(self._leave, attempt)

    def _leave(self, attempt: Attempt) -> None:
        if attempt.handle is not None:  # else it has just ended
            attempt.handle = None
            self._busy -= 1
            self._start_some()

    def stop(self, timeout_seconds: float) -> None:
        """End the loop's own thread; a handler that blocks it is left behind with it."""
        if self._probe is not None:
            self._probe.stop()
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
        """Fill a seat, which fills two more before its first job, and so on: all in a few rounds.

        More at once would be in vain when jobs end without ever waiting.
        """
        for _ in range(min(2, self._slots - self._busy, len(self._buffer))):
            self._busy += 1
            seat = Seat()
            seat.task = self._loop.create_task(self._serve_seat(seat), context=seat.context)

    async def _serve_seat(self, seat: Seat) -> None:
        """Run one job after the other, as long as each leaves the task as it found it."""
        self._ident = threading.get_ident()
        attempt = self._next()
        self._start_some()
        served = 0
        while attempt is not None:
            await self._run(seat, attempt)
            if attempt.handle is None:
                return  # it was abandoned, and the seat given to another
            attempt.handle = seat.attempt = None
            served += 1
            if seat.is_used_up:
                break
            if served % IN_A_ROW == 0:
                await asyncio.sleep(0)  # nothing else may have had a turn
            attempt = self._next()
        self._busy -= 1
        self._start_some()

    def _next(self) -> Attempt | None:
        while self._buffer:
            try:
                attempt = self._buffer.popleft()
            except IndexError:
                return None  # recalled by another thread
            if not self._conclusion.skips(attempt):
                return attempt
        return None

    async def _run(self, seat: Seat, attempt: Attempt) -> None:
        seat.attempt = attempt
        attempt.handle = seat
        attempt.runner = self
        self._book.start(attempt, time.monotonic())
        set_current_job(CurrentJob(attempt, self._store, self._worker, self._saver))
        if self._observing is not None:
            self._observing.enter(attempt)
        task: Task[..., Any] = attempt.task
        try:
            attempt.refuse_if_interrupted()
            value = await task.handler(**task.decode(attempt.claim.args))
        except BaseException as error:  # noqa: BLE001 - the runner: whatever it is, it is the job's
            seat.is_spoilt = not isinstance(error, Exception)
            self._conclusion.raised(attempt, error)
        else:
            self._conclusion.returned(attempt, value)
