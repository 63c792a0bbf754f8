"""How leases end. The rules stand in settle_outcome.sql and reclaim_outcome.sql."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import NamedTuple

from leasehold.errors import BadValue, LeaseLost
from leasehold.model.ids import Fence, JobId, WorkerId
from leasehold.model.states import State
from leasehold.model.values import Held, Lapsed, Settlement
from leasehold.store.base import Answer
from leasehold.store.sqlite.callbacks import call_back
from leasehold.store.sqlite.enqueue import run_script
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, count, refuse_nul, rows
from leasehold.store.sqlite.times import later

_FINAL = frozenset({"succeeded", "cancelled", "dead"})
_NUMBER = attrgetter("job_id.int")
_COMES_BACK = frozenset({"failed", "snoozed", "released"})


class Finished(NamedTuple):
    """What became of settlements, in order, and the queues that callbacks came to."""

    answers: list[Answer]
    called: list[str]


def finish(
    connection: sqlite3.Connection,
    worker: WorkerId,
    settlements: Sequence[Settlement],
    now: int,
) -> Finished:
    """Settle what stands in this worker's name; say for the rest whether it was settled before."""
    in_order = sorted(settlements, key=_NUMBER)  # as they stand in their tables
    by_job = {settlement.job_id: settlement for settlement in in_order}
    if len(by_job) < len(settlements):  # the same job twice: the first one counts
        done = [finish(connection, worker, [each], now) for each in settlements]
        return Finished(
            [each.answers[0] for each in done], [queue for each in done for queue in each.called]
        )
    outcomes = {settlement.outcome for settlement in settlements}
    if unknown := outcomes - _FINAL - _COMES_BACK:
        raise BadValue(f"{min(unknown)!r} is no outcome of an attempt")
    named = as_json(by_job)
    refuse_nul(named, lambda: (text for each in settlements for text in _texts(each)))
    settled = count(connection, "settle_outcome", settlements=named, worker=worker, now=now)
    if '"spent":' in named or "released" in outcomes:  # only then can there be something to charge
        rows(connection, "settle_charge", settlements=named, worker=worker)
    if settled == len(settlements):
        answers = [Answer.SETTLED] * settled
    else:
        answers = _answer(connection, worker, settlements, named)
        by_job = {
            each.job_id: each
            for each, answer in zip(settlements, answers, strict=True)
            if answer is Answer.SETTLED
        }
    back = {
        job_id: later(now, each.delay_seconds, each.run_at)
        for job_id, each in (by_job.items() if outcomes & _COMES_BACK else ())
        if each.outcome in _COMES_BACK
    }
    _end_leases(connection, list(by_job), back)
    return Finished(answers, _call_back(connection, by_job, now))


def settle_alone(
    connection: sqlite3.Connection, worker: WorkerId, settlement: Settlement, now: int
) -> list[str]:
    """Settle the attempt whose transaction this is, or raise `LeaseLost`.

    Returns the queue that the job's callback came to, if it has one.
    """
    named = as_json({settlement.job_id: settlement})
    standing = rows(connection, "settle_standing", settlements=named, worker=worker)
    if not standing:
        raise LeaseLost(settlement.job_id)
    if standing[0][1]:
        raise LeaseLost(settlement.job_id, "it was cancelled")
    return finish(connection, worker, [settlement], now).called


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
    seen = {lapsed.job_id: (lapsed.fence, int(lapsed.until)) for lapsed, _ in leases}
    ended = rows(connection, "reclaim_outcome", leases=as_json(seen), now=now)
    states = {to_job_id(job_id): _state(state, failures) for job_id, state, failures in ended}
    back = {lapsed.job_id: later(now, delay, None) for lapsed, delay in leases}
    _end_leases(connection, list(states), back)
    _call_back(connection, [job_id for job_id, state in states.items() if state.is_final], now)
    return states


def _call_back(connection: sqlite3.Connection, ended: Iterable[JobId], now: int) -> list[str]:
    """Make the callbacks of those that have ended for good: these have a final outcome."""
    return run_script(connection, call_back(map(str, ended), now))


def _end_leases(
    connection: sqlite3.Connection, ended: Sequence[JobId], back: Mapping[JobId, int]
) -> None:
    """Put back what comes back, as its outcome says; then end the leases."""
    if back:
        for name in ("settle_ready", "settle_waiting", "settle_scheduled"):
            rows(connection, name, back=as_json(back))
    rows(connection, "settle_remove", ids=as_json(ended))


def _answer(
    connection: sqlite3.Connection,
    worker: WorkerId,
    settlements: Sequence[Settlement],
    named: str,
) -> list[Answer]:
    """Tell apart what was settled just now, its leases still standing, from what was not."""
    said = {"settlements": named, "worker": worker}
    told = dict.fromkeys(
        (row[0] for row in rows(connection, "settled_already", **said)), Answer.ALREADY
    )
    told |= dict.fromkeys(
        (row[0] for row in rows(connection, "settle_standing", **said)), Answer.SETTLED
    )
    return [told.get(str(each.job_id), Answer.LOST) for each in settlements]


def _state(state: str, failures: int) -> State:
    if state == "lapsed":
        return State.FAILED if failures else State.QUEUED
    return State(state)


def _texts(settlement: Settlement) -> tuple[str | None, ...]:
    return settlement.error, settlement.traceback
