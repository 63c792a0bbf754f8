"""Which jobs: the words that `find` and the bulk verbs take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from leasehold.checking import read_job_id
from leasehold.errors import BadOption
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.task import Task

if TYPE_CHECKING:
    from uuid import UUID


class Filters(TypedDict, total=False):
    """Which jobs; what is missing or None does not restrict."""

    state: State | str | None
    queue: str | None
    kind: str | Task[..., Any] | None
    tenant: str | None
    batch: UUID | str | None
    key: str | None  # of the tenant ("" if none is given): only who has it, or waits for it


def read_filter(given: Filters) -> Filter:
    """Turn a caller's words into the store's filter."""
    unknown = sorted(set(given) - Filters.__annotations__.keys())
    if unknown:
        raise BadOption(
            f"can't filter by {unknown[0]!r}; there are {', '.join(Filters.__annotations__)}"
        )
    state, kind, batch = given.get("state"), given.get("kind"), given.get("batch")
    return Filter(
        state=None if state is None else _read_state(state),
        queue=given.get("queue"),
        kind=kind.name if isinstance(kind, Task) else kind,
        tenant=given.get("tenant"),
        batch=None if batch is None else read_job_id(batch, name="batch"),
        key=given.get("key"),
    )


def _read_state(value: str) -> State:
    try:
        return State(value)
    except ValueError:
        raise BadOption(f"state: {value!r} is not one of {', '.join(State)}") from None
