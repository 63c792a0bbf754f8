"""Runs blocking handlers on daemon threads, and those of isolated tasks in child processes."""

from __future__ import annotations

import contextvars
import ctypes
import queue
import threading
import time
from typing import TYPE_CHECKING, Any

from leasehold.errors import Interrupted
from leasehold.store.shield import set_shield
from leasehold.worker.children import Child, Children
from leasehold.worker.current import CurrentJob
from leasehold.worker.keeper import LocalKeeper
from leasehold.worker.running_job import set_current_job

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import WorkerId
    from leasehold.model.outcomes import Outcome
    from leasehold.store.base import Store
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.book import Book
    from leasehold.worker.conclusion import Conclusion
    from leasehold.worker.observing import Observing
    from leasehold.worker.saver import Saver

_raise_in_thread = ctypes.pythonapi.PyThreadState_SetAsyncExc


class SlotThread:
    """The thread that runs a handler: an interruption strikes it at once, or after its shield."""

    def __init__(self) -> None:
        self._ident = threading.get_ident()
        self._lock = threading.Lock()
        self._depth = 0
        self._missed: type[Interrupted] | None = None

    def interrupt(self, reason: type[Interrupted]) -> None:
        with self._lock:
            if self._depth:
                self._missed = reason
            else:
                _raise_in_thread(ctypes.c_ulong(self._ident), ctypes.py_object(reason))

    def __enter__(self) -> None:
        with self._lock:
            self._depth += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._depth -= 1
            missed = self._missed if self._depth == 0 else None
        if missed is not None:
            self._missed = None
            raise missed


class ThreadRunner:
    """Up to `slots` threads, started when there is work; each takes its next job by itself."""

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
    ) -> None:
        self._book = book
        self._conclusion = conclusion
        self._store = store
        self._worker = worker
        self._slots = slots
        self._saver = saver
        self._observing = observing
        self._queue: queue.SimpleQueue[Attempt | None] = queue.SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._idle = 0
        self._mine = threading.local()  # of each thread: what it is to run next
        self._children = Children()
        # Closed by a thread when its handler is done: no interruption is sent into it after that.
        self._gate = threading.Lock()

    def start(self) -> None:
        """Threads are started when there is work."""

    def submit(self, attempts: Sequence[Attempt]) -> None:
        for attempt in attempts:
            self._queue.put(attempt)
        wanted = min(self._slots, len(self._threads) - self._idle + self._queue.qsize())
        while len(self._threads) < wanted:
            self._add_thread()

    def follow(self, attempt: Attempt) -> None:
        """Run it next, on this thread if it is one of ours."""
        if hasattr(self._mine, "following"):
            self._mine.following = attempt
        else:
            self.submit([attempt])

    def recall(self) -> list[Attempt]:
        """Take back what has not started."""
        recalled: list[Attempt] = []
        while True:
            try:
                attempt = self._queue.get_nowait()
            except queue.Empty:
                return recalled
            if attempt is not None:
                recalled.append(attempt)

    def interrupt(self, attempt: Attempt, reason: type[Interrupted]) -> None:
        with self._gate:
            if isinstance(attempt.handle, Child):
                attempt.handle.kill()
            elif attempt.handle is not None:
                attempt.handle.interrupt(reason)

    def replace(self, attempt: Attempt) -> None:  # noqa: ARG002 - the loop's runner needs it
        """Add a thread for one whose handler does not end."""
        self._slots += 1  # the stuck thread stays counted among the busy ones
        self._add_thread()

    def stop(self, timeout_seconds: float) -> None:
        deadline = time.monotonic() + timeout_seconds
        for _ in self._threads:
            self._queue.put(None)
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))
        self._children.close()

    def _add_thread(self) -> None:
        name = f"leasehold-slot-{len(self._threads) + 1}"
        thread = threading.Thread(target=self._serve, name=name, daemon=True)
        self._threads.append(thread)
        thread.start()

    def _serve(self) -> None:
        self._mine.following = None
        while True:
            attempt = self._take_following() or self._wait()
            if attempt is None:
                return
            self._run(attempt)
            if attempt.is_abandoned:
                return  # another thread took this one's place

    def _take_following(self) -> Attempt | None:
        following: Attempt | None = self._mine.following
        self._mine.following = None
        return following

    def _wait(self) -> Attempt | None:
        self._idle += 1
        attempt = self._queue.get()
        self._idle -= 1
        return attempt

    def _run(self, attempt: Attempt) -> None:
        if self._conclusion.skips(attempt):
            return
        if attempt.task.options.isolation == "process":
            self._run_in_child(attempt)
        else:
            self._run_here(attempt)

    def _run_here(self, attempt: Attempt) -> None:
        attempt.runner = self
        # Of its own, also for those who watch: they come before it can be interrupted, and after.
        context = contextvars.Context()
        if self._observing is not None:
            context.run(self._observing.enter, attempt)
        attempt.handle = SlotThread()
        self._book.start(attempt, time.monotonic())
        value, error = self._call(attempt, context)
        if attempt.interruption is not None:
            _absorb()
        if error is None:
            context.run(self._conclusion.returned, attempt, value)
        else:
            context.run(self._conclusion.raised, attempt, error)

    def _call(
        self, attempt: Attempt, context: contextvars.Context
    ) -> tuple[Any, BaseException | None]:
        """Call the handler, then close the gate; an interruption may strike at any line of this.

        Only one is ever sent. It may still be on its way when the handler has ended by itself, also
        by an error of its own: it waits while the thread is inside C.
        """
        value: Any = None
        error: BaseException | None = None
        try:
            try:
                value = context.run(self._handle, attempt)
            except BaseException as raised:  # noqa: BLE001 - the runner: it is the job's
                error = raised
            self._close_gate(attempt)
        except Interrupted:
            self._close_gate(attempt)
        return value, error

    def _close_gate(self, attempt: Attempt) -> None:
        with self._gate:
            attempt.handle = None

    def _handle(self, attempt: Attempt) -> Any:
        attempt.refuse_if_interrupted()
        set_shield(attempt.handle)
        set_current_job(CurrentJob(attempt, self._store, self._worker, self._saver))
        task = attempt.task
        return task.handler(**task.decode(attempt.claim.args))

    def _run_in_child(self, attempt: Attempt) -> None:
        attempt.runner = self
        context = contextvars.Context()
        if self._observing is not None:
            context.run(self._observing.enter, attempt)
        outcome: Outcome | BaseException
        try:
            with self._children.lend(attempt.task) as child:
                attempt.handle = child
                attempt.refuse_if_interrupted()
                self._book.start(attempt, time.monotonic())
                keeper = LocalKeeper(attempt, self._store, self._worker, self._saver)
                outcome = context.run(child.run, attempt, keeper)
                # Before the child is another job's: a kill that was meant for this one ends it.
                self._close_gate(attempt)
                if attempt.interruption is not None:
                    child.close()
        except (Exception, Interrupted) as error:  # noqa: BLE001 - the runner: it may end in any way
            outcome = error
        self._close_gate(attempt)
        if isinstance(outcome, BaseException):
            context.run(self._conclusion.raised, attempt, outcome)
        else:
            context.run(self._conclusion.answered, attempt, outcome)


def _absorb() -> None:
    """Let an interruption that was sent before the gate closed strike here, without harm."""
    try:
        for _ in range(1_000):
            pass
    except Interrupted:
        return
