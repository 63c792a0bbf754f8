"""The worker as its user sees it."""

from __future__ import annotations

import asyncio
import os
import queue
import signal
import socket
import threading
import time
import weakref
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from leasehold._version import __version__
from leasehold.checking import read_job_id
from leasehold.errors import LeaseholdError, StoreUnavailable
from leasehold.model.durations import Duration, seconds
from leasehold.model.ids import WorkerId
from leasehold.model.values import WorkerInfo
from leasehold.registry import Registry
from leasehold.schedules import declare
from leasehold.worker.children import check_isolation
from leasehold.worker.collector import calm_collector
from leasehold.worker.crew import Crew
from leasehold.worker.durations import Durations
from leasehold.worker.observing import Watched, observing_of
from leasehold.worker.plan import Plan, check_max_jobs, plan_budget
from leasehold.worker.report import Reason, Report
from leasehold.worker.settings import DEFAULT_SLOTS, read_settings
from leasehold.worker.starting import Start

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from types import ModuleType, TracebackType
    from typing import Self
    from uuid import UUID

    from leasehold.client import Client
    from leasehold.model.throttles import Throttle
    from leasehold.scheduling import Schedule
    from leasehold.store.base import Store
    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.observing import Observer
    from leasehold.worker.plan import Budget

_LONGEST_SLEEP_SECONDS = 0.5
_SIGNALS = (signal.SIGTERM, signal.SIGINT)


class Worker:
    """Runs jobs until it is told to stop.

    `run()` blocks, answers SIGTERM and SIGINT, and is for a process of its own; `with Worker(...)`
    and `async with Worker(...)` run it inside another program and leave signals alone.

    `queues` is a list in strict order or a mapping to weights; without it, the tasks' own queues.
    `slots` is how many handlers run at once, in all or by queue. `throttles` declares limits that
    none of its tasks names, for keys that were given by other code. `schedules` are written down at
    its start, as those of a module given as tasks are. `observers` are told what happens; its log
    shows no arguments of jobs unless `log_arguments` says so.
    """

    def __init__(
        self,
        client: Client,
        tasks: Iterable[Task[..., Any]] | ModuleType | Registry,
        *,
        queues: Sequence[str] | Mapping[str, float] | None = None,
        slots: int | Mapping[str, int] = DEFAULT_SLOTS,
        lease: Duration = "60s",
        poll: Duration = "1s",
        grace: Duration = "25s",
        throttles: Sequence[Throttle] = (),
        schedules: Sequence[Schedule] = (),
        observers: Sequence[Observer] = (),
        log_arguments: bool = False,
        name: str | None = None,
    ) -> None:
        self._client = client
        self._registry = tasks if isinstance(tasks, Registry) else Registry(tasks)
        for task in self._registry:
            check_isolation(task)
        self._settings = read_settings(
            self._registry,
            queues=queues,
            slots=slots,
            lease=lease,
            poll=poll,
            grace=grace,
            throttles=throttles,
            schedules=schedules,
            log_arguments=log_arguments,
        )
        self.id = WorkerId(int.from_bytes(os.urandom(8), "big") >> 1)
        self.name = name or f"{socket.gethostname()}:{os.getpid()}:{self.id % 0xFFFF:04x}"
        self._observing = observing_of(observers)
        self._watched: Watched | None = None
        self._events: queue.SimpleQueue[Reason] = queue.SimpleQueue()
        self._crew: Crew | None = None
        self._grace_seconds = self._settings.grace_seconds
        self._is_stopped = False
        self._is_run = False
        self.is_healthy = True  # False once a handler had to be abandoned

    # -- a process of its own --------------------------------------------------------------------
    def run(
        self,
        *,
        until_empty: bool | None = None,
        budget: Duration | None = None,
        max_jobs: int | None = None,
        batch: UUID | str | None = None,
    ) -> Report:
        """Work until a signal, or until one of these is reached; the report says which.

        `budget` is a time that holds for all of it: only jobs that fit are started, what runs near
        the end is asked to hand back, uncharged, and `run` returns in time. `max_jobs` is how many
        attempts are started at most. With `batch`, only its members run. With a budget or a batch
        it also ends when nothing that may run now is left, unless `until_empty=False`.
        """
        called_at = time.monotonic()
        is_bounded = budget is not None or batch is not None
        plan = Plan(
            ends_empty=is_bounded if until_empty is None else until_empty,
            budget=self._read_budget(budget, called_at),
            max_jobs=check_max_jobs(max_jobs),
            batch=None if batch is None else read_job_id(batch, name="batch"),
        )
        self._refuse_second_start()  # before anything changes: it may be running, embedded
        self._is_run = True
        with self._answering_signals(), calm_collector():
            if plan.budget is None:
                self._start(plan=plan)
            else:
                self._start_in_time(plan, plan.budget)
            return self._end(self._await_end(plan.budget), plan)

    def _read_budget(self, budget: Duration | None, now: float) -> Budget | None:
        if budget is None:
            return None
        return plan_budget(seconds(budget, name="budget"), self._settings.grace_seconds, now)

    def _start_in_time(self, plan: Plan, budget: Budget) -> None:
        """Start in a thread of its own: a database that does not answer must not use it all up."""
        start = Start(lambda is_late: self._start_with_history(plan, is_late), self._undo_start)
        start.begin()
        if not start.wait(budget.deadline - time.monotonic()):
            raise StoreUnavailable(
                f"the database did not answer within the budget of {budget.seconds:g} s"
            )

    def _start_with_history(self, plan: Plan, is_late: Callable[[], bool]) -> None:
        store = self._client.store
        store.check_schema()
        plan.durations = Durations(store.durations(list(self._registry.kinds)))
        self._start(plan=plan, is_late=is_late)

    def _undo_start(self) -> None:
        if self._crew is not None:
            self._finish(Reason.BUDGET, 0.0)

    def _end(self, reason: Reason, plan: Plan) -> Report:
        """Stop, within the grace or what the budget has left, whichever is less."""
        grace = self._grace_seconds
        if plan.budget is None:
            return self._finish(reason, grace)
        if self._crew is None:
            raise LeaseholdError("this worker is not running")
        self._is_stopped = True
        is_over = reason is Reason.BUDGET
        deadline = plan.budget.deadline
        self._crew.stop_in_time(
            deadline if is_over else min(deadline, time.monotonic() + grace),
            lets_jobs_end=not is_over,
        )
        return self._tell_closed(self._crew.tally.report(reason, plan.unfit))

    def stop(self, *, within: Duration | None = None) -> None:
        """End a run, from any thread; an embedded worker ends here and now. Safe twice.

        `within` may shorten the grace.
        """
        if within is not None:
            self._grace_seconds = min(self._grace_seconds, seconds(within, name="within"))
        if self._is_run:
            self._events.put(Reason.STOPPED)
        elif self._crew is not None and not self._is_stopped:
            self._finish(Reason.STOPPED, self._grace_seconds)

    # -- embedded --------------------------------------------------------------------------------
    def __enter__(self) -> Self:
        self._start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        """Run async handlers on the caller's own loop."""
        loop = asyncio.get_running_loop()
        await asyncio.to_thread(self._start, loop)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await asyncio.to_thread(self.stop)

    @property
    def report(self) -> Report:
        """What it has done so far."""
        if self._crew is None:
            raise LeaseholdError("this worker has not been started")
        return self._crew.tally.report(Reason.STOPPED)

    @property
    def is_running(self) -> bool:
        return self._crew is not None and not self._is_stopped

    # -- inside ----------------------------------------------------------------------------------
    def _start(
        self,
        loop: asyncio.AbstractEventLoop | None = None,
        *,
        plan: Plan | None = None,
        is_late: Callable[[], bool] = lambda: False,
    ) -> None:
        self._refuse_second_start()
        plan = plan or Plan()
        store = self._client.store
        store.check_schema()
        store.check_role()
        policies = [task.policy() for task in self._registry]
        store.register(self._info(), policies, self._settings.rules)
        if is_late():
            store.farewell(self.id)
            return
        declare(store, self._settings.schedules)
        self._crew = Crew(
            store,
            self.id,
            self.name,
            self._registry,
            self._settings,
            loop=loop,
            plan=plan,
            on_end=self._events.put,
            on_abandoned=self._abandoned,
            hints=self._client.waiter,
            observing=self._observing,
        )
        self._tell_opened(self._crew, store)
        _stop_after_fork(self)
        self._crew.start()

    def _refuse_second_start(self) -> None:
        if self._crew is not None or self._is_stopped:
            raise LeaseholdError("this worker has been started already; make another one")

    def _info(self) -> WorkerInfo:
        return WorkerInfo(
            id=self.id,
            name=self.name,
            queues=self._settings.queues,
            kinds=tuple(sorted(self._registry.kinds)),
            slots=self._settings.slots,
            version=__version__,
        )

    def _tell_opened(self, crew: Crew, store: Store) -> None:
        if self._observing is not None:
            self._watched = Watched(
                name=self.name,
                queues=self._settings.queues,
                slots=self._settings.slots,
                running=lambda: crew.book.running_count,
                connections=store.connections,
            )
            self._observing.tell("opened", self._watched)

    def _tell_closed(self, report: Report) -> Report:
        if self._observing is not None:
            self._observing.tell("closed", self._watched, report)
        return report

    def _abandoned(self, attempt: Attempt) -> None:
        self.is_healthy = False
        if self._is_run:
            self._events.put(Reason.ABANDONED)
        elif self._crew is not None:
            self._crew.runners.replace(attempt)

    def _await_end(self, budget: Budget | None) -> Reason:
        # A SimpleQueue may be put to from a signal handler; an Event may deadlock there.
        end_at = float("inf") if budget is None else budget.hand_back_at
        while True:
            left = max(0.0, end_at - time.monotonic())
            try:
                # Not for ever: a signal that strikes just before this thread goes to sleep does
                # not wake it, and its handler runs only once this thread is awake.
                return self._events.get(timeout=min(left, _LONGEST_SLEEP_SECONDS))
            except queue.Empty:
                if left == 0.0:
                    return Reason.BUDGET

    def _finish(self, reason: Reason, grace_seconds: float) -> Report:
        if self._crew is None:
            raise LeaseholdError("this worker is not running")
        self._is_stopped = True
        self._crew.stop(grace_seconds)
        return self._tell_closed(self._crew.tally.report(reason))

    @contextmanager
    def _answering_signals(self) -> Iterator[None]:
        """The first signal lets jobs end within the grace, a second one hands them back at once."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        asked = [0]

        def on_signal(_number: int, _frame: object) -> None:
            asked[0] += 1
            self._events.put(Reason.STOPPED)
            if asked[0] > 1 and self._crew is not None:
                self._crew.is_hurried = True

        before = {number: signal.signal(number, on_signal) for number in _SIGNALS}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _stop_after_fork(worker: Worker) -> None:
    """A child process has none of the worker's threads: there it is a stopped worker."""
    reference = weakref.ref(worker)

    def forget() -> None:
        found = reference()
        if found is not None:
            # Stopped for good: started anew it would be a second worker with the parent's id.
            found._crew, found._is_stopped = None, True  # noqa: SLF001 - it is this module's own

    os.register_at_fork(after_in_child=forget)
