"""A workflow of many jobs: a chain, fans out and in, a branch that fails, a join all the same.

A worker of its jobs in a process of its own: `python -m tests.faults.flow URL LEASE`.
"""

from __future__ import annotations

import random
import sys
import time
from dataclasses import dataclass
from typing import Any

import leasehold as lh
from leasehold.model.states import State

LONGEST_SECONDS = 0.02


def work() -> None:
    """Take long enough for some to be there when their worker is killed."""
    time.sleep(random.uniform(0, LONGEST_SECONDS))


@lh.task(name="prepare", max_attempts=100)
def prepare() -> None:
    work()


@lh.task(name="fetch", max_attempts=100)
def fetch(number: int) -> int:
    work()
    return number


@lh.task(name="parse", max_attempts=100)
def parse() -> int:
    work()
    return 2 * lh.current_job().result_of(fetch)


@lh.task(name="merge", max_attempts=100)
def merge() -> int:
    return sum(lh.current_job().results_of(parse))


@lh.task(name="check", max_attempts=100)
def check(fault: str) -> None:
    work()
    if fault:
        raise lh.Dead(fault)


@lh.task(name="refine", max_attempts=100)
def refine() -> None:
    work()


@lh.task(name="audit", max_attempts=100)
def audit() -> None: ...


@lh.task(name="announce", max_attempts=100)
def announce() -> int:
    """Run as soon as one has been refined."""
    return sum(each.state is State.SUCCEEDED for each in lh.current_job().predecessors)


@lh.task(name="clean_up", max_attempts=100)
def clean_up() -> list[str]:
    return [str(each.state) for each in lh.current_job().predecessors]


TASKS: list[lh.Task[..., Any]] = [
    prepare,
    fetch,
    parse,
    merge,
    check,
    refine,
    audit,
    announce,
    clean_up,
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Size:
    """How much of what; of the checked ones every tenth is bad."""

    chain: int = 6
    pages: int = 396
    checks: int = 99

    @property
    def jobs(self) -> int:
        return self.chain + 2 * self.pages + 2 * self.checks + 4

    @property
    def bad(self) -> int:
        return sum(is_bad(number) for number in range(self.checks))


def is_bad(number: int) -> bool:
    return number % 10 == 3


def build(size: Size) -> lh.Workflow:
    """Put it together: 1,000 jobs, by default."""
    flow = lh.Workflow("catalogue")
    ready = flow.chain(*(prepare.call() for _ in range(size.chain)))[-1]
    pages = flow.fan_out((fetch.call(number) for number in range(size.pages)), after=ready)
    parsed = [flow.add(parse.call(), after=page) for page in pages]
    merged = flow.add(merge.call(), after=parsed)
    faults = ["bad" if is_bad(number) else "" for number in range(size.checks)]
    checked = flow.fan_out((check.call(fault) for fault in faults), after=ready)
    refined = [flow.add(refine.call(), after=each) for each in checked]
    audited = flow.add(audit.call(), after=refined)
    flow.add(announce.call(), after=refined, after_any=True)
    flow.add(clean_up.call(), after=[merged, audited], even_if_failed=True)
    return flow


def declared(flow: lh.Workflow) -> dict[str, State]:
    """Say how each step is to end, by the words of the guide and nothing else."""
    ends: dict[str, State] = {}
    for step in flow:  # they were added in an order in which none stands before what it needs
        before = [ends[each.name] for each in flow.before(step)]
        good = [step.even_if_failed or each is State.SUCCEEDED for each in before]
        if before and not (any(good) if step.after_any else all(good)):
            ends[step.name] = State.CANCELLED
        else:
            ends[step.name] = State.DEAD if b"bad" in bytes(step.call.args) else State.SUCCEEDED
    return ends


def main() -> None:
    url, lease = sys.argv[1:]
    lh.Worker(lh.Client(url), TASKS, slots=10, lease=float(lease), poll=0.2).run()


if __name__ == "__main__":
    main()
