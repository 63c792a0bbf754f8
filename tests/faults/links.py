"""Links enriched under kills, from a server that counts who is there at once.

`python -m tests.faults.links sqlite|postgres` is the long form: 1,000 domains with one link each,
one domain with 1,000, four worker processes, 20 kills.
"""

from __future__ import annotations

import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from uuid import UUID

from sqlalchemy import select

import leasehold as lh
from leasehold.kit.data import Database
from leasehold_links.data.migrating import MIGRATIONS
from leasehold_links.data.tables import canonical
from leasehold_links.tasks import import_file
from tests.faults.target import Target, postgres_target, sqlite_target
from tests.links.jobs.kit import begin_import
from tests.links.many_web import ManyWeb, Record

BIG = "big.test"
_LOOK_SECONDS = 0.05


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """So many domains with a link each, one with so many, and what is done to the workers."""

    domains: int
    links: int  # of the one domain
    kills: int
    workers: int = 4
    lease_seconds: float = 2.0
    answer_seconds: float = 0.01
    limit_seconds: float = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What the server counted, and what became of the links.

    `small_*` and `big_seconds`: when domains were done, counted from the first answer; of those
    with one link each, half of them, nine of ten, and all.
    """

    most_at_once: int
    most_at_big: int
    states: dict[str, int]
    twice_succeeded: int
    lapsed: int
    dead_for_another_reason: int  # than three killed workers: it is taken for the cause
    fetched_again: int
    fetched_again_without_a_kill: int
    small_half_seconds: float
    small_nine_tenths_seconds: float
    small_all_seconds: float
    big_seconds: float
    seconds: float


class Company:
    """Worker processes; a killed one is replaced."""

    def __init__(self, url: str, web: ManyWeb, plan: Plan) -> None:
        self._words = [sys.executable, "-m", "tests.faults.links_worker", url]
        self._words.append(str(plan.lease_seconds))
        self._environment = {**os.environ, **web.environment}
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
            process.wait(60)

    def _hire(self) -> subprocess.Popen[bytes]:
        return subprocess.Popen(self._words, env=self._environment)


def run(target: Target, plan: Plan, *, seed: int) -> Result:
    """Import, and enrich while workers are killed, until every link has ended."""
    chance = random.Random(seed)
    with ManyWeb(plan.answer_seconds) as web, lh.Client(target.url) as client:
        jobs = prepare(client, web, plan)
        started = time.monotonic()
        company = Company(target.url, web, plan)
        try:
            strike(target, web, company, plan, chance)
        finally:
            company.dismiss()
        seconds = time.monotonic() - started
        return judge(client, jobs, web.record(), plan, seconds)


def prepare(client: lh.Client, web: ManyWeb, plan: Plan) -> dict[str, UUID]:
    """Import all links, those of the one domain first; returns their jobs by their addresses."""
    big = [f"{BIG}:{web.port}/{number}" for number in range(plan.links)]
    small = [f"d{number}.test:{web.port}/" for number in range(plan.domains)]
    entries = "".join(f'<DT><A HREF="http://{address}">x</A>' for address in big + small)
    text = f"<!DOCTYPE NETSCAPE-Bookmark-file-1><DL>{entries}</DL>"
    with closing(Database(client.url)) as database:
        MIGRATIONS.migrate(client)
        begin_import(client, database, text.encode())
        lh.Worker(client, [import_file]).run(until_empty=True)
        with database.read() as connection:
            found = connection.execute(select(canonical.c.url, canonical.c.job_id))
            return {url.replace(f":{web.port}", "")[7:]: job_id for url, job_id in found}


def strike(
    target: Target, web: ManyWeb, company: Company, plan: Plan, chance: random.Random
) -> None:
    """Kill workers, spread over the links, until all of them have ended."""
    give_up = time.monotonic() + plan.limit_seconds
    total = plan.links + plan.domains
    while not web.record().pages:  # none is there yet
        _rest(give_up, "no worker came")
    kills = 0
    while (live := target.count_live()) > 0:
        if kills < plan.kills and total - live >= total * 0.9 * kills / plan.kills:
            company.kill_one(chance)
            kills += 1
        _rest(give_up, f"{live} of {total} links have not ended in {plan.limit_seconds} s")
    assert kills == plan.kills, f"only {kills} kills"


def _rest(give_up: float, complaint: str) -> None:
    if time.monotonic() > give_up:
        raise AssertionError(complaint)
    time.sleep(_LOOK_SECONDS)


def judge(
    client: lh.Client, jobs: dict[str, UUID], record: Record, plan: Plan, seconds: float
) -> Result:
    histories = {url: Counter(_outcomes(client, job_id)) for url, job_id in jobs.items()}
    again = {
        url: count - 1
        for url, count in record.pages.items()
        if count > 1 and not url.endswith("/robots.txt")
    }
    small = sorted(at - record.began for name, at in record.ended.items() if name != BIG)
    assert len(jobs) == plan.links + plan.domains
    return Result(
        most_at_once=max(record.most.values()),
        most_at_big=record.most[BIG],
        states=dict(Counter(str(client.get(job_id).state) for job_id in jobs.values())),
        twice_succeeded=sum(each["succeeded"] > 1 for each in histories.values()),
        lapsed=sum(each["lapsed"] for each in histories.values()),
        dead_for_another_reason=sum(_died_otherwise(client, each) for each in jobs.values()),
        fetched_again=sum(again.values()),
        fetched_again_without_a_kill=sum(
            count > histories[url]["lapsed"] for url, count in again.items()
        ),
        small_half_seconds=round(statistics.median(small), 2),
        small_nine_tenths_seconds=round(small[len(small) * 9 // 10], 2),
        small_all_seconds=round(small[-1], 2),
        big_seconds=round(record.ended[BIG] - record.began, 2),
        seconds=round(seconds, 2),
    )


def _died_otherwise(client: lh.Client, job_id: UUID) -> bool:
    job = client.get(job_id)
    return job.state is lh.State.DEAD and not (job.error or "").startswith("lapsed")


def _outcomes(client: lh.Client, job_id: UUID) -> list[str]:
    return [each.outcome for each in client.history(job_id)]


def is_good(plan: Plan, result: Result) -> bool:
    """Whether nothing of what is promised was broken."""
    return (
        result.most_at_once <= 2
        and result.twice_succeeded == 0
        and result.dead_for_another_reason == 0
        and result.fetched_again_without_a_kill == 0
        and sum(result.states.values()) == plan.links + plan.domains
        and set(result.states) <= {"succeeded", "dead"}
        and result.small_half_seconds < result.big_seconds
    )


def main() -> int:
    plan = Plan(domains=1_000, links=1_000, kills=20)
    folder = Path(tempfile.mkdtemp(prefix="leasehold-links-"))
    seed = random.randrange(2**32)
    with sqlite_target(folder) if sys.argv[1] == "sqlite" else postgres_target() as target:
        result = run(target, plan, seed=seed)
    print(sys.argv[1], f"seed={seed}", plan)
    for name, value in asdict(result).items():
        print(f"  {name}: {value}")
    return 0 if is_good(plan, result) else 1


if __name__ == "__main__":
    sys.exit(main())
