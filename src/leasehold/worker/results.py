"""What a running job reads of those that it waited for."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.errors import NoResult
from leasehold.model.states import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.needs import Predecessor
    from leasehold.task import Task


def read_one(job: JobId, predecessors: Sequence[Predecessor], task: Task[..., Any]) -> Any:
    """Return the result of the only predecessor of this task, as its annotation says."""
    found = [each for each in predecessors if each.kind == task.name]
    if len(found) != 1:
        raise NoResult(job, _count(found, predecessors, task))
    if found[0].state is not State.SUCCEEDED:
        raise NoResult(job, f"job {found[0].id} of {task.name!r} is {found[0].state}")
    return _decode(found[0], task)


def read_all(predecessors: Sequence[Predecessor], task: Task[..., Any]) -> list[Any]:
    """Return the results of those predecessors of this task that succeeded, in their order."""
    return [
        _decode(each, task)
        for each in predecessors
        if each.kind == task.name and each.state is State.SUCCEEDED
    ]


def _decode(predecessor: Predecessor, task: Task[..., Any]) -> Any:
    if predecessor.result is None:
        return task.decode_result(None)
    return task.decode_result(msgspec.json.encode(predecessor.result))


def _count(
    found: Sequence[Predecessor], predecessors: Sequence[Predecessor], task: Task[..., Any]
) -> str:
    if found:
        return f"{len(found):,} jobs of {task.name!r} came before it; read them with results_of"
    kinds = ", ".join(sorted({repr(each.kind) for each in predecessors if each.kind}))
    return f"no job of {task.name!r} came before it; there are {kinds or 'none at all'}"
