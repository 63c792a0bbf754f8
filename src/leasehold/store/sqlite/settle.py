"""How leases end: the rules, and the statements that all endings share."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from leasehold.errors import BadValue, LeaseLost
from leasehold.model.ids import Fence, JobId, WorkerId
from leasehold.model.states import State
from leasehold.model.values import Held, Lapsed, Settlement
from leasehold.store.base import Answer
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, refuse_nul, rows, text
from leasehold.store.sqlite.times import SECOND, later

_OUTCOMES = frozenset({"succeeded", "failed", "snoozed", "released", "cancelled", "dead"})
_WAITING = frozenset({"failed", "snoozed", "lapsed"})


class Ending(msgspec.Struct, frozen=True, array_like=True):
    """One ended lease. The SQL reads the fields by their place."""

    job_id: JobId
    fence: Fence
    attempt: int
    state: str
    failures: int
    lapses: int
    worker: int
    started_at: int | None
    tenant: str
    result: msgspec.Raw | None
    error: str | None
    traceback: str | None
    run_at: int | None


def finish(
    connection: sqlite3.Connection,
    worker: WorkerId,
    settlements: Sequence[Settlement],
    now: int,
) -> list[Answer]:
    """Settle what stands in this worker's name; say for the rest whether it was settled before."""
    _check(settlements)
    leases = as_json((settlement.job_id, settlement.fence) for settlement in settlements)
    standing = rows(connection, "settle_pick", leases=leases, worker=worker)
    endings: dict[tuple[JobId, Fence], Ending] = {}
    answers = [Answer.LOST] * len(settlements)
    for index, *lease in standing:
        ending = _end(settlements[index], lease, now)
        name = (ending.job_id, ending.fence)
        # The same settlement twice in one call: the first counts.
        answers[index] = Answer.ALREADY if name in endings else Answer.SETTLED
        endings.setdefault(name, ending)
    write(connection, endings.values(), now)
    if len(standing) < len(settlements):
        for (index,) in rows(connection, "settled_already", leases=leases, worker=worker):
            if answers[index] is Answer.LOST:
                answers[index] = Answer.ALREADY
    return answers


def settle_alone(
    connection: sqlite3.Connection, worker: WorkerId, settlement: Settlement, now: int
) -> None:
    """Settle the attempt whose transaction this is, or raise `LeaseLost`."""
    check_standing(connection, worker, settlement.job_id, settlement.fence)
    finish(connection, worker, [settlement], now)


def check_standing(
    connection: sqlite3.Connection, worker: WorkerId, job_id: JobId, fence: Fence
) -> None:
    standing = rows(connection, "settle_pick", leases=as_json([(job_id, fence)]), worker=worker)
    if not standing:
        raise LeaseLost(job_id)
    if standing[0][6]:
        raise LeaseLost(job_id, "it was cancelled")


def release_unknown(
    connection: sqlite3.Connection, worker: WorkerId, known: Sequence[Held], now: int
) -> int:
    names = {(str(lease.job_id), lease.fence) for lease in known}
    unknown = [
        Settlement(job_id=to_job_id(job_id), fence=Fence(fence), outcome="released")
        for job_id, fence in rows(connection, "leases_of_worker", worker=worker)
        if (job_id, fence) not in names
    ]
    if unknown:
        finish(connection, worker, unknown, now)
    return len(unknown)


def reclaim(
    connection: sqlite3.Connection, leases: Sequence[tuple[Lapsed, float]], now: int
) -> dict[JobId, State]:
    named = as_json((lapsed.job_id, lapsed.fence, int(lapsed.until)) for lapsed, _ in leases)
    standing = rows(connection, "reclaim_pick", leases=named, now=now)
    endings = {
        leases[index][0].job_id: _lapse(leases[index][0], leases[index][1], lease, now)
        for index, *lease in standing
    }
    write(connection, endings.values(), now)
    return {job_id: _state(ending) for job_id, ending in endings.items()}


def write(connection: sqlite3.Connection, endings: Iterable[Ending], now: int) -> None:
    """Append the outcomes, put back what comes back, end the leases."""
    batch = list(endings)
    if not batch:
        return
    everything = as_json(batch)
    refuse_nul(everything, lambda: (text for ending in batch for text in _texts(ending)))
    connection.execute(text("settle_outcome"), {"endings": everything, "now": now})
    back = [ending for ending in batch if ending.state == "released"]
    if back:
        connection.execute(text("settle_ready"), {"endings": as_json(back)})
    waiting = [ending for ending in batch if ending.state in _WAITING]
    if waiting:
        connection.execute(text("settle_scheduled"), {"endings": as_json(waiting)})
    connection.execute(text("settle_remove"), {"endings": everything})


def describe_cancel(by: str | None) -> str:
    return f"cancelled by {by}" if by else "cancelled"


def _end(settlement: Settlement, lease: Sequence[Any], now: int) -> Ending:
    worker, attempt, failures, lapses, tenant, cancel_requested, cancelled_by = lease
    state = "cancelled" if cancel_requested else settlement.outcome
    elapsed = settlement.elapsed_seconds
    return Ending(
        job_id=settlement.job_id,
        fence=settlement.fence,
        attempt=attempt,
        state=state,
        failures=failures + (settlement.is_counted and state in {"failed", "dead"}),
        lapses=0 if state in {"failed", "snoozed"} else lapses,
        worker=worker,
        started_at=None if elapsed is None else now - int(elapsed * SECOND),
        tenant=tenant,
        result=settlement.result if state == "succeeded" else None,
        error=describe_cancel(cancelled_by) if cancel_requested else settlement.error,
        traceback=settlement.traceback,
        run_at=later(now, settlement.delay_seconds, settlement.run_at),
    )


def _lapse(lapsed: Lapsed, delay_seconds: float, lease: Sequence[Any], now: int) -> Ending:
    worker, attempt, failures, lapses, tenant, cancel_requested, cancelled_by = lease[:7]
    claimed_at, max_attempts, dies_on_lapse = lease[7:]
    # The first lapse is not counted, it makes a suspect; a suspect's lapse is.
    charged = failures + (lapses > 0 and not cancel_requested)
    if cancel_requested:
        state = "cancelled"
    elif dies_on_lapse or (lapses > 0 and charged >= max_attempts):
        state = "dead"
    else:
        state = "lapsed"
    return Ending(
        job_id=lapsed.job_id,
        fence=lapsed.fence,
        attempt=attempt,
        state=state,
        failures=charged,
        lapses=lapses + 1,
        worker=worker,
        started_at=claimed_at,
        tenant=tenant,
        result=None,
        error=(
            describe_cancel(cancelled_by)
            if cancel_requested
            else "lapsed: its worker stopped renewing the lease"
        ),
        traceback=None,
        run_at=later(now, delay_seconds, None),
    )


def _state(ending: Ending) -> State:
    if ending.state == "lapsed":
        return State.FAILED if ending.failures else State.QUEUED
    return State(ending.state)


def _texts(ending: Ending) -> tuple[str | None, ...]:
    return ending.error, ending.traceback


def _check(settlements: Sequence[Settlement]) -> None:
    for settlement in settlements:
        if settlement.outcome not in _OUTCOMES:
            raise BadValue(f"{settlement.outcome!r} is no outcome of an attempt")
