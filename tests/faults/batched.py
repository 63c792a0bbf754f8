"""Batches under kills: one callback each, after the last member, and progress that only grows.

`python -m tests.faults.batched postgres|sqlite [ROUNDS [LARGE]]` is the long form: 100 batches, ten
of them with 10,000 members, and workers killed at random moments of each.
"""

from __future__ import annotations

import random
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import leasehold as lh
from leasehold.model.ids import derive_id
from tests.faults.batched_worker import UNITS, adder, ended, member
from tests.faults.forking import Forked
from tests.faults.target import Target, postgres_target, sqlite_target

if TYPE_CHECKING:
    from leasehold.model.batches import BatchInfo

LARGE = 10_000
LOOK_SHARE = 4  # rests so many times as long as a look took: it counts all members
_LOOK_SECONDS = 0.02
CALLED_TABLE = """
CREATE TABLE called (batch text, job text, total integer, succeeded integer, live integer)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How much of what: members that are there at the seal, and those that members add later."""

    sizes: tuple[int, ...]
    kills: int = 3
    workers: int = 3
    limit_seconds: float = 180.0
    member_seconds: float = 0.01  # of batches that are not large

    @property
    def members(self) -> int:
        return sum(self.sizes)


@dataclass(slots=True, kw_only=True)
class Result:
    """What was seen."""

    batches: int = 0
    members: int = 0
    kills: int = 0
    looks: int = 0
    callbacks: int = 0
    seconds: float = 0.0
    slowest_seconds: float = 0.0  # from a batch's last end to its callback's, as the stores see it
    wrong: list[str] = field(default_factory=list)


class Company:
    """Worker processes; a killed one is replaced."""

    def __init__(self, url: str, workers: int) -> None:
        self._url = url
        self._members = [self._hire() for _ in range(workers)]

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
        return Forked("tests.faults.batched_worker", self._url)


class Watch:
    """Looks at one batch again and again, and notes what ought not to be."""

    def __init__(self, result: Result, expected: int) -> None:
        self._result = result
        self._expected = expected
        self._ended = 0
        self._processed = 0.0
        self._total = 0

    def look(self, info: BatchInfo) -> None:
        counts, processed = info.counts, info.processed or 0.0
        states = (counts.queued, counts.blocked, counts.running, counts.failed, counts.ended)
        self._result.looks += 1
        self._refuse(sum(states) != counts.total, f"counts do not add up: {counts}")
        self._refuse(counts.ended < self._ended, f"ended {self._ended} -> {counts.ended}")
        self._refuse(processed < self._processed, f"units {self._processed} -> {processed}")
        self._refuse(counts.total < self._total, f"total {self._total} -> {counts.total}")
        self._refuse(counts.dead + counts.cancelled > 0, f"some failed: {counts}")
        is_over = info.ended_at is not None
        self._refuse(is_over and counts.ended < counts.total, f"ended too early: {counts}")
        self._ended, self._processed, self._total = counts.ended, processed, counts.total

    def conclude(self, info: BatchInfo, reporting: int) -> None:
        self.look(info)
        self._refuse(info.counts.succeeded != self._expected, f"not exact: {info.counts}")
        units = reporting * UNITS
        self._refuse(info.processed != units, f"{info.processed} units instead of {units}")
        self._refuse(info.total_units != units, f"{info.total_units} in all instead of {units}")

    def _refuse(self, is_wrong: bool, what: str) -> None:  # noqa: FBT001 - reads as a sentence
        if is_wrong:
            self._result.wrong.append(what)


@dataclass(slots=True)
class Campaign:
    """Runs one batch after the other while workers are killed."""

    target: Target
    client: lh.Client
    company: Company
    plan: Plan
    chance: random.Random
    result: Result

    def run_one(self, size: int) -> lh.Batch:
        """Fill a batch, kill workers at random moments of it, and wait for its callback."""
        batch = self._fill(size)
        kills = [*(self.chance.random() for _ in range(self.plan.kills - 1)), 1 - 1 / size]
        marks = sorted(share * (size + 1) for share in kills)
        watch = Watch(self.result, size + 1)
        give_up = time.monotonic() + self.plan.limit_seconds
        while not _calls(self.target, batch):
            began = time.monotonic()
            info = batch.info()
            watch.look(info)
            rest = max(_LOOK_SECONDS, LOOK_SHARE * (time.monotonic() - began))
            while marks and info.counts.ended >= marks[0]:
                marks.pop(0)
                self.company.kill_one(self.chance)
                self.result.kills += 1
            if time.monotonic() > give_up:
                raise AssertionError(f"no callback in {self.plan.limit_seconds} s: {info}")
            time.sleep(rest)
        watch.conclude(batch.info(), size)
        self.result.batches += 1
        self.result.members += size + 1
        return batch

    def _fill(self, size: int) -> lh.Batch:
        """Add nine members of ten; the rest is added from inside, after the seal."""
        added = max(1, size // 10)
        seconds = 0.0 if size >= LARGE // 2 else self.plan.member_seconds
        with self.client.batches.create(on_end=ended) as batch:
            batch.add(adder, added)
            batch.add_many(member.call(seconds) for _ in range(size - added))
        return batch


def run(target: Target, plan: Plan, *, seed: int) -> Result:
    """Run all batches of the plan; what was wrong stands in the result."""
    target.query(CALLED_TABLE)
    result = Result()
    started = time.monotonic()
    company = Company(target.url, plan.workers)
    try:
        with lh.Client(target.url) as client:
            campaign = Campaign(target, client, company, plan, random.Random(seed), result)
            batches = [campaign.run_one(size) for size in plan.sizes]
            _check_all(client, target, batches, result)
    finally:
        company.dismiss()
    result.seconds = time.monotonic() - started
    return result


def _check_all(client: lh.Client, target: Target, batches: list[lh.Batch], result: Result) -> None:
    """When nothing is left to do: each batch has called back once, after its last member."""
    give_up = time.monotonic() + 60
    while target.count_live() and time.monotonic() < give_up:
        time.sleep(_LOOK_SECONDS)
    for batch in batches:
        calls = _calls(target, batch)
        result.callbacks += len(calls)
        expected = batch.info().counts.total
        told = [(row["job"], row["total"], row["succeeded"], row["live"]) for row in calls]
        right = [(str(derive_id(batch.id, "end:1")), expected, expected, 0)]
        if told != right:
            result.wrong.append(f"{batch}: called back {told} instead of {right}")
        _check_order(client, target, batch, result)
    made = target.query(
        f"SELECT count(*) AS count FROM {target.name('job')} WHERE kind = 'ended'"  # noqa: S608
    )
    if made[0]["count"] != len(batches):
        result.wrong.append(f"{made[0]['count']} callbacks of {len(batches)} batches")


def _check_order(client: lh.Client, target: Target, batch: lh.Batch, result: Result) -> None:
    """The callback was made after the last member's end, by the database's own clock."""
    rows = target.query(
        f"SELECT max(finished_at) AS last FROM {target.name('outcome')} AS outcome"  # noqa: S608
        f" JOIN {target.name('job')} AS job ON job.id = outcome.job_id"
        f" WHERE job.batch = '{batch.id}'"
    )
    made = client.get(derive_id(batch.id, "end:1")).created_at
    waited = made.timestamp() - _seconds(rows[0]["last"])
    result.slowest_seconds = max(result.slowest_seconds, waited)
    if waited < 0:
        result.wrong.append(f"{batch}: called back {-waited:.6f} s before its last member's end")


def _seconds(moment: Any) -> float:
    return moment / 1e6 if isinstance(moment, int) else float(moment.timestamp())


def _calls(target: Target, batch: lh.Batch) -> list[dict[str, Any]]:
    return target.query(f"SELECT * FROM called WHERE batch = '{batch.id}'")  # noqa: S608


def main() -> int:
    store, rounds, large = sys.argv[1], *map(int, [*sys.argv[2:], "100", "10"][:2])
    if len(sys.argv) == 3:
        large = min(10, rounds)
    chance = random.Random()
    sizes = [LARGE] * large + [chance.randrange(50, 500) for _ in range(rounds - large)]
    chance.shuffle(sizes)
    plan = Plan(sizes=tuple(sizes), kills=3, limit_seconds=300)
    seed = chance.randrange(2**32)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-batched-"))
    with sqlite_target(folder) if store == "sqlite" else postgres_target() as target:
        result = run(target, plan, seed=seed)
    print(
        f"{store}: {result.callbacks} callbacks of {result.batches} batches "
        f"({large} with {LARGE:,} members), {result.members:,} members, {result.kills} kills, "
        f"{result.looks:,} looks, slowest callback {result.slowest_seconds:.2f} s after the last "
        f"member, {result.seconds:.0f} s, seed {seed}"
    )
    for what in result.wrong:
        print("WRONG:", what)
    return 1 if result.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
