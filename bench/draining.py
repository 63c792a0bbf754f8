"""Drains: from the release of worker processes until the database shows all jobs settled."""

from __future__ import annotations

import time
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from bench.crew import SLOTS, Crew
from bench.database import Load
from bench.fleet import BenchFailed, Fleet
from bench.tasks import failing, noop
from leasehold.model.values import DEFAULT_QUEUE

if TYPE_CHECKING:
    from bench.database import Database, Figures, Size

LOOK_SECONDS = 0.005
MOST_SECONDS = 900.0


class Beside(StrEnum):
    """What else is in the tables, as many rows as the size says."""

    NOTHING = "nothing"
    WAITING = "waiting"  # the backlog in all: only the first of it is drained
    SCHEDULED = "scheduled"  # for later, at a higher priority
    FINISHED = "finished"


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How a drain differs from the plain one: one process, async no-ops, one queue."""

    kind: str = noop.name
    processes: int = 1
    slots: int = SLOTS
    queues: tuple[str, ...] = (DEFAULT_QUEUE,)
    priorities: int = 1
    tenant: str = ""
    beside: Beside = Beside.NOTHING
    is_pinned: bool = False

    @property
    def crew(self) -> Crew:
        return Crew(
            kinds=(self.kind,), processes=self.processes, slots=self.slots, queues=self.queues
        )

    def load(self, count: int) -> Load:
        return Load(
            count=count,
            kind=self.kind,
            queues=self.queues,
            priorities=self.priorities,
            tenant=self.tenant,
        )


@dataclass(frozen=True, slots=True)
class Reading:
    """The meters at one moment."""

    worker_cpu: float
    database_cpu: float | None
    wal: int | None


def drain(database: Database, size: Size, plan: Plan) -> Figures:
    """Drain `size.jobs` jobs. The run counts only if each was settled, and settled once."""
    preload(database, size, plan)
    before = database.count_outcomes().get("succeeded", 0)
    last = database.job_at(size.jobs - 1)
    database.settle_down()
    with (
        database.pinned() if plan.is_pinned else nullcontext(),
        Fleet(database.url, plan.crew) as fleet,
    ):
        start = read_meters(database, fleet)
        started = time.perf_counter()
        fleet.release()
        _await_settled(database, fleet, last, plan)
        seconds = time.perf_counter() - started
        # Out of a deeper backlog a few more than asked for are settled by now.
        is_deep = plan.beside is Beside.WAITING
        settled = database.count_outcomes()["succeeded"] if is_deep else size.jobs
        end = read_meters(database, fleet)
        memory = fleet.memory()
        fleet.stop()
    _check(database, size, plan, before)
    return {
        "jobs_per_second": settled / seconds,
        **costs_of(start, end, settled),
        "worker_peak_mb": memory.peak_mb,
        "worker_final_mb": memory.now_mb,
    }


def preload(database: Database, size: Size, plan: Plan) -> None:
    """Write what is to be drained, and what stands beside it."""
    match plan.beside:
        case Beside.SCHEDULED:
            tomorrow = datetime.now(UTC) + timedelta(days=1)
            database.write_scheduled(Load(count=size.beside, kind=plan.kind, priority=5), tomorrow)
        case Beside.FINISHED:
            database.write_finished(plan.load(size.beside))
    is_deep = plan.beside is Beside.WAITING
    database.write_ready(plan.load(max(size.beside, size.jobs) if is_deep else size.jobs))


def read_meters(database: Database, fleet: Fleet) -> Reading:
    return Reading(fleet.cpu_seconds(), database.cpu_seconds(), database.wal_bytes())


def _await_settled(database: Database, fleet: Fleet, last: str, plan: Plan) -> None:
    """Wait for the last job in the order of the claims, then for the stragglers."""

    def is_last_settled() -> bool:
        return not database.is_standing(last)

    def is_all_settled() -> bool:
        return not database.is_any_due()

    fleet.wait_until(is_last_settled, look_seconds=LOOK_SECONDS, most_seconds=MOST_SECONDS)
    if plan.beside is not Beside.WAITING:
        fleet.wait_until(is_all_settled, look_seconds=LOOK_SECONDS, most_seconds=MOST_SECONDS)


def _check(database: Database, size: Size, plan: Plan, before: int) -> None:
    outcomes = database.count_outcomes()
    standing = database.count_standing()
    deep = max(size.beside, size.jobs) if plan.beside is Beside.WAITING else 0
    later = size.beside if plan.beside is Beside.SCHEDULED else 0
    wanted = {"succeeded": (deep - standing if deep else size.jobs) + before}
    if plan.kind == failing.name:
        wanted["failed"] = size.jobs
    found = {state: outcomes.get(state, 0) for state in ("succeeded", "failed", "dead", "lapsed")}
    if found != {"succeeded": 0, "failed": 0, "dead": 0, "lapsed": 0, **wanted} or not (
        deep or standing == later
    ):
        raise BenchFailed(f"{standing} jobs are left, and attempts ended {found}, not {wanted}")


def costs_of(start: Reading, end: Reading, jobs: int) -> Figures:
    figures = {"worker_cpu_us_per_job": (end.worker_cpu - start.worker_cpu) / jobs * 1e6}
    if start.database_cpu is not None and end.database_cpu is not None:
        figures["database_cpu_us_per_job"] = (end.database_cpu - start.database_cpu) / jobs * 1e6
    if start.wal is not None and end.wal is not None:
        figures["wal_bytes_per_job"] = (end.wal - start.wal) / jobs
    return figures
