"""Gives each attempt to what can run it: the loop for async handlers, threads for the others."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leasehold.worker.attempt import with_following

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.task import Task
    from leasehold.worker.attempt import Attempt
    from leasehold.worker.loop_runner import LoopRunner
    from leasehold.worker.thread_runner import ThreadRunner


def runs_on_loop(task: Task[..., Any]) -> bool:
    """Whether a task's handler is awaited here; an isolated one runs in a child's own loop."""
    return task.is_async and task.options.isolation != "process"


class Runners:
    """The two runners as one."""

    def __init__(self, loop: LoopRunner, threads: ThreadRunner) -> None:
        self._loop = loop
        self._threads = threads

    def start(self) -> None:
        self._loop.start()
        self._threads.start()

    def submit(self, attempts: Sequence[Attempt]) -> None:
        awaited = [each for each in attempts if runs_on_loop(each.task)]
        if awaited:
            self._loop.submit(awaited)
        if len(awaited) < len(attempts):
            self._threads.submit([each for each in attempts if not runs_on_loop(each.task)])

    def follow(self, attempt: Attempt) -> None:
        """Start one next: the one that it stood behind has just ended."""
        (self._loop if runs_on_loop(attempt.task) else self._threads).follow(attempt)

    def recall(self) -> list[Attempt]:
        """Take back what has not started, but for what stands behind one that has."""
        return with_following([*self._loop.recall(), *self._threads.recall()])

    def replace(self, attempt: Attempt) -> None:
        """Free the slot of an abandoned handler."""
        (self._loop if runs_on_loop(attempt.task) else self._threads).replace(attempt)

    def stop(self, timeout_seconds: float) -> None:
        self._loop.stop(timeout_seconds)
        self._threads.stop(timeout_seconds)
