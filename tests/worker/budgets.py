"""Random mixes of jobs under random budgets: no run may outlast its budget by more than a step.

`python -m tests.worker.budgets` runs 200 on both stores and prints figures; CI runs a few.
"""

from __future__ import annotations

import argparse
import logging
import random
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import leasehold as lh
from leasehold.errors import StoreUnavailable
from leasehold.worker import Report
from tests.postgres_server import PostgresServer
from tests.worker import budget_tasks

# What a run may take beyond the longest step that nobody can interrupt: threads need their turn.
SLACK_SECONDS = 0.25
LATE_SECONDS = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mix:
    """Jobs of random manners and lengths, and how they are run."""

    seed: int
    budget: float
    slots: int
    jobs: tuple[tuple[str, float, float], ...]  # task, seconds, step

    @property
    def longest_step(self) -> float:
        """The longest that a handler which nobody can interrupt may go on."""
        steps = [_uninterruptible(name, seconds, step) for name, seconds, step in self.jobs]
        return max(steps, default=0.0)


@dataclass(slots=True, kw_only=True)
class Ran:
    """What a run came to."""

    mix: Mix
    seconds: float
    report: Report | None  # None when it could not start in time
    faults: list[str] = field(default_factory=list)

    @property
    def over(self) -> float:
        return self.seconds - self.mix.budget


def _uninterruptible(name: str, seconds: float, step: float) -> float:
    match name:
        case "stubborn" | "awaiting.stubborn":
            return seconds
        case "deaf" | "awaiting.blocking":
            return step
        case _:
            return 0.05


def draw_mix(seed: int) -> Mix:
    """Make a mix; the same seed makes the same one."""
    chance = random.Random(seed)
    names = [task.name for task in budget_tasks.ALL]
    weights = [6, 4, 1, 2, 6, 1, 1, 2, 1]
    jobs = tuple(
        (name, chance.choice([0.01, 0.05, 0.2, 0.6, 2.0, 4.0]), chance.uniform(0.02, 0.4))
        for name in chance.choices(names, weights, k=chance.randint(3, 40))
    )
    return Mix(
        seed=seed,
        budget=chance.uniform(0.5, 2.5),
        slots=chance.choice([1, 2, 4, 8]),
        jobs=jobs,
    )


def run_mix(url: str, mix: Mix) -> list[Ran]:
    """Run it twice: the second run has measured durations to go by."""
    with lh.Client(url) as client:
        tasks = {task.name: task for task in budget_tasks.ALL}
        client.enqueue_many(tasks[name].call(seconds, step) for name, seconds, step in mix.jobs)
        return [_run(client, mix) for _ in range(2)]


def _run(client: lh.Client, mix: Mix) -> Ran:
    before = _outcomes(client)
    started = time.monotonic()
    worker = lh.Worker(client, budget_tasks.ALL, slots=mix.slots, poll="100ms")
    try:
        report = worker.run(budget=mix.budget)
    except StoreUnavailable:  # it could not even start in time
        return Ran(mix=mix, seconds=time.monotonic() - started, report=None)
    ran = Ran(mix=mix, seconds=time.monotonic() - started, report=report)
    _wait_for_late_ones(client)
    ran.faults += _faults(client, report, _outcomes(client) - before)
    return ran


def _wait_for_late_ones(client: lh.Client) -> None:
    """A claim that was under way at the end is handed back by its thread; nobody waits for it."""
    deadline = time.monotonic() + LATE_SECONDS
    while client.find(state="running", limit=1) and time.monotonic() < deadline:
        time.sleep(0.01)


def _outcomes(client: lh.Client) -> Counter[str]:
    return Counter(attempt.outcome for job in client.each() for attempt in client.history(job.id))


def _faults(client: lh.Client, report: Report, written: Counter[str]) -> list[str]:
    """What the store must say after a run: nothing runs, what was reported was written."""
    faults = []
    running = [(job.kind, str(job.id)) for job in client.find(state="running")]
    if running:
        faults.append(f"still leased: {running}")
    faults += [
        f"{outcome}: reported {getattr(report, outcome)}, written {written[outcome]}"
        for outcome in ("succeeded", "failed", "dead", "released")
        if getattr(report, outcome) > written[outcome]  # what lingered is not in the report
    ]
    charged = [job for job in client.each() if job.failures and job.kind != "failing"]
    if charged:
        faults.append(f"charged: {charged}")
    waiting = [job for job in client.find(state="queued") if job.kind not in report.unfit]
    if report.reason == "empty" and waiting:
        faults.append(f"ended empty with {len(waiting)} waiting")
    return faults


def allowed_seconds(mix: Mix, slack: float = SLACK_SECONDS) -> float:
    """How long a run of this mix may take."""
    return mix.budget + mix.longest_step + slack


def main() -> int:
    """Run the long form."""
    parser = argparse.ArgumentParser(prog="python -m tests.worker.budgets", description=__doc__)
    parser.add_argument("--mixes", type=int, default=200)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    given = parser.parse_args()
    logging.disable()  # handlers that are abandoned are the point of it
    ran: list[Ran] = []
    with ExitStack() as stack:
        server = stack.enter_context(PostgresServer())
        for number in range(given.mixes):
            mix = draw_mix(given.seed + number)
            folder = stack.enter_context(tempfile.TemporaryDirectory())
            url = server.create_database() if number % 2 else f"sqlite:///{folder}/jobs.db"
            if number % 2:
                lh.Client(url).store.migrate()
            ran += run_mix(url, mix)
            _show(number, ran[-2:])
    return _sum_up(ran, given.seed)


def _show(number: int, ran: list[Ran]) -> None:
    for each in ran:
        late = each.seconds > allowed_seconds(each.mix)
        if late or each.faults:
            print(number, each.mix, f"{each.seconds:.2f} s", each.report, each.faults)


def _sum_up(ran: list[Ran], seed: int) -> int:
    overs = sorted(each.over for each in ran)
    reports = [each.report for each in ran if each.report is not None]
    reasons = Counter(str(report.reason) for report in reports)
    late = [each for each in ran if each.seconds > allowed_seconds(each.mix)]
    figures: dict[str, Any] = {
        "seed": seed,
        "runs": len(ran),
        "could not start in time": len(ran) - len(reports),
        "reasons": dict(reasons),
        "succeeded": sum(report.succeeded for report in reports),
        "released": sum(report.released for report in reports),
        "abandoned": sum(report.abandoned for report in reports),
        "runs over their budget": sum(over > 0 for over in overs),
        "longest beyond the budget, s": round(max(overs), 3),
        "beyond budget and longest step": len(late),
        "runs with faults": sum(bool(each.faults) for each in ran),
    }
    for name, value in figures.items():
        print(f"{name}: {value}")
    return 1 if late or figures["runs with faults"] else 0


if __name__ == "__main__":
    sys.exit(main())
