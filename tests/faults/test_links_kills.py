"""Links are enriched politely though their workers are killed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.faults.links import Plan, run

if TYPE_CHECKING:
    from tests.faults.target import Target

PLAN = Plan(domains=40, links=40, kills=2, workers=3, lease_seconds=1.5, limit_seconds=100)


def test_two_at_once_for_each_domain_every_link_ends_and_no_page_is_fetched_again_for_nothing(
    target: Target,
) -> None:
    result = run(target, PLAN, seed=20261116)
    assert result.most_at_once <= 2
    assert result.states == {"succeeded": PLAN.domains + PLAN.links}
    assert result.twice_succeeded == 0
    assert result.fetched_again_without_a_kill == 0
