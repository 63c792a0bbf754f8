"""A workflow ends as it is declared though its workers are killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import leasehold as lh
from tests.faults.flow import Size, build, declared
from tests.faults.flowing import Plan, run

if TYPE_CHECKING:
    from tests.faults.target import Target

PLAN = Plan(kills=8, workers=3, limit_seconds=100)


def test_a_thousand_jobs_end_as_declared_though_workers_are_killed(target: Target) -> None:
    result = run(target, PLAN, seed=20261115)
    assert (result.astray, result.too_soon) == ({}, [])
    assert result.states == {"succeeded": 979, "dead": 10, "cancelled": 11}
    with lh.Client(target.url) as client:
        (merged,) = client.find(kind="merge")
        assert merged.result == sum(2 * number for number in range(PLAN.size.pages))
        (cleaned,) = client.find(kind="clean_up")
        assert cleaned.result == ["succeeded", "cancelled"]


def test_the_oracle_knows_all_that_can_become_of_a_step() -> None:
    size = Size()
    ends = declared(build(size))
    assert len(ends) == size.jobs == 1_000
    assert sum(end == "dead" for end in ends.values()) == size.bad == 10
    assert sum(end == "cancelled" for end in ends.values()) == size.bad + 1
