"""How long ended jobs are kept: `client.retention`, and taking away those past their time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec

from leasehold.acting import recorded, recorded_steps, who
from leasehold.checking import check_name
from leasehold.errors import BadOption
from leasehold.model.durations import Duration
from leasehold.model.keeping import Keep, Pruning, Retention, Scope, fold, read_keep

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from leasehold.task import Task

STEP = 1_000


class PruneReport(msgspec.Struct, frozen=True):
    """How much went, or would go: jobs, those of whole batches among them, and forgotten keys."""

    seen: int = 0
    jobs: int = 0
    keys: int = 0


PruneProgress: TypeAlias = Callable[[PruneReport], object]


def prune_in_steps(store: Store, *, dry_run: bool) -> Iterator[PruneReport]:
    """Take away all that is past its time, step by step; yields the sums."""
    report = PruneReport()
    for what in Pruning:
        cursor: str | None = None
        while True:
            step = store.prune(what, cursor, limit=STEP, dry_run=dry_run)
            is_key = what is Pruning.KEYS
            report = PruneReport(
                seen=report.seen + step.seen,
                jobs=report.jobs + (0 if is_key else step.gone),
                keys=report.keys + (step.gone if is_key else 0),
            )
            yield report
            cursor = step.cursor
            if cursor is None:
                break


def recorded_prune(store: Store, *, dry_run: bool) -> Iterator[PruneReport]:
    """Do the same with a row in the audit record; none for a dry run."""
    steps = prune_in_steps(store, dry_run=dry_run)
    if dry_run:
        return steps
    return recorded_steps(store, "jobs.prune", steps, _told)


def _told(report: PruneReport) -> dict[str, int]:
    return {"count": report.jobs, "keys": report.keys}


class Retentions:
    """What is said about keeping jobs: for all, for a queue's, for a task's, in one place."""

    def __init__(self, store: Callable[[], Store]) -> None:
        self._store = store

    def list(self) -> list[Retention]:
        """List what is said: for all jobs, then by queue, then by task."""
        return self._store().retentions()

    def of(self, *, queue: str, task: str | Task[..., Any] | None = None) -> Keep:
        """Say how many seconds a job of this queue and task is kept, by how it ended."""
        name = None if task is None else _task_name(task)
        said = {(each.scope, each.name): each.keep for each in self.list()}
        return fold(
            said.get((Scope.ALL, "")),
            said.get((Scope.QUEUE, queue)),
            None if name is None else said.get((Scope.TASK, name)),
        )

    def set(
        self,
        *,
        queue: str | None = None,
        task: str | Task[..., Any] | None = None,
        keep: Duration | None = None,
        dead: Duration | None = None,
        cancelled: Duration | None = None,
        by: str | None = None,
    ) -> None:
        """Say how long ended jobs are kept, "ever" for always: a queue's, a task's, or all.

        `keep` is for succeeded ones, and for the others where that is longer than what else is
        said of them. It takes the place of what was said there.
        """
        said = Keep(
            succeeded=read_keep(keep, name="keep"),
            dead=read_keep(dead, name="dead"),
            cancelled=read_keep(cancelled, name="cancelled"),
        )
        if said.says_nothing:
            raise BadOption("say how long jobs are kept: keep='7d', or dead= or cancelled=")
        scope, name = _scope(queue, task)
        detail: dict[str, Any] = {"keep": keep, "dead": dead, "cancelled": cancelled}
        with recorded(self._store(), "retention.set", f"{scope} {name}".strip(), by=by, **detail):
            self._store().set_retention(scope, name, said, by=who(by))

    def reset(self, *, queue: str | None = None, task: str | Task[..., Any] | None = None) -> bool:
        """Forget what was set; False when nothing was. A task's code says it again at its start."""
        scope, name = _scope(queue, task)
        with recorded(self._store(), "retention.reset", f"{scope} {name}".strip()) as doing:
            is_changed = self._store().reset_retention(scope, name)
            doing.count = int(is_changed)
        return is_changed


def _scope(queue: str | None, task: str | Task[..., Any] | None) -> tuple[Scope, str]:
    if queue is not None and task is not None:
        raise BadOption("give either a queue or a task, not both")
    if queue is not None:
        return Scope.QUEUE, check_name("queue", queue)
    return (Scope.ALL, "") if task is None else (Scope.TASK, _task_name(task))


def _task_name(task: str | Task[..., Any]) -> str:
    return check_name("task", task if isinstance(task, str) else task.name)
