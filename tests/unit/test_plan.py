"""What a run may claim: by its time, its number, its batch; on a clock that the test moves."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.errors import BadOption
from leasehold.model.timing import Estimate
from leasehold.model.values import Only
from leasehold.worker.durations import Durations
from leasehold.worker.plan import Plan, check_max_jobs, plan_budget
from tests.conformance.kit import new_id

KINDS = dict.fromkeys(["short", "long"])
BUDGET = plan_budget(40.0, 25.0, now=0.0)  # asks to hand back after 35 s


def plan_at(now: float, *, chance: float = 0.0, **known: float) -> Plan:
    return Plan(budget=BUDGET, durations=Durations(known), clock=lambda: now, chance=lambda: chance)


# -- how long jobs take ----------------------------------------------------------------------------
def test_an_estimate_is_rather_too_high() -> None:
    assert Estimate().typical_seconds is None
    estimate = Estimate()
    estimate.add(10.0)
    assert estimate.typical_seconds == 20.0  # one attempt says little about the spread
    for _ in range(100):
        estimate.add(10.0)
    assert estimate.typical_seconds == pytest.approx(10.0, rel=0.01)


@given(st.lists(st.floats(0.001, 1_000.0), min_size=1, max_size=50), st.none() | st.floats(0, 100))
def test_an_estimate_stays_within_reason(attempts: list[float], known: float | None) -> None:
    estimate = Estimate(known)
    for seconds in attempts:
        estimate.add(seconds)
    typical = estimate.typical_seconds
    assert typical is not None
    highest = max([*attempts, known or 0.0])
    assert min([*attempts, highest if known is None else known]) <= typical <= 3 * highest
    assert 0 < estimate.weight < 1


def test_an_estimate_follows_what_has_changed() -> None:
    estimate = Estimate(100.0)
    for _ in range(60):
        estimate.add(1.0)
    typical = estimate.typical_seconds
    assert typical is not None
    assert typical < 2.0


def test_only_what_has_changed_is_told() -> None:
    durations = Durations({"a": 10.0})
    assert durations.take_news() == []
    durations.add("b", 1.0)
    assert [(news.kind, news.seconds) for news in durations.take_news()] == [("b", 2.0)]
    assert durations.take_news() == []
    durations.add("a", 10.0)
    assert durations.take_news() == []  # a little less than a tenth is no news


# -- the time --------------------------------------------------------------------------------------
@pytest.mark.parametrize("seconds", [0.1, 0.5, 2.0, 45.0, 600.0])
@pytest.mark.parametrize("grace", [0.0, 1.0, 25.0])
def test_a_budget_keeps_some_of_its_time_to_end_in_order(seconds: float, grace: float) -> None:
    budget = plan_budget(seconds, grace, now=100.0)
    assert budget.deadline == pytest.approx(100.0 + seconds)
    assert 0 <= budget.reserve_seconds <= min(5.0, seconds / 2, grace) + 1e-9


@pytest.mark.parametrize("seconds", [0.0, -1.0, math.nan])
def test_a_budget_is_a_positive_time(seconds: float) -> None:
    with pytest.raises(BadOption, match="budget"):
        plan_budget(seconds, 25.0, now=0.0)


def test_without_a_budget_or_a_batch_claims_are_not_narrowed() -> None:
    assert Plan().only(KINDS) is None
    assert Plan(durations=Durations({"long": 1e9})).only(KINDS) is None


def test_while_everything_fits_claims_are_not_narrowed() -> None:
    assert plan_at(0.0, short=1.0, long=30.0).only(KINDS) is None


def test_what_does_not_fit_any_more_is_left_out() -> None:
    plan = plan_at(10.0, short=1.0, long=30.0)
    assert plan.only(KINDS) == Only(kinds=frozenset({"short"}))
    assert plan.unfit == {"long"}


def test_a_kind_that_was_never_measured_is_taken_to_fit() -> None:
    assert plan_at(34.9, long=30.0).only(KINDS) == Only(kinds=frozenset({"short"}))
    assert plan_at(34.9).only(KINDS) is None


def test_a_batch_narrows_too() -> None:
    batch = new_id()
    assert Plan(batch=batch).only(KINDS) == Only(batch)
    plan = plan_at(10.0, long=30.0)
    plan.batch = batch
    assert plan.only(KINDS) == Only(batch, frozenset({"short"}))


# -- what never fits -------------------------------------------------------------------------------
def test_what_never_fits_gets_a_quarter_of_the_slots_at_the_beginning_and_only_then() -> None:
    plan = plan_at(0.0, long=100.0)
    assert plan.begin_long(KINDS, slots=16) == 4
    assert plan.only(KINDS) == Only(kinds=frozenset({"long"}))
    plan.end_long()
    assert plan.only(KINDS) == Only(kinds=frozenset({"short"}))
    assert plan.begin_long(KINDS, slots=16) == 0


@pytest.mark.parametrize(("chance", "count"), [(0.0, 1), (0.2, 1), (0.3, 0), (0.9, 0)])
def test_with_one_slot_it_has_a_turn_in_a_quarter_of_the_runs(chance: float, count: int) -> None:
    assert plan_at(0.0, chance=chance, long=100.0).begin_long(KINDS, slots=1) == count


def test_without_anything_too_long_there_is_no_such_beginning() -> None:
    assert plan_at(0.0, long=30.0).begin_long(KINDS, slots=16) == 0
    assert Plan(durations=Durations({"long": 1e9})).begin_long(KINDS, slots=16) == 0


# -- the number ------------------------------------------------------------------------------------
def test_no_more_are_taken_than_were_asked_for() -> None:
    plan = Plan(max_jobs=5)
    assert plan.room(3) == 3
    plan.taken = 4
    assert (plan.room(3), plan.is_spent) == (1, False)
    plan.taken = 5
    assert (plan.room(3), plan.is_spent) == (0, True)
    assert Plan().room(3) == 3


@pytest.mark.parametrize("count", [0, -1])
def test_a_number_of_jobs_is_positive(count: int) -> None:
    with pytest.raises(BadOption, match="max_jobs"):
        check_max_jobs(count)
