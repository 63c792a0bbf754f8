"""Compares all that a store shows of its jobs with the model."""

from __future__ import annotations

import math
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import msgspec

from leasehold.model.ids import WorkerId
from leasehold.model.lanes import SUSPECTS, USUAL, Look, parked
from leasehold.model.states import State
from leasehold.model.values import Filter
from tests.conformance.kit import place_of
from tests.properties.choices import QUEUES, UNIT

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.lanes import Place
    from leasehold.model.values import Attempt, Job
    from leasehold.store.base import Store
    from tests.properties.model import Model
    from tests.properties.records import End, Record

ENDLESS_SECONDS = 1e9  # a pause that lasts longer has no end
PLACES = {"ready": "ready", "waiting": "blocked", "lease": "running", "parked": "parked"}


class Comparison:
    """Asserts that every job that ever was is shown as the model has it.

    Each time it reads all jobs as a list and the counts; single jobs and their histories only where
    the model changed, and all of them at the end.
    """

    def __init__(self, store: Store, model: Model) -> None:
        self._store = store
        self._model = model
        self._last: dict[JobId, object] = {}

    def check(self) -> None:
        self._check_list()
        now = {
            job_id: (expected(job), told(job.ends), remembered(job))
            for job_id, job in self._model.jobs.items()
        }
        known = now.keys() | self._last.keys()
        changed = {job_id for job_id in known if self._is_new(job_id, now)}
        if changed:
            assert ends(self._store, known) == ended(self._model, known)
        for job_id in changed:
            self.check_one(job_id)
        self._last = dict(now)

    def _is_new(self, job_id: JobId, now: Mapping[JobId, object]) -> bool:
        return self._last.get(job_id) != now.get(job_id)

    def _check_list(self) -> None:
        listed = {job.id: job for job in self._store.find(Filter(), before=None, limit=1000)}
        assert listed.keys() == self._model.jobs.keys(), "jobs are lost or invented"
        for job_id, record in self._model.jobs.items():
            check_job(listed[job_id], record)
        assert counted(self._store) == tally(self._model)
        assert pauses(self._store) == self._model.pauses()
        assert lanes(self._store) == lane_rooms(self._model)

    def check_one(self, job_id: JobId) -> None:
        job, record = self._store.get(job_id), self._model.jobs.get(job_id)
        assert saved(self._store, job_id) == remembered(record)
        if record is None:
            assert job is None, f"{job_id} was deleted"
            return
        assert job is not None, f"{job_id} is lost"
        check_job(job, record)
        assert told(self._store.history(job_id)) == told(record.ends)


def check_job(job: Job, record: Record) -> None:
    assert shown(job) == expected(record)
    assert_times(job, record)
    assert_error(job, record)


def shown(job: Job) -> dict[str, Any]:
    fields = {
        "state": job.state,
        "kind": job.kind,
        "queue": job.queue,
        "tenant": job.tenant,
        "args": job.args,
        "lane": job.lane,
        "priority": job.priority,
        "attempt": job.attempt,
        "failures": job.failures,
        "max_attempts": job.max_attempts,
        "worker": job.worker if job.state is State.RUNNING else None,
        "cancel_requested": job.cancel_requested,
    }
    # What a final job's lapses were is nobody's concern any more.
    return fields if job.state.is_final else fields | {"lapses": job.lapses}


def expected(record: Record) -> dict[str, Any]:
    lease, asked = record.lease, record.asked
    fields = {
        "state": record.state,
        "kind": asked.kind,
        "queue": record.queue,
        "tenant": asked.tenant,
        "args": msgspec.json.decode(asked.args),
        "lane": asked.lane,
        "priority": record.priority,
        "attempt": record.attempt,
        "failures": record.failures,
        "max_attempts": record.max_attempts,
        "worker": lease.worker if lease else None,
        "cancel_requested": bool(lease and lease.is_cancelled),
    }
    return fields if record.state.is_final else fields | {"lapses": record.lapses}


def ends(store: Store, job_ids: Iterable[JobId]) -> dict[JobId, tuple[object, ...] | None]:
    """Say what those who wait for these jobs are told."""
    return {
        job_id: None if end is None else (end.kind, end.state)
        for job_id, end in store.ended(list(job_ids)).items()
    }


def ended(model: Model, known: Iterable[JobId]) -> dict[JobId, tuple[object, ...] | None]:
    """Say the same by the model: what it knew and does not know any more was deleted."""
    over: dict[JobId, tuple[object, ...] | None] = {
        job_id: (record.asked.kind, record.state)
        for job_id, record in model.jobs.items()
        if record.state.is_final
    }
    return dict.fromkeys(set(known) - model.jobs.keys()) | over


def told(history: Sequence[Attempt | End]) -> list[tuple[object, ...]]:
    return [(end.attempt, end.outcome, end.fence, end.worker) for end in history]


def saved(store: Store, job_id: JobId) -> tuple[object, ...]:
    found = store.checkpoint(job_id)
    units = (None, None, None) if found is None else (found.cursor, found.done, found.total)
    return *units, {step.name: step.result for step in store.steps(job_id)}


def remembered(record: Record | None) -> tuple[object, ...]:
    if record is None:
        return None, None, None, {}
    cursor = record.saved.cursor
    steps = {name: msgspec.json.decode(result) for name, result in record.steps.items()}
    decoded = None if cursor is None else msgspec.json.decode(cursor)
    return decoded, record.saved.done, record.saved.total, steps


def assert_times(job: Job, record: Record) -> None:
    """Only a running job has a lease, a scheduled one its time, an ended one its end."""
    assert (job.lease_until is not None) == (record.place == "lease")
    assert (job.finished_at is not None) == (record.place == "")
    if record.place == "scheduled":
        assert job.run_at is not None
        assert job.run_at >= job.created_at
    if record.place == "lease":
        assert job.claimed_at is not None
        assert job.claimed_at >= job.created_at


def assert_error(job: Job, record: Record) -> None:
    if record.place == "" or (record.ends and record.ends[-1].outcome == "failed"):
        assert (job.error or "").startswith(record.error or ""), "another error is shown"
        assert (job.error is None) == (record.error is None)


def pauses(store: Store) -> dict[str, float]:
    """Say how many whole units each pause of a key or a queue still lasts."""
    now = datetime.now(UTC) + timedelta(seconds=store.skew_seconds)
    ends = {each.name: each.paused_until for each in store.throttles()}
    ends |= {each.name: each.paused_until for each in store.queues()}
    left = {name: (end - now).total_seconds() for name, end in ends.items() if end}
    return {
        name: round(seconds / UNIT) if seconds < ENDLESS_SECONDS else math.inf
        for name, seconds in left.items()
        if seconds > 0
    }


def lanes(store: Store) -> list[tuple[str, int]]:
    """List the lanes with work, each with its room."""
    stages = (USUAL, SUSPECTS, parked("strange"))
    looks = [Look(queue, stage) for queue in QUEUES for stage in stages]
    seen = store.look_lanes(WorkerId(1), looks, parties=1000, page=1000, after={})
    return [(lane.place, lane.room) for lane in seen]


def lane_rooms(model: Model) -> list[tuple[str, int]]:
    return [(lane_text(lane), max(0, model.room(lane))) for lane in model.lanes()]


def lane_text(lane: Place) -> str:
    return place_of(lane.lane, queue=lane.queue, stage=lane.stage, priority=lane.priority)


def counted(store: Store) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for queue in store.counts():
        for place in ("ready", "blocked", "scheduled", "failed", "running", "parked"):
            counts[queue.queue, place] += getattr(queue, place)
    return +counts


def tally(model: Model) -> Counter[tuple[str, str]]:
    counts: Counter[tuple[str, str]] = Counter()
    for record in model.jobs.values():
        if record.place == "scheduled":
            place = "failed" if record.failures else "scheduled"
            counts[record.queue, place] += 1
        elif record.is_aside:
            counts[record.queue, "parked"] += 1
        elif record.place:
            counts[record.queue, PLACES[record.place]] += 1
    return counts
