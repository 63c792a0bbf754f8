"""Promotion, workers and counts: what keeps the queue moving and tells how it stands."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Sequence

from leasehold.model.ids import Fence, WorkerId
from leasehold.model.lanes import SUSPECTS, Rule, parked
from leasehold.model.values import (
    Fleet,
    Lapsed,
    Promotion,
    QueueCounts,
    Survey,
    TaskPolicy,
    WorkerInfo,
)
from leasehold.store.sqlite import retentions
from leasehold.store.sqlite.claim import ANY_PRIORITY
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.schedules import next_slot
from leasehold.store.sqlite.statements import as_json, count, rows, text, value
from leasehold.store.sqlite.times import FOREVER, SECOND, from_datetime

_LIVING_SECONDS = 45
_UNSEEN_SECONDS = 3600
_REMEMBERED_SECONDS = 31 * 86400
LONG_AGO = 0


def next_due(connection: sqlite3.Connection) -> int | None:
    due: int | None = value(connection, "promote_look")
    return due


def promote(connection: sqlite3.Connection, limit: int, now: int) -> Promotion:
    due = {"now": now, "limit": limit}
    moved = count(connection, "promote", **due)
    in_lanes = count(connection, "promote_waiting", **due)
    count(connection, "promote_remove", **due)
    return Promotion(moved + in_lanes, seconds_until(next_due(connection), now), in_lanes)


def seconds_until(moment: int | None, now: int) -> float | None:
    return None if moment is None else max(0, moment - now) / SECOND


def lapsed(connection: sqlite3.Connection, limit: int, now: int) -> list[Lapsed]:
    return [
        Lapsed(to_job_id(job_id), Fence(fence), str(until), lease_seconds, lapses)
        for job_id, fence, until, lease_seconds, lapses in rows(
            connection, "lapsed", now=now, limit=limit
        )
    ]


def register(
    connection: sqlite3.Connection,
    worker: WorkerInfo,
    tasks: Sequence[TaskPolicy],
    rules: Sequence[Rule],
    now: int,
) -> None:
    started_at = now if worker.started_at is None else from_datetime(worker.started_at)
    described = {
        "id": worker.id,
        "name": worker.name,
        "queues": as_json(worker.queues),
        "kinds": as_json(worker.kinds),
        "slots": worker.slots,
        "running": worker.running,
        "version": worker.version,
        "started_at": started_at,
        "now": now,
    }
    connection.execute(text("register_worker"), described)
    connection.execute(text("register_tasks"), {"tasks": as_json(tasks), "now": now})
    retentions.register(connection, tasks, now)
    connection.execute(text("register_rules"), {"rules": as_json(rules), "now": now})


def survey(
    connection: sqlite3.Connection, queues: Sequence[str], kinds: Sequence[str], now: int
) -> Survey:
    wanted = as_json(queues)
    levels = as_json([(queue, ANY_PRIORITY, True) for queue in queues])
    ready, suspects = (
        value(connection, "claim_look", wants=levels, is_suspect=is_suspect, now=now) is not None
        for is_suspect in (False, True)
    )
    places = rows(connection, "parked_look", kinds=as_json(kinds), queues=wanted, now=now)
    has_lanes = value(connection, "survey_lanes", queues=wanted, now=now) is not None
    stages = _stages_in_use(connection, wanted, kinds, now) if has_lanes else frozenset()
    said = rows(connection, "survey_queues", queues=wanted)
    moments = [until for _, _, until, _ in said if until is not None and now < until < FOREVER]
    due = next_due(connection)
    moments += [] if due is None else [due]
    return Survey(
        ready,
        suspects,
        bool(places) or parked("") in stages,
        seconds_until(min(moments, default=None), now),
        has_lanes,
        {queue: aging for queue, aging, _, _ in said if aging is not None},
        value(connection, "survey_successors") is not None,
        schedule_seconds=seconds_until(next_slot(connection, LONG_AGO), now),
        dependents=value(connection, "survey_dependents") is not None,
        batches=value(connection, "survey_batches") is not None,
        rooms={queue: max(0, room) for queue, _, _, room in said if room is not None},
    )


def _stages_in_use(
    connection: sqlite3.Connection, queues: str, kinds: Sequence[str], now: int
) -> frozenset[str]:
    """Say which stages have jobs for a worker of these kinds, by the stages' first letters."""
    stages = as_json([SUSPECTS, *map(parked, kinds)])
    found = rows(connection, "survey_stages", queues=queues, stages=stages, now=now)
    return frozenset(stage[:1] for (stage,) in found)


def beat(connection: sqlite3.Connection, worker: WorkerId, running: int, now: int) -> Fleet:
    connection.execute(text("beat"), {"id": worker, "running": running, "now": now})
    others = rows(connection, "fleet", id=worker, seen_since=now - _LIVING_SECONDS * SECOND)
    with_room: dict[str, list[WorkerId]] = {queue: [] for queue, _, _ in others}
    for queue, other, has_room in others:
        with_room[queue] += [other] if has_room else []
    most = max(Counter(queue for queue, _, _ in others).values(), default=1)
    return Fleet(most, with_room)


def farewell(connection: sqlite3.Connection, worker: WorkerId, now: int) -> None:
    connection.execute(text("farewell"), {"id": worker, "now": now})


def has_old_workers(connection: sqlite3.Connection, now: int) -> bool:
    return value(connection, "tend_look", **_limits(now)) is not None


def tidy_workers(connection: sqlite3.Connection, now: int) -> None:
    limits = _limits(now)
    connection.execute(text("tend_strike_off"), {"unseen_since": limits["unseen_since"]})
    connection.execute(text("tend_forget"), {"ended_before": limits["ended_before"]})


def _limits(now: int) -> dict[str, int]:
    return {
        "unseen_since": now - _UNSEEN_SECONDS * SECOND,
        "ended_before": now - _REMEMBERED_SECONDS * SECOND,
    }


def counts(connection: sqlite3.Connection, tenant: str | None) -> list[QueueCounts]:
    return [
        QueueCounts(
            queue=queue,
            ready=ready,
            blocked=blocked,
            scheduled=scheduled,
            failed=failed,
            running=running,
            parked=set_aside,
        )
        for queue, ready, blocked, scheduled, failed, running, set_aside in rows(
            connection, "counts", tenant=tenant
        )
    ]
