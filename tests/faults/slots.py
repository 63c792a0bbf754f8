"""Schedules under kills: five workers, a clock that is moved, and each slot is to be run once.

`python -m tests.faults.slots postgres|sqlite` is the long form: 10,000 slots.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import leasehold as lh
from tests.faults.forking import Forked
from tests.faults.slots_worker import SharedClock, note
from tests.faults.target import postgres_target, sqlite_target

if TYPE_CHECKING:
    from tests.faults.target import Target

_LOOK_SECONDS = 0.01
_MINUTE = timedelta(minutes=1)
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """So many schedules of each minute, for so many minutes; kills from outside, and by chance."""

    schedules: int
    minutes: int
    kills: int
    deaths: float
    workers: int = 5
    limit_seconds: float = 1_800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What was seen. A slot is lost without a job, doubled with two; so is a job without a slot."""

    slots: int
    jobs: int
    lost: int
    doubled: int
    kills: int
    seconds: float

    @property
    def is_exact(self) -> bool:
        return self.slots == self.jobs and not self.lost and not self.doubled


class Company:
    """Worker processes; one that is gone, by whatever hand, is replaced."""

    def __init__(self, url: str, file: Path, plan: Plan) -> None:
        self._url, self._file, self._plan = url, file, plan
        self.losses = 0
        self._members = [self._hire() for _ in range(plan.workers)]

    def kill_one(self, chance: random.Random) -> None:
        chance.choice(self._members).kill()

    def refill(self) -> None:
        for number, process in enumerate(self._members):
            if process.poll() is not None:
                self.losses += 1
                self._members[number] = self._hire()

    def dismiss(self) -> None:
        for process in self._members:
            process.kill()
            process.wait(30)

    def _hire(self) -> Forked:
        words = (self._url, str(self._file), str(self._plan.deaths))
        return Forked("tests.faults.slots_worker", *words)


def run(target: Target, folder: Path, plan: Plan, *, seed: int) -> Result:
    """Move the clock minute by minute, each time when all slots that have come are fired."""
    chance = random.Random(seed)
    clock = SharedClock(folder / "clock")
    started = time.monotonic()
    with lh.Client(target.url) as client:
        for number in range(plan.schedules):
            # Should a busy machine be a minute late, its slots are still to be run.
            client.schedules.set(f"s{number}", "every 1m", note, missed="all", missed_cap=1_000)
        first = {each.name: each.next_at for each in client.schedules.list()}
        company = Company(target.url, folder / "clock", plan)
        try:
            for minute in range(plan.minutes):
                clock.move(60.0)
                if plan.kills and minute % max(1, plan.minutes // plan.kills) == 0:
                    company.kill_one(chance)
                _await_firing(client, company, clock, started + plan.limit_seconds)
        finally:
            company.dismiss()
        ahead = {each.name: each.next_at for each in client.schedules.list()}
    expected = {
        (name, slot)
        for name, start in first.items()
        for slot in _minutes(start or _EPOCH, ahead[name] or _EPOCH)
    }
    return _judge(target, expected, company.losses, time.monotonic() - started)


def _await_firing(client: lh.Client, company: Company, clock: SharedClock, limit: float) -> None:
    while True:
        now = client.store.now() + timedelta(seconds=clock.seconds)
        if all(each.next_at and each.next_at > now for each in client.schedules.list()):
            return
        company.refill()
        assert time.monotonic() < limit, "slots are due and nobody fires them"
        time.sleep(_LOOK_SECONDS)


def _minutes(start: datetime, end: datetime) -> list[datetime]:
    return [start + number * _MINUTE for number in range((end - start) // _MINUTE)]


def _judge(
    target: Target, expected: set[tuple[str, datetime]], kills: int, seconds: float
) -> Result:
    rows = target.query(f"SELECT created_by, run_at FROM {target.name('job')}")  # noqa: S608
    found = Counter((_name(row["created_by"]), _moment(row["run_at"])) for row in rows)
    return Result(
        slots=len(expected),
        jobs=len(rows),
        lost=len(expected - found.keys()),
        doubled=sum(count - 1 for count in found.values()) + len(found.keys() - expected),
        kills=kills,
        seconds=round(seconds, 1),
    )


def _name(created_by: str) -> str:
    return created_by.removeprefix("schedule ")


def _moment(value: datetime | int) -> datetime:
    return value if isinstance(value, datetime) else _EPOCH + timedelta(microseconds=value)


def main() -> int:
    store = sys.argv[1]
    plan = Plan(schedules=20, minutes=500, kills=50, deaths=0.01)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-slots-"))
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        result = run(target, folder, plan, seed=random.randrange(2**32))
    print(store, plan, result, flush=True)
    return 0 if result.is_exact else 1


if __name__ == "__main__":
    sys.exit(main())
