"""The tasks that a worker knows, with their schedules.

A job's kind is looked up here, never imported from data.
"""

from __future__ import annotations

from types import ModuleType
from typing import TYPE_CHECKING, Any

from leasehold.errors import BadOption, DuplicateTask, UnknownTask
from leasehold.scheduling import Schedule
from leasehold.task import Task

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Registry:
    """Kinds and their tasks. Variants of one task (`with_options`) count as that task."""

    def __init__(
        self,
        tasks: Iterable[Task[..., Any]] | ModuleType = (),
        schedules: Iterable[Schedule] = (),
    ) -> None:
        self._tasks: dict[str, Task[..., Any]] = {}
        self.schedules = tuple(schedules)
        found: Sequence[Task[..., Any]]
        if isinstance(tasks, ModuleType):
            found = collect(tasks)
            self.schedules += tuple(collect_schedules(tasks))
        else:
            found = list(tasks)
        for task in found:
            self._add(task)

    def __getitem__(self, kind: str) -> Task[..., Any]:
        """Return the task of that kind, else `UnknownTask`."""
        try:
            return self._tasks[kind]
        except KeyError:
            raise UnknownTask(kind) from None

    def __contains__(self, kind: object) -> bool:
        return kind in self._tasks

    def __iter__(self) -> Iterator[Task[..., Any]]:
        return iter(self._tasks.values())

    def __len__(self) -> int:
        return len(self._tasks)

    @property
    def kinds(self) -> frozenset[str]:
        """The names of all tasks."""
        return frozenset(self._tasks)

    def _add(self, task: Task[..., Any]) -> None:
        if not isinstance(task, Task):
            raise BadOption(f"{task!r} is not a task; decorate the function with @task")
        known = self._tasks.setdefault(task.name, task.origin)
        if known is not task.origin:
            raise DuplicateTask(task.name)


def collect(module: ModuleType) -> list[Task[..., Any]]:
    """Find the tasks at a module's level, each once, in the order of definition."""
    found = (value.origin for value in vars(module).values() if isinstance(value, Task))
    return list(dict.fromkeys(found))


def collect_schedules(module: ModuleType) -> list[Schedule]:
    """Find the schedules at a module's level, in the order of definition."""
    return [value for value in vars(module).values() if isinstance(value, Schedule)]
