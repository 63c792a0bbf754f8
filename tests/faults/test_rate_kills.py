"""A rate holds while its workers are killed, nothing sticks, and what jobs spent is made good."""

from __future__ import annotations

import contextlib
import random
from typing import TYPE_CHECKING

import pytest

import leasehold as lh
from tests.conformance.kit import look_lanes
from tests.faults import claim_log
from tests.faults.claim_log import SECOND
from tests.faults.throttled import Company, Plan, strike
from tests.faults.throttled_worker import (
    BURST,
    ENOUGH,
    RATE,
    RESERVED,
    SCARCE_SECONDS,
    SLOW_RATE,
    SMALL_BURST,
    pace,
    sparing,
    spending,
)
from tests.faults.waiting import wait_for

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.faults.target import Target

PLAN = Plan(jobs=600, keys=1, kills=6, limit_seconds=100)
LIMIT_SECONDS = 60.0
ROUNDING = 1e-6  # of sums of floats; a millionth of a job


@pytest.fixture
def company(target: Target, tmp_path: Path) -> Iterator[Company]:
    claim_log.install(target)
    hired = Company(target.url, tmp_path / "turnout", PLAN)
    with contextlib.ExitStack() as stack:
        stack.callback(hired.dismiss)
        yield hired


def test_in_no_window_more_is_claimed_than_burst_and_rate_though_workers_are_killed(
    target: Target, client: lh.Client, company: Company
) -> None:
    client.enqueue_many(pace.call() for _ in range(PLAN.jobs))
    strike(client, company, PLAN, random.Random(20261115))

    claims = claim_log.read(target, "steady:all")
    lapsed = target.query(
        f"SELECT job_id FROM {target.name('outcome')} WHERE state = 'lapsed'"  # noqa: S608
    )
    assert lapsed, "no worker was killed while it ran one"
    assert len(claims) == PLAN.jobs + len(lapsed), "what was killed is claimed, and counted, anew"
    most = claim_log.most_at_once(claims, RATE)
    assert BURST - 1 < most <= BURST + ROUNDING, "as much as may, and no more"
    assert target.count_ended() == PLAN.jobs
    assert len(client.find(state="succeeded", limit=PLAN.jobs)) == PLAN.jobs


def test_jobs_that_spend_less_than_they_reserved_let_others_in(
    target: Target, client: lh.Client, company: Company
) -> None:
    """Nothing comes back by itself for a day: who gets in does so on what others left."""
    client.enqueue_many(sparing.call() for _ in range(30))
    # Reserves are all there is for two of them; each leaves nine, until less than ten is left.
    enough = int(ENOUGH - RESERVED) + 1
    wait_for("last one", lambda: target.count_ended() >= enough, LIMIT_SECONDS)

    (lane,) = look_lanes(client.store)
    assert lane.room == 0
    missing = RESERVED - (ENOUGH - enough)
    assert lane.opens_seconds == pytest.approx(missing * SCARCE_SECONDS, rel=0.01)
    (scarce,) = [each for each in client.store.throttles() if each.name == "scarce"]
    assert (scarce.running, scarce.waiting) == (0, 30 - enough)
    assert len(claim_log.read(target, "scarce:all")) == enough


def test_a_job_that_spends_more_than_it_reserved_holds_the_others_up(
    target: Target, client: lh.Client, company: Company
) -> None:
    amount = 24.0
    client.enqueue(spending, amount)
    wait_for("the dear one's end", lambda: target.count_ended() == 1, LIMIT_SECONDS)
    client.enqueue_many(spending.call(1.0) for _ in range(10))
    wait_for("the others' end", lambda: target.count_ended() == 11, LIMIT_SECONDS)

    dear, *others = claim_log.read(target, "slow:all")
    assert (dear.cost, len(others)) == (1.0, 10)
    # As if it had reserved it all: first the debt is paid off, then the rate holds.
    owed = amount - SMALL_BURST + 1.0
    assert others[0].at - dear.at >= owed / SLOW_RATE * SECOND - 1
    assert claim_log.most_at_once(others, SLOW_RATE) <= SMALL_BURST + ROUNDING
