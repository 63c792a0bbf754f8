"""A job that saves is killed at every point once, and goes on where it was.

What a step writes in its transaction happens exactly once; a plain step's effect happens once more
at most, when the kill came between it and its memory; no page is saved twice.
"""

from __future__ import annotations

import signal
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import msgspec
import pytest

import leasehold as lh
from leasehold import testing
from tests.conformance.tables import open_tables
from tests.faults.forking import Forked
from tests.faults.stepping import EFFECT, stepping

if TYPE_CHECKING:
    from pathlib import Path

    from leasehold.model.ids import JobId
    from tests.faults.target import Target

MOST_ROUNDS = 4
WAIT_SECONDS = 120


@dataclass(frozen=True, kw_only=True)
class Killed:
    """What one process came to, and what its job had saved when it was gone."""

    job_id: JobId
    code: int
    last_point: str
    names: tuple[str, ...]
    cursor: Any
    steps: frozenset[str]
    plain: int  # how often its plain effect had happened


@pytest.fixture
def effects(target: Target) -> None:
    with open_tables(target.url) as tables:
        tables.execute(EFFECT)


def run(client: lh.Client, url: str, point: int, output: Path) -> Killed:
    """Run a job of its own in a process that is killed at that point; 0 kills nothing."""
    queue = f"point-{point}"
    job_id = client.enqueue(stepping.with_options(queue=queue), url).id
    words = msgspec.json.encode({"url": url, "queue": queue, "point": point}).decode()
    with output.open("wb") as file:
        code = Forked("tests.faults.stepping", words, output=file).wait(WAIT_SECONDS)
    said = output.read_text()
    lines = [line for line in said.splitlines() if line[:1].isdigit()]  # not what it logged
    assert lines, said
    checkpoint = client.checkpoint(job_id)
    with open_tables(url) as tables:
        happened = tables.execute("SELECT job FROM stepped WHERE name = 'plain'")
    return Killed(
        job_id=job_id,
        code=code,
        last_point=lines[-1].partition(" ")[2],
        names=tuple(line.partition(" ")[2] for line in lines),
        cursor=None if checkpoint is None else checkpoint.cursor,
        steps=frozenset(step.name for step in client.steps(job_id)),
        plain=sum(row["job"] == str(job_id) for row in happened),
    )


def take_back(client: lh.Client) -> None:
    """Take the leases of the killed back, as any worker would when they have lapsed."""
    store = client.store
    store.skew_seconds += 3600
    store.reclaim([(each, 0.0) for each in store.lapsed(limit=1000)])


def written(target: Target, name: str) -> Counter[str]:
    rows = target.query(f"SELECT job, token FROM stepped WHERE name = '{name}'")  # noqa: S608
    return Counter(row["job"] for row in rows)


def tokens(target: Target, job_id: JobId, name: str) -> set[str]:
    rows = target.query(
        f"SELECT token FROM stepped WHERE job = '{job_id}' AND name = '{name}'"  # noqa: S608
    )
    return {row["token"] for row in rows}


POINTS = {
    "before save",
    "after save",
    "after the plain effect, before its memory",
    "after the exact effect, before its memory",
    "saving is to be committed",
    "after saving",
    "before finish",
}


@pytest.mark.usefixtures("effects")
def test_a_job_that_is_killed_at_any_point_goes_on_and_its_effects_happen_once(
    client: lh.Client, target: Target, tmp_path: Path
) -> None:
    output = tmp_path / "output"
    whole = run(client, target.url, 0, output)
    assert whole.code == 0
    # When progress is written is a matter of time: a few points more are there, or not reached, and
    # the same number may be another point. So it goes on until each was met.
    points = range(1, len(whole.names) + 5)
    runs: list[Killed] = []
    met: set[str] = set()
    while not met >= POINTS:
        assert len(runs) < MOST_ROUNDS * len(points), POINTS - met
        runs += [run(client, target.url, point, output) for point in points]
        met = {each.last_point for each in runs if each.code == -signal.SIGKILL}

    take_back(client)
    testing.drain(client, [stepping], raises=True)
    plain, exact, page = (written(target, name) for name in ("plain", "exact", "page"))
    for each in [whole, *runs]:
        job, name = client.get(each.job_id), str(each.job_id)
        assert job.state is lh.State.SUCCEEDED, each
        assert (exact[name], page[name]) == (1, 1), each
        assert tokens(target, each.job_id, "exact") == {job.result["exact"]}
        assert plain[name] == each.plain + ("plain" not in each.steps), each
        assert job.result["plain"] in tokens(target, each.job_id, "plain")
        checkpoint = client.checkpoint(each.job_id)
        assert checkpoint is not None
        assert (checkpoint.cursor, checkpoint.done, checkpoint.total) == (4, 4, 4)
        if job.attempt == 2:  # it went on from what was saved when it was killed
            assert job.result["cursor"] == (each.cursor or 0), each
    assert 2 in {client.get(each.job_id).attempt for each in runs}
    assert max(plain.values()) == 2  # such a kill was among them
