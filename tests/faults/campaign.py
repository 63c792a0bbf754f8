"""Runs jobs while workers are killed and stopped and the database crashes, then checks it all."""

from __future__ import annotations

import contextlib
import random
import time
from collections import Counter
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
_EXTRA = 200
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
        self._client = lh.Client(target.url)
        self._orders = self._make_orders(plan.jobs)
        options = WorkerOptions(
            url=target.url, slots=plan.slots, lease=plan.lease_seconds, poll=0.2, grace=5.0
        )
        self._fleet = Fleet(options, folder, plan.workers)
        self._give_up = 0.0
        self._struck: Counter[str] = Counter()
        self.violations: list[Violation] = []

    def run(self) -> Figures:
        started = time.monotonic()
        self._give_up = started + self._plan.limit_seconds
        first, rest = self._orders[: len(self._orders) // 2], self._orders[len(self._orders) // 2 :]
        with contextlib.closing(self._client), self._fleet:
            _enqueue(self._client, first)
            producer = Producer(self._client, rest)
            producer.start()
            try:
                self._strike_all()
                self._wait(lambda: producer.is_done and self._is_drained())
            finally:
                producer.stop()
            self._fleet.stop()
        return self._sum_up(time.monotonic() - started, producer.repeats)

    def _make_orders(self, count: int) -> list[Order]:
        plan = self._plan
        return make_orders(
            count,
            self._chance,
            most_inside_ms=plan.most_inside_ms,
            most_delay_seconds=plan.most_delay_seconds,
        )

    def _strike_all(self) -> None:
        schedule = self._plan.schedule(self._chance)
        for number, fault in enumerate(schedule):
            due_at = int(len(self._orders) * _FAULTS_END_AT * number / len(schedule))
            self._wait(partial(self._has_ended, due_at))
            self._strike(fault)

    def _strike(self, fault: str) -> None:
        self._struck[fault] += 1
        if fault == "crash":
            self._target.crash()
            return
        victim = self._choose()
        if fault == "kill":
            self._fleet.kill(victim)
        else:
            # Others see its leases lapsed twice and take them back; see `_wake_overtaken`.
            self._fleet.pause(victim, self._plan.lease_seconds * 3)

    def _choose(self) -> Member:
        """A worker with its slots well filled; never so many that nobody is left to go on."""
        found: list[Member] = []

        def look() -> bool:
            awake = self._fleet.awake
            busy = self._target.count_leases() if len(awake) > _LEAST_AWAKE else {}
            found[:] = [each for each in awake if busy.get(each.name, 0) >= self._plan.slots / 2]
            if not found:
                self._feed()
            return bool(found)

        self._wait(look)
        return self._chance.choice(found)

    def _feed(self) -> None:
        """Ask for more than was planned when all is done and faults are left to strike."""
        if self._has_ended(len(self._orders)):
            more = self._make_orders(_EXTRA)
            self._orders += more
            _enqueue(self._client, more)

    def _has_ended(self, jobs: int) -> bool:
        return self._target.count_ended() >= jobs

    def _is_drained(self) -> bool:
        is_awake = all(each.continue_at is None for each in self._fleet.living)
        return is_awake and self._target.count_live() == 0

    def _wait(self, condition: Callable[[], bool]) -> None:
        while not condition():
            self._wake_overtaken()
            self._fleet.tend()
            if time.monotonic() > self._give_up:
                live, ended = self._target.count_live(), self._target.count_ended()
                raise TooSlowError(f"{live} jobs live, {ended} of {self._plan.jobs} ended")
            time.sleep(_LOOK_SECONDS)

    def _wake_overtaken(self) -> None:
        """Let a stopped worker go on at the worst moment: when another runs what was its job."""
        stopped = [each for each in self._fleet.living if each.continue_at is not None]
        overtaken = self._target.overtaken_workers() if stopped else set()
        for member in stopped:
            if member.name in overtaken:
                member.continue_at = time.monotonic()

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
                kills=self._struck["kill"],
                stops=self._struck["stop"],
                crashes=self._struck["crash"],
                repeated_enqueues=repeats,
                late_writes_refused=self._fleet.count_events("late write refused")
                + self._fleet.count_events("lease lost"),
            ),
        )


def _enqueue(client: lh.Client, orders: list[Order]) -> None:
    client.enqueue_many(order.call for order in orders)
