"""Reads what is known of one job, for `why`, with the claim's own eyes and at one moment."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from typing import Any, NamedTuple

import msgspec
from msgspec import structs

from leasehold.model.facts import (
    COUNT_LIMIT,
    LIVING_SECONDS,
    READY,
    SCHEDULED,
    WAITING,
    Facts,
    FleetFacts,
    Halt,
    LaneFacts,
    NeedsFacts,
)
from leasehold.model.ids import JobId, WorkerId
from leasehold.model.lanes import (
    BEHIND,
    PAST,
    SEPARATOR,
    head_of,
    names_of,
    own_lane,
    party_of,
    read_place,
    shown_lane,
    tenant_of,
)
from leasehold.model.values import PRIORITY_LIMIT, Job
from leasehold.store.sqlite.keys import read_keys
from leasehold.store.sqlite.needing import predecessors, read_needs
from leasehold.store.sqlite.records import read_jobs, to_job_id
from leasehold.store.sqlite.statements import rows, value
from leasehold.store.sqlite.times import FOREVER, SECOND, from_datetime, to_datetime

_SHOWN_JOBS, _SHOWN_QUEUES = 5, 10
_NOBODY = WorkerId(0)


class _Stand(NamedTuple):
    """The columns of why_job."""

    place: str
    last_outcome: str | None
    cancelled_by: str | None
    stage: str
    place_in_lane: str | None
    is_suspect: int | None
    key: str | None
    behind: str | None


class _Worker(NamedTuple):
    """The columns of why_workers."""

    id: WorkerId
    slots: int
    queues: str
    serves: int
    knows_kind: int
    leases: int

    @property
    def knows(self) -> bool:
        return bool(self.serves and self.knows_kind)


def read_facts(connection: sqlite3.Connection, job_id: JobId, now: int) -> Facts | None:
    found = read_jobs(connection, [str(job_id)])
    if not found:
        return None
    job = found[0]
    stand = _Stand(*rows(connection, "why_job", id=str(job_id))[0])
    workers = _living(connection, job, now)
    before, top_priority = _before(connection, job, stand)
    return Facts(
        job_id=job.id,
        moment=to_datetime(now),
        place=stand.place,
        state=job.state,
        queue=job.queue,
        kind=job.kind,
        priority=job.priority,
        attempt=job.attempt,
        failures=job.failures,
        lapses=job.lapses,
        max_attempts=job.max_attempts,
        fleet=_fleet(workers),
        run_at=job.run_at,
        last_outcome=stand.last_outcome,
        finished_at=job.finished_at,
        error=job.error,
        worker=job.worker_name or (None if job.worker is None else str(job.worker)),
        claimed_at=job.claimed_at,
        lease_until=job.lease_until,
        cancel_requested=job.cancel_requested,
        cancelled_by=stand.cancelled_by,
        stage=stand.stage,
        share=job.share or "",
        cost=job.cost,
        lane=_lane(connection, job, stand, workers, now),
        queue_pause=_queue_pause(connection, job.queue, now),
        **_queue_limit(connection, job.queue),
        tenant=job.tenant,
        **_tenant_limit(connection, job.tenant),
        before=before,
        top_priority=top_priority,
        shares=_other_shares(connection, stand.place_in_lane),
        key=stand.key,
        behind=None if stand.behind is None else to_job_id(stand.behind),
        needs=_needs(connection, job.id) if stand.stage == BEHIND else None,
    )


def _needs(connection: sqlite3.Connection, job_id: JobId) -> NeedsFacts | None:
    needs = read_needs(connection, job_id)
    if needs is None:
        return None
    states = tuple((each.id, each.state or "gone") for each in predecessors(connection, job_id))
    return NeedsFacts(states=states, any=needs.any, even_if_failed=needs.even_if_failed)


def _living(connection: sqlite3.Connection, job: Job, now: int) -> list[_Worker]:
    found = rows(
        connection,
        "why_workers",
        queue=job.queue,
        kind=job.kind,
        seen_since=now - int(LIVING_SECONDS) * SECOND,
    )
    return [_Worker(*row) for row in found]


def _fleet(workers: Sequence[_Worker]) -> FleetFacts:
    knowing = [worker for worker in workers if worker.knows]
    queues = {queue for worker in workers for queue in msgspec.json.decode(worker.queues)}
    return FleetFacts(
        alive=len(workers),
        serving=sum(worker.serves for worker in workers),
        knowing=len(knowing),
        slots=sum(worker.slots for worker in knowing),
        # jobs that were claimed ahead of their turn are in no slot yet
        busy=sum(min(worker.slots, worker.leases) for worker in knowing),
        queues=tuple(sorted(queues)[:_SHOWN_QUEUES]),
    )


def _before(connection: sqlite3.Connection, job: Job, stand: _Stand) -> tuple[int, int | None]:
    named: dict[str, Any] = {
        "id": str(job.id),
        "created_at": from_datetime(job.created_at),
        "most": COUNT_LIMIT,
    }
    if stand.place == READY:
        ((count, top),) = rows(
            connection,
            "why_ready_before",
            queue=job.queue,
            is_suspect=stand.is_suspect,
            priority=job.priority,
            **named,
        )
        return count, top
    if stand.place == WAITING:
        return value(connection, "why_lane_before", place=stand.place_in_lane, **named), None
    return 0, None


def _other_shares(connection: sqlite3.Connection, place_in_lane: str | None) -> int:
    """Count the shares that take turns with its own, at its priority."""
    if place_in_lane is None or not read_place(place_in_lane).share:
        return 0
    queue, stage, priority, *_ = read_place(place_in_lane)
    head = SEPARATOR.join((head_of(queue, stage), f"{PRIORITY_LIMIT - priority:05}"))
    found = rows(
        connection,
        "look_parties",
        after=head + SEPARATOR,
        upto=head + PAST,
        parties=COUNT_LIMIT + 1,
    )
    return sum(party != party_of(place_in_lane) for (party,) in found)


def _lane(
    connection: sqlite3.Connection,
    job: Job,
    stand: _Stand,
    workers: Sequence[_Worker],
    now: int,
) -> LaneFacts | None:
    """Read what a claim goes by, for the worker with the most room: a limit may be each one's."""
    if not job.lane or stand.place not in {WAITING, SCHEDULED}:
        return None
    asking = [worker.id for worker in workers if worker.knows] or [_NOBODY]
    lane = own_lane(job.lane, job.tenant)
    states = [read_keys(connection, [lane], worker, now)[lane] for worker in asking]
    state = max(states, key=lambda each: each.room)
    every, rule, tenant = names_of(lane)
    said = rows(connection, "why_rules", lane=lane, every=every, rule=rule, tenant=tenant or "")
    said.sort(key=lambda row: -len(row[0]))  # the closer one goes first
    rules = [row for row in said if not row[-1]]
    running = rows(connection, "why_lane_jobs", lane=lane, most=_SHOWN_JOBS)
    return LaneFacts(
        key=job.lane,
        tenant=tenant,
        is_known=any(limit is not None for rule in rules for limit in rule[1:4]),
        running=running[0][1] if running else 0,
        room=state.room,
        running_limit=_least(_first(rule[1] for rule in rules), said),
        per_worker=_first(rule[2] for rule in rules),
        rate=state.rate,
        burst=state.burst if state.is_rated else None,
        tokens=state.tokens if state.is_rated else None,
        pause=_longest_pause(said, now),
        jobs=tuple(to_job_id(row[0]) for row in running),
    )


def _first(limits: Any) -> int | None:
    """Return the key's own limit, else its rule's."""
    return next((limit for limit in limits if limit is not None), None)


def _least(limit: int | None, said: Sequence[tuple[Any, ...]]) -> int | None:
    """Return the limit, or what the tenant itself says where that is less."""
    own = [row[1] for row in said if row[-1] and row[1] is not None]
    return min(own if limit is None else [limit, *own], default=None)


def _longest_pause(rules: Sequence[tuple[Any, ...]], now: int) -> Halt | None:
    paused = [rule for rule in rules if rule[4] is not None and rule[4] > now]
    if not paused:
        return None
    name, *_, until, reason, by, said_by = max(paused, key=lambda rule: rule[4])
    halt = _halt(shown_lane(name), until, reason, by)
    return structs.replace(halt, tenant=tenant_of(name), is_tenants_word=bool(said_by))


def _queue_pause(connection: sqlite3.Connection, queue: str, now: int) -> Halt | None:
    found = rows(connection, "why_queue", queue=queue, now=now)
    return _halt(queue, *found[0]) if found else None


def _queue_limit(connection: sqlite3.Connection, queue: str) -> dict[str, Any]:
    found = rows(connection, "why_queue_limit", queue=queue)
    return dict(zip(("queue_limit", "queue_running"), found[0], strict=True)) if found else {}


def _tenant_limit(connection: sqlite3.Connection, tenant: str) -> dict[str, Any]:
    found = rows(connection, "why_tenant", tenant=tenant) if tenant else []
    return dict(zip(("tenant_limit", "tenant_running"), found[0], strict=True)) if found else {}


def _halt(name: str, until: int, reason: str | None, by: str | None) -> Halt:
    moment = None if until >= FOREVER else to_datetime(until)
    return Halt(name=name, until=moment, reason=reason, by=by)
