"""Turns rows into the model's values."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import msgspec

from leasehold.model.ids import JobId
from leasehold.model.keys import KeyInfo, Standing, Verdict
from leasehold.model.lanes import shown_lane
from leasehold.model.needs import Needs
from leasehold.model.states import State
from leasehold.model.values import Attempt, Filter, Job, QueueCounts, WorkerInfo

_decode = msgspec.json.Decoder().decode

ID_BYTES = 16
_YEAR_2000 = datetime(2000, 1, 1, tzinfo=UTC)
GREATEST_ID = JobId(UUID(int=(1 << 128) - 1))
LEAST_ID = JobId(UUID(int=0))
FIND: dict[State | None, str] = {
    None: "find_all",
    State.QUEUED: "find_queued",
    State.BLOCKED: "find_blocked",
    State.RUNNING: "find_running",
    State.FAILED: "find_failed",
    State.SUCCEEDED: "find_succeeded",
    State.DEAD: "find_unhappy",
    State.CANCELLED: "find_unhappy",
}


def find_statement(where: Filter) -> str:
    """Name the statement that finds jobs: one for each state, and one for a batch's members."""
    return FIND[where.state] if where.batch is None else "find_members"


def find_parameters(
    where: Filter, before: JobId | None, limit: int, above: JobId | None = None
) -> dict[str, Any]:
    """Say what a statement that finds jobs asks for."""
    return {
        "before": before or GREATEST_ID,
        "above": above or LEAST_ID,
        "limit": limit,
        **{name: getattr(where, name) for name in Filter.__struct_fields__},
    }


def job_ids(packed: bytes) -> frozenset[JobId]:
    """Read ids that stand one after the other."""
    return frozenset(
        JobId(UUID(bytes=packed[start : start + ID_BYTES]))
        for start in range(0, len(packed), ID_BYTES)
    )


def job_id(value: Any) -> JobId:
    """Read an id as any driver returns it."""
    return JobId(value if isinstance(value, UUID) else UUID(str(value)))


def existing(value: Any) -> tuple[JobId, Standing]:
    """Read the id of a job that stood there already."""
    known = job_id(value)
    return known, Standing(known, Verdict.SAME)


def standing(row: Sequence[Any]) -> tuple[JobId, Standing]:
    """Read a row of `leasehold.enqueue_keyed`, as any driver returns it."""
    asked, stands, verdict, other, until = row
    return job_id(asked), Standing(
        job_id(stands),
        Verdict(verdict),
        None if other is None else job_id(other),
        None if until is None else until.astimezone(UTC),
    )


def key(row: tuple[Any, ...]) -> KeyInfo:
    values = dict(zip(KeyInfo.__struct_fields__, row, strict=True))
    state = values["holder_state"]
    return KeyInfo(**values | {"holder_state": None if state is None else State(state)})


def job(record: dict[str, Any]) -> Job:
    """Read a row of the view `leasehold.record`; it has more columns than a job shows."""
    values = {name: record[name] for name in Job.__struct_fields__}
    values["state"] = State(values["state"])
    if values["lane"]:
        values["lane"] = shown_lane(values["lane"])
    if values["needs"] is not None:
        values["needs"] = msgspec.convert(values["needs"], Needs)
    return Job(**values)


def attempt(row: tuple[Any, ...]) -> Attempt:
    values = dict(zip(Attempt.__struct_fields__, row, strict=True))
    values["result"] = None if values["result"] is None else _decode(values["result"])
    return Attempt(**values)


def worker(row: tuple[Any, ...]) -> WorkerInfo:
    names = (
        "id",
        "name",
        "queues",
        "kinds",
        "slots",
        "version",
        "running",
        "started_at",
        "seen_at",
    )
    values = dict(zip(names, row, strict=True))
    values["queues"], values["kinds"] = tuple(values["queues"]), tuple(values["kinds"])
    return WorkerInfo(**values)


def counts(row: tuple[Any, ...]) -> QueueCounts:
    return QueueCounts(**dict(zip(QueueCounts.__struct_fields__, row, strict=True)))


def read_moment(sent: bytes) -> datetime:
    """Read what `timestamptz_send` gives: microseconds since 2000."""
    return _YEAR_2000 + timedelta(microseconds=int.from_bytes(sent, "big", signed=True))
