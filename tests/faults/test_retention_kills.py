"""Pruners are killed amid their steps: what is past its time goes whole, the rest stays whole."""

from __future__ import annotations

import time
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

from leasehold.model.ids import WorkerId
from leasehold.model.keys import Unique
from leasehold.model.values import Settlement, Want
from tests.conformance.kit import GREET, new_job
from tests.faults.forking import Forked
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import leasehold as lh
    from tests.faults.target import Target

JOBS, KILLS = 1_500, 8
OVER_SECONDS = 10 * 86_400.0  # for succeeded jobs, not for dead ones
WORKER = WorkerId(7)


def fill(client: lh.Client) -> None:
    """Let two of three jobs succeed, and the others die; all of them have keys."""
    jobs = [new_job(unique=Unique(key=f"key {number}")) for number in range(JOBS)]
    client.store.enqueue(jobs)
    taken = client.store.claim(WORKER, [Want("default", JOBS)], limit=JOBS, leases={GREET: 60.0})
    assert len(taken) == JOBS
    client.store.finish(
        WORKER,
        [
            Settlement(
                job_id=each.job_id,
                fence=each.fence,
                outcome="dead" if number % 3 == 0 else "succeeded",
                error="Boom" if number % 3 == 0 else None,
            )
            for number, each in enumerate(taken)
        ],
    )


@contextmanager
def pruning(url: str, output: Path) -> Iterator[None]:
    """Prune in a process of its own, which is killed in the end."""
    with output.open("wb") as file:
        pruner = Forked("tests.faults.pruning_main", url, str(OVER_SECONDS), output=file)
    try:
        wait_for("a pruner that is ready", lambda: output.read_text() == "ready\n", 30)
        yield
    finally:
        pruner.kill()
        pruner.wait()


def count(target: Target, table: str) -> int:
    name = target.name(table)
    return int(target.query(f"SELECT count(*) AS count FROM {name}")[0]["count"])  # noqa: S608


def counts(target: Target) -> tuple[int, int, int]:
    """Count jobs, outcomes and keys at one moment: what a killed one asked for may go on."""
    jobs, outcomes, keys = (target.name(table) for table in ("job", "outcome", "key"))
    (row,) = target.query(
        f"SELECT (SELECT count(*) FROM {jobs}) AS jobs,"  # noqa: S608
        f" (SELECT count(*) FROM {outcomes}) AS outcomes, (SELECT count(*) FROM {keys}) AS keys"
    )
    return int(row["jobs"]), int(row["outcomes"]), int(row["keys"])


def test_killed_pruners_leave_nothing_half_done(
    target: Target, client: lh.Client, tmp_path: Path
) -> None:
    fill(client)
    chance = Random(3)
    for _ in range(KILLS):
        left = count(target, "job")
        with pruning(target.url, tmp_path / "1"), pruning(target.url, tmp_path / "2"):
            wait_for(
                "a few to go",
                lambda left=left: count(target, "job") < left or left == JOBS // 3,  # type: ignore[misc]
                30,
            )
            time.sleep(chance.random() / 20)  # where in a step it strikes is left to chance
        jobs, outcomes, keys = counts(target)
        assert jobs == outcomes
        assert keys >= jobs
    with pruning(target.url, tmp_path / "1"):
        wait_for("all that may go", lambda: count(target, "key") == JOBS // 3, 60)
    assert count(target, "job") == count(target, "outcome") == JOBS // 3
    assert len(client.find(state="dead", limit=JOBS)) == JOBS // 3
