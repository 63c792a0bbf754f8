"""Runs jobs while workers are killed and stopped and the database crashes, then checks it all."""

from __future__ import annotations

import contextlib
import random
import time
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import leasehold as lh
from tests.faults.checker import check
from tests.faults.figures import Faults, Figures, make_figures
from tests.faults.fleet import Fleet, Member
from tests.faults.history import read_history
from tests.faults.orders import Order, Producer, make_orders
from tests.faults.worker_main import WorkerOptions

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.faults.checker import Violation
    from tests.faults.target import Target

_LOOK_SECONDS = 0.05
_LEAST_AWAKE = 2
_FAULTS_END_AT = 0.9  # of the jobs: the rest must show that all goes on


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much of what. Everything random follows from the seed, but for the machine's timing."""

    jobs: int
    kills: int
    stops: int
    crashes: int
    seed: int
    workers: int = 6
    slots: int = 8
    lease_seconds: float = 2.0
    most_inside_ms: int = 10
    most_delay_seconds: float = 10.0
    limit_seconds: float = 600.0

    def schedule(self, chance: random.Random) -> list[str]:
        """The faults, in their order."""
        faults = ["kill"] * self.kills + ["stop"] * self.stops + ["crash"] * self.crashes
        chance.shuffle(faults)
        return faults


class TooSlowError(Exception):
    """The campaign did not end in its time: something sticks."""


class Campaign:
    """One run. `violations` holds what the checker found."""

    def __init__(self, plan: Plan, target: Target, folder: Path) -> None:
        self._plan = plan
        self._target = target
        self._chance = random.Random(plan.seed)
        self._orders = make_orders(
            plan.jobs,
            self._chance,
            most_inside_ms=plan.most_inside_ms,
            most_delay_seconds=plan.most_delay_seconds,
        )
        options = WorkerOptions(
            url=target.url, slots=plan.slots, lease=plan.lease_seconds, poll=0.2, grace=5.0
        )
        self._fleet = Fleet(options, folder, plan.workers)
        self._give_up = 0.0
        self.violations: list[Violation] = []

    def run(self) -> Figures:
        started = time.monotonic()
        self._give_up = started + self._plan.limit_seconds
        first, rest = self._orders[: len(self._orders) // 2], self._orders[len(self._orders) // 2 :]
        with contextlib.closing(lh.Client(self._target.url)) as client, self._fleet:
            _enqueue(client, first)
            producer = Producer(client, rest)
            producer.start()
            try:
                self._strike_all()
                self._wait(lambda: producer.is_done and self._is_drained())
            finally:
                producer.stop()
            self._fleet.stop()
        return self._sum_up(time.monotonic() - started, producer.repeats)

    def _strike_all(self) -> None:
        schedule = self._plan.schedule(self._chance)
        for number, fault in enumerate(schedule):
            due_at = int(len(self._orders) * _FAULTS_END_AT * number / len(schedule))
            self._wait(partial(self._has_ended, due_at))
            self._strike(fault)

    def _strike(self, fault: str) -> None:
        if fault == "crash":
            self._target.crash()
            return
        victim = self._choose()
        if fault == "kill":
            self._fleet.kill(victim)
        else:
            # Long enough that the others see its leases lapsed twice and take them back.
            self._fleet.pause(victim, self._plan.lease_seconds * self._chance.uniform(1.7, 2.3))

    def _choose(self) -> Member:
        """A worker amid its jobs; never so many at once that nobody is left to go on."""
        found: list[Member] = []

        def look() -> bool:
            awake = self._fleet.awake
            busy = self._target.busy_workers() if len(awake) > _LEAST_AWAKE else set()
            found[:] = [each for each in awake if each.name in busy]
            return bool(found)

        self._wait(look)
        return self._chance.choice(found)

    def _has_ended(self, jobs: int) -> bool:
        return self._target.count_ended() >= jobs

    def _is_drained(self) -> bool:
        is_awake = all(each.continue_at is None for each in self._fleet.living)
        return is_awake and self._target.count_live() == 0

    def _wait(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._fleet.tend()
            if time.monotonic() > self._give_up:
                live, ended = self._target.count_live(), self._target.count_ended()
                raise TooSlowError(f"{live} jobs live, {ended} of {self._plan.jobs} ended")
            time.sleep(_LOOK_SECONDS)

    def _sum_up(self, seconds: float, repeats: int) -> Figures:
        expected = {str(order.id): order.expected for order in self._orders}
        history = read_history(self._target.url, expected)
        self.violations = check(history)
        return make_figures(
            store=self._target.store,
            seed=self._plan.seed,
            seconds=seconds,
            history=history,
            violations=self.violations,
            faults=Faults(
                kills=self._plan.kills,
                stops=self._plan.stops,
                crashes=self._plan.crashes,
                repeated_enqueues=repeats,
                late_writes_refused=self._fleet.count_events("late write refused")
                + self._fleet.count_events("lease lost"),
            ),
        )


def _enqueue(client: lh.Client, orders: list[Order]) -> None:
    client.enqueue_many(order.call for order in orders)
