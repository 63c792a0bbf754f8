"""Enqueueing jobs with keys: who has a key is looked up, decided by the model, and written down.

All of it under the write lock, which the script's first statement takes, so that one transaction
sees and changes the key, the job that has it and the job that asks.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, TypeAlias

import msgspec

from leasehold.errors import BadValue
from leasehold.model.ids import JobId
from leasehold.model.keys import (
    Holding,
    Mode,
    Push,
    Refuse,
    StandBehind,
    Standing,
    Take,
    Unique,
    Verdict,
    after_accepting,
    at_the_latest,
    decide,
    put_off,
)
from leasehold.model.values import NewJob
from leasehold.store.base import Answers, EnqueueScript, Rows, Statement
from leasehold.store.sqlite.callbacks import call_back
from leasehold.store.sqlite.enqueue import (
    known_ids,
    plain_kinds,
    refuse_plain,
    unique_jobs,
    write_script,
)
from leasehold.store.sqlite.joining import has_batches, join_batches
from leasehold.store.sqlite.quotas import admit
from leasehold.store.sqlite.records import to_job_id
from leasehold.store.sqlite.statements import as_json, refuse_nul, text
from leasehold.store.sqlite.times import from_datetime, later, to_datetime, to_datetime_or_none

Key: TypeAlias = tuple[str, str]  # a tenant's


def keyed_script(jobs: Sequence[NewJob], now: int) -> EnqueueScript:
    """Write jobs of which some have a key."""
    asked = unique_jobs(jobs)
    _refuse_dependents(asked)
    yield Statement(text("key_lock"), {})
    if has_batches(asked):
        yield from join_batches(asked)
    if kinds := plain_kinds(asked):
        yield from refuse_plain(kinds)
    known = yield from known_ids(asked)  # the id goes before the key
    answers = {job_id: Standing(job_id, Verdict.SAME) for job_id in known}
    for wave in _waves([job for job in asked if job.id not in known] if known else asked):
        held = yield from _look(wave)
        plan = _plan(wave, held, now)
        yield from plan.write(now)
        answers |= plan.answers
    return answers


def refused_script(jobs: Sequence[NewJob], now: int) -> Generator[Statement, Rows, Answers | None]:
    """Look, without the lock, whether all keys are held; None when there is something to write."""
    asked = unique_jobs(jobs)
    waves = _waves(asked)
    if len(waves) > 1 or any(job.unique is None for job in asked):
        return None
    known = yield from known_ids(asked)
    if known:
        return None
    held = yield from _look(waves[0])
    plan = _plan(waves[0], held, now)
    return None if plan.is_writing or has_batches(asked) else plan.answers


def _refuse_dependents(jobs: Iterable[NewJob]) -> None:
    for job in jobs:
        if job.needs is not None and job.unique is not None and job.unique.mode != Mode.SKIP:
            raise BadValue(
                "a job that waits for others can't replace or put off one of its key: "
                "use the mode skip"
            )


def _waves(jobs: Sequence[NewJob]) -> Sequence[Sequence[NewJob]]:
    """Part jobs so that no key comes twice: the second one must see what became of the first."""
    keys = [(job.tenant, job.unique.key) for job in jobs if job.unique is not None]
    if len(set(keys)) == len(keys):
        return [jobs]
    waves: list[list[NewJob]] = []
    counts: dict[Key, int] = {}
    for job in jobs:
        number = 0
        if job.unique is not None:
            key = (job.tenant, job.unique.key)
            number = counts.get(key, 0)
            counts[key] = number + 1
        if number == len(waves):
            waves.append([])
        waves[number].append(job)
    return waves


def _look(jobs: Sequence[NewJob]) -> Generator[Statement, Rows, dict[Key, Holding]]:
    named: dict[str, list[str]] = {}
    for job in jobs:
        if job.unique is not None:
            named.setdefault(job.tenant, []).append(job.unique.key)
    held: dict[Key, Holding] = {}
    for tenant, keys in named.items():
        found = yield Statement(text("key_look"), asked_keys(tenant, keys))
        held |= read_holdings(found)
    return held


def asked_keys(tenant: str, keys: Sequence[str]) -> dict[str, str]:
    """Return what key_look asks for."""
    asked = as_json(keys)
    refuse_nul(as_json([tenant]) + asked, lambda: (tenant, *keys))
    return {"tenant": tenant, "keys": asked}


def read_holdings(found: Rows) -> dict[Key, Holding]:
    """Read the rows of key_look."""
    held: dict[Key, Holding] = {}
    for tenant, key, holder, place, successor, taken, series, run_at, success, *rest in found:
        memory_seconds, is_urgent = rest
        held[tenant, key] = Holding(
            holder=to_job_id(holder),
            place=place,
            successor=None if successor is None else to_job_id(successor),
            taken_at=to_datetime(taken),
            series_at=to_datetime(series),
            run_at=to_datetime_or_none(run_at),
            succeeded_at=to_datetime_or_none(success),
            memory_seconds=memory_seconds,
            is_urgent=bool(is_urgent),
        )
    return held


def row_of(key: Key, held: Holding) -> tuple[Any, ...]:
    """Return what key_put writes."""
    succeeded_at = None if held.succeeded_at is None else from_datetime(held.succeeded_at)
    return (
        *key,
        held.holder,
        held.successor,
        from_datetime(held.taken_at),
        from_datetime(held.series_at),
        succeeded_at,
        held.memory_seconds,
        int(held.is_urgent),
    )


def _plan(jobs: Iterable[NewJob], held: Mapping[Key, Holding], now: int) -> Plan:
    plan = Plan(to_datetime(now))
    for job in jobs:
        if job.unique is None:
            plan.accepted.append(job)
        else:
            plan.add(job, job.unique, held.get((job.tenant, job.unique.key)))
    return plan


@dataclass(slots=True)
class Plan:
    """What is to be written for jobs, each of another key."""

    now: datetime
    answers: dict[JobId, Standing] = field(default_factory=dict)
    accepted: list[NewJob] = field(default_factory=list)
    behind: list[JobId] = field(default_factory=list)
    # Keys that nobody had, by tenant and how long they are to be remembered; and others' rows.
    fresh: dict[tuple[str, float], dict[str, JobId]] = field(default_factory=dict)
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    pushes: dict[JobId, datetime] = field(default_factory=dict)
    endings: list[tuple[JobId, str, JobId]] = field(default_factory=list)  # who, where, by whom

    @property
    def is_writing(self) -> bool:
        return bool(self.accepted or self.rows or self.pushes)

    def add(self, job: NewJob, asked: Unique, held: Holding | None) -> None:
        """Decide about one job."""
        key = (job.tenant, asked.key)
        if held is None:
            self._accept(job, asked, self.now)
            self.fresh.setdefault((job.tenant, asked.memory_seconds), {})[asked.key] = job.id
            return
        match decide(asked, held, self.now):
            case Refuse(verdict, standing, until):
                self.answers[job.id] = Standing(standing, verdict, None, until)
            case Push(job_id):
                pushed = put_off(asked, held, self._wanted(job))
                self.pushes[job_id] = pushed
                self.answers[job.id] = Standing(job_id, Verdict.PUSHED, None, pushed)
            case Take() | StandBehind() as decision:
                self._end(decision, held, job)
                held = after_accepting(decision, asked, held, job.id, self.now)
                self._accept(job, asked, held.series_at)
                self.rows.append(row_of(key, held))
                return
        if asked.memory_seconds > held.memory_seconds:
            self.rows.append(row_of(key, replace(held, memory_seconds=asked.memory_seconds)))

    def _end(self, decision: Take | StandBehind, held: Holding, job: NewJob) -> None:
        for ended in decision.ended:
            place = held.place if ended == held.holder and held.place else "waiting"
            self.endings.append((ended, place, job.id))
        if isinstance(decision, StandBehind):
            self.behind.append(job.id)
            self.answers[job.id] = Standing(job.id, Verdict.BEHIND, decision.runs)
        elif decision.ended:
            self.answers[job.id] = Standing(job.id, Verdict.REPLACED, decision.ended[-1])

    def _accept(self, job: NewJob, asked: Unique, series_at: datetime) -> None:
        if asked.max_wait_seconds is not None:
            run_at = at_the_latest(asked, series_at, self._wanted(job))
            job = msgspec.structs.replace(job, run_at=run_at, delay_seconds=None)
        self.accepted.append(job)

    def _wanted(self, job: NewJob) -> datetime:
        return to_datetime(later(from_datetime(self.now), job.delay_seconds, job.run_at))

    def write(self, now: int) -> Generator[Statement, Rows, None]:
        """Write all of it, unless a quota does not allow it."""
        yield from admit(self.accepted, now, leaving=self._leaving())
        for ended, place, by in self.endings:
            yield from _end_waiting(ended, place, by, now)
        for job_id, run_at in self.pushes.items():
            pushed = {"id": str(job_id), "run_at": from_datetime(run_at)}
            yield Statement(text("key_push"), pushed)
        for (tenant, memory_seconds), keys in self.fresh.items():
            taken = {"tenant": tenant, "memory_seconds": memory_seconds, "now": now}
            yield Statement(text("key_take"), {**taken, "keys": as_json(keys)})
        if self.rows:
            yield Statement(text("key_put"), {"keys": as_json(self.rows)})
        yield from write_script(self.accepted, now, ignores_quotas=True)
        if self.behind:
            ids = {"ids": as_json(self.behind)}
            for name in ("key_behind", "key_behind_ready", "key_behind_scheduled"):
                yield Statement(text(name), ids)

    def _leaving(self) -> Counter[str]:
        """Count the jobs of each tenant that give up their place."""
        if not self.endings:
            return Counter()
        tenants = {job.id: job.tenant for job in self.accepted}
        return Counter(tenants[taker] for _, _, taker in self.endings)


def _end_waiting(
    job_id: JobId, place: str, by: JobId, now: int
) -> Generator[Statement, Rows, None]:
    for attempt, failures, lapses, tenant in (
        yield Statement(text(f"cancel_{place}"), {"id": str(job_id)})
    ):
        ending = {
            "id": str(job_id),
            "attempt": attempt,
            "failures": failures,
            "lapses": lapses,
            "now": now,
            "tenant": tenant,
            "error": f"replaced by job {by}",
        }
        yield Statement(text("cancel_outcome"), ending)
        yield from call_back([str(job_id)], now)
