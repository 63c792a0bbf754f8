"""A throttle's limits are declared by code and changed by people, from the next claim on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.model.lanes import Rule, RuleChange
from leasehold.model.states import State
from tests.conformance.kit import (
    HOST,
    OTHER,
    OTHER_HOST,
    RULE,
    claim_lanes,
    declare,
    look,
    look_lanes,
    new_jobs,
    place_of,
    settle,
    take_lanes,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from leasehold.model.ids import JobId
    from leasehold.model.lanes import ThrottleInfo
    from leasehold.model.values import Claim
    from leasehold.store.base import Store

IN_HOST = place_of(HOST)


def ids(claims: Sequence[Claim]) -> list[JobId]:
    return [taken.job_id for taken in claims]


def info(store: Store, name: str) -> ThrottleInfo:
    (found,) = [throttle for throttle in store.throttles() if throttle.name == name]
    return found


@pytest.fixture(autouse=True)
def two_at_once(store: Store) -> None:
    declare(store, Rule(name=RULE, running=2))


def test_a_limit_raised_at_run_time_admits_at_the_next_claim(store: Store) -> None:
    store.enqueue(new_jobs(5, lane=HOST))
    take_lanes(store)

    store.change_throttle(RULE, RuleChange(running=3, by="ops"))
    assert len(claim_lanes(store, IN_HOST)) == 1


def test_a_limit_lowered_admits_none_until_there_is_room(store: Store) -> None:
    store.enqueue(new_jobs(5, lane=HOST))
    first, second = take_lanes(store)

    store.change_throttle(RULE, RuleChange(running=1, by="ops"))
    assert {look(store, job_id).state for job_id in ids([first, second])} == {State.RUNNING}
    settle(store, first, "succeeded")
    assert claim_lanes(store, IN_HOST) == []
    settle(store, second, "succeeded")
    assert len(claim_lanes(store, IN_HOST)) == 1


def test_a_limit_of_0_closes(store: Store) -> None:
    store.enqueue(new_jobs(2, lane=HOST))
    store.change_throttle(RULE, RuleChange(running=0, by="ops"))
    assert claim_lanes(store, IN_HOST) == []
    assert look_lanes(store)[0].room == 0


def test_a_limit_of_none_does_not_limit(store: Store) -> None:
    store.enqueue(new_jobs(5, lane=HOST))
    store.change_throttle(RULE, RuleChange(running=None, per_worker=4, by="ops"))
    assert len(claim_lanes(store, IN_HOST)) == 4


def test_a_keys_own_limit_goes_before_its_rules(store: Store) -> None:
    store.enqueue([*new_jobs(4, lane=HOST), *new_jobs(4, lane=OTHER_HOST)])
    store.change_throttle(HOST, RuleChange(running=1, by="ops"))
    assert len(claim_lanes(store, IN_HOST)) == 1
    assert len(claim_lanes(store, place_of(OTHER_HOST))) == 2

    store.change_throttle(HOST, RuleChange(running=3, by="ops"))
    assert len(claim_lanes(store, IN_HOST)) == 2


def test_a_key_has_its_rules_limits_where_it_has_none_of_its_own(store: Store) -> None:
    store.enqueue(new_jobs(4, lane=HOST))
    store.change_throttle(HOST, RuleChange(per_worker=1, by="ops"))
    assert len(claim_lanes(store, IN_HOST)) == 1
    assert len(claim_lanes(store, IN_HOST, worker=OTHER)) == 1
    assert claim_lanes(store, IN_HOST, worker=OTHER) == []


def test_a_reset_key_has_its_rules_limits_again(store: Store) -> None:
    store.enqueue(new_jobs(4, lane=HOST))
    store.change_throttle(HOST, RuleChange(running=0, by="ops"))
    assert store.reset_throttle(HOST)
    assert not store.reset_throttle(HOST)
    assert len(claim_lanes(store, IN_HOST)) == 2


def test_what_is_changed_leaves_the_rest_as_it_is(store: Store) -> None:
    store.change_throttle(RULE, RuleChange(per_worker=1, by="ops"))
    store.change_throttle(RULE, RuleChange(rate=2.0, burst=10.0))
    rule = info(store, RULE)
    assert (rule.running_limit, rule.per_worker, rule.rate, rule.burst) == (2, 1, 2.0, 10.0)


def test_who_set_a_limit_is_shown(store: Store) -> None:
    assert info(store, RULE).set_by is None
    store.change_throttle(RULE, RuleChange(running=3, by="ops"))
    assert info(store, RULE).set_by == "ops"
    store.change_throttle(RULE, RuleChange(running=4))
    assert info(store, RULE).set_by == "somebody"


def test_a_rule_that_nobody_declared_holds_its_jobs(store: Store) -> None:
    store.enqueue(new_jobs(2, lane="nobody:x"))
    assert claim_lanes(store, place_of("nobody:x")) == []
    (seen,) = look_lanes(store)
    assert (seen.room, seen.opens_seconds) == (0, None)

    store.change_throttle("nobody", RuleChange(running=1, by="ops"))
    assert len(take_lanes(store)) == 1


def test_a_limit_of_one_key_declares_that_key_only(store: Store) -> None:
    store.enqueue([*new_jobs(2, lane="nobody:x"), *new_jobs(2, lane="nobody:y")])
    store.change_throttle("nobody:x", RuleChange(running=1, by="ops"))
    assert [lease.place for lease in take_lanes(store)] == [place_of("nobody:x")]


def test_a_worker_start_does_not_undo_an_operators_limit(store: Store) -> None:
    store.change_throttle(RULE, RuleChange(running=1, by="ops"))
    declare(store, Rule(name=RULE, running=5), worker=OTHER)
    assert info(store, RULE).running_limit == 1

    assert store.reset_throttle(RULE)
    declare(store, Rule(name=RULE, running=5), worker=OTHER)
    assert (info(store, RULE).running_limit, info(store, RULE).set_by) == (5, None)


def test_a_worker_start_brings_what_its_code_says_now(store: Store) -> None:
    declare(store, Rule(name=RULE, rate=1.0, burst=3.0), Rule(name="gpu", per_worker=1))
    rule = info(store, RULE)
    assert (rule.running_limit, rule.rate, rule.burst) == (None, 1.0, 3.0)
    assert info(store, "gpu").per_worker == 1


def test_throttles_are_listed_by_name_with_what_runs_and_waits(store: Store) -> None:
    declare(store, Rule(name="gpu", per_worker=1))
    store.change_throttle(HOST, RuleChange(running=3, by="ops"))
    store.enqueue([*new_jobs(5, lane=HOST), *new_jobs(3, lane=OTHER_HOST)])
    take_lanes(store)

    assert [throttle.name for throttle in store.throttles()] == [RULE, HOST, "gpu"]
    assert (info(store, HOST).running, info(store, HOST).waiting) == (3, 2)
    assert (info(store, RULE).running, info(store, RULE).waiting) == (5, 3)
    assert (info(store, "gpu").running, info(store, "gpu").waiting) == (0, 0)
    assert info(store, HOST).tokens is None
