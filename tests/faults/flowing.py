"""A workflow of 1,000 jobs under kills: each step must end as it is declared, none too soon.

`python -m tests.faults.flowing postgres|sqlite` is the long form: ten of them, 40 kills each.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import leasehold as lh
from leasehold.model.states import State
from tests.faults.flow import Size, build, declared
from tests.faults.forking import Forked
from tests.faults.target import Target, postgres_target, sqlite_target

if TYPE_CHECKING:
    from leasehold.model.values import Job
    from leasehold.workflow import StartedWorkflow

_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much of what."""

    size: Size = field(default_factory=Size)
    kills: int = 40
    workers: int = 4
    lease_seconds: float = 1.5
    limit_seconds: float = 300.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was seen: what did not end as declared, what began too soon, and figures."""

    astray: dict[str, str]
    too_soon: list[str]
    states: dict[str, int]
    lapses: int
    seconds: float


class Company:
    """Worker processes; a killed one is replaced."""

    def __init__(self, url: str, plan: Plan) -> None:
        self._url = url
        self._plan = plan
        self._members = [self._hire() for _ in range(plan.workers)]

    def kill_one(self, chance: random.Random) -> None:
        process = self._members.pop(chance.randrange(len(self._members)))
        process.kill()
        process.wait()
        self._members.append(self._hire())

    def dismiss(self) -> None:
        for process in self._members:
            process.terminate()
        for process in self._members:
            process.wait(30)

    def _hire(self) -> Forked:
        return Forked("tests.faults.flow", self._url, str(self._plan.lease_seconds))


def run(target: Target, plan: Plan, *, seed: int) -> Result:
    """Start the workflow and kill workers until it has ended."""
    chance = random.Random(seed)
    flow = build(plan.size)
    with lh.Client(target.url) as client:
        company = Company(target.url, plan)
        began = time.monotonic()
        try:
            before = target.count_ended()
            started = client.start(flow)
            strike(target, company, plan, chance, before)
        finally:
            company.dismiss()
        seconds = time.monotonic() - began
        jobs = {name: client.get(job_id) for name, job_id in started.ids.items()}
    return judge(flow, started, jobs, seconds)


def strike(
    target: Target, company: Company, plan: Plan, chance: random.Random, before: int
) -> None:
    """Kill workers, spread over the jobs, until all have ended."""
    give_up = time.monotonic() + plan.limit_seconds
    kills = 0
    while (ended := target.count_ended() - before) < plan.size.jobs:
        if kills < plan.kills and ended >= plan.size.jobs * 0.95 * kills / plan.kills:
            company.kill_one(chance)
            kills += 1
        if time.monotonic() > give_up:
            raise AssertionError(f"{ended} of {plan.size.jobs} ended in {plan.limit_seconds} s")
        time.sleep(_LOOK_SECONDS)


def judge(
    flow: lh.Workflow, started: StartedWorkflow, jobs: dict[str, Job], seconds: float
) -> Result:
    """Compare what became of each step with what was declared."""
    wanted = declared(flow)
    astray = {
        name: f"{job.state} instead of {wanted[name]}"
        for name, job in jobs.items()
        if job.state is not wanted[name]
    }
    return Result(
        astray=astray,
        too_soon=[step.name for step in flow if began_too_soon(flow, step, jobs)],
        states=dict(Counter(str(job.state) for job in jobs.values())),
        lapses=sum(job.lapses for job in jobs.values()),
        seconds=seconds,
    )


def began_too_soon(flow: lh.Workflow, step: lh.WorkflowStep, jobs: dict[str, Job]) -> bool:
    """Whether it began before those it waits for had ended, or before the first of them."""
    job = jobs[step.name]
    ends = [jobs[each.name].finished_at for each in flow.before(step)]
    if job.state is State.CANCELLED or not ends:
        return False
    moments = sorted(end for end in ends if end is not None)
    needed = moments[0] if step.after_any else moments[-1]
    return job.started_at is None or job.started_at < needed


def main() -> int:
    store = sys.argv[1]
    plan = Plan()
    seed = random.randrange(2**32)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-flowing-"))
    is_clean = True
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        for number in range(10):
            result = run(target, plan, seed=seed + number)
            print(store, seed + number, result, flush=True)
            is_clean = is_clean and not result.astray and not result.too_soon
    return 0 if is_clean else 1


if __name__ == "__main__":
    sys.exit(main())
