"""Jobs that wait behind another one of their key: none runs beside it, none is left behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from leasehold.errors import KeyHeld
from leasehold.model.causes import Reason
from leasehold.model.keys import Mode, Standing, Verdict
from leasehold.model.lanes import Rule
from leasehold.model.states import State
from leasehold.model.values import Filter
from leasehold.model.why import explain
from tests.conformance.key_kit import (
    DEBOUNCE,
    KEY,
    LATEST,
    REPLACE,
    ask,
    error_of,
    hand_over,
    key_of,
    start,
    succeed,
)
from tests.conformance.kit import (
    GREET,
    HOST,
    RULE,
    claim,
    claim_one,
    declare,
    fail,
    held,
    lapse,
    look,
    look_lanes,
    pass_time,
    promote,
    settle,
    take_lanes,
    take_one,
)
from tests.conformance.tables import places

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

BESIDE_RUNNING = [REPLACE, DEBOUNCE, LATEST]


@pytest.mark.parametrize("mode", BESIDE_RUNNING)
def test_one_waits_behind_a_running_job(store: Store, mode: Mode) -> None:
    taken = start(store)
    behind = ask(store, mode, delay_seconds=0.0)
    assert behind.answer == Standing(behind.id, Verdict.BEHIND, taken.job_id)
    assert look(store, behind.id).state is State.BLOCKED
    assert (key_of(store).holder, key_of(store).next) == (taken.job_id, behind.id)
    assert claim(store) == []
    assert look_lanes(store) == []
    hand_over(store)
    assert claim(store) == []
    succeed(store, taken)
    assert hand_over(store) == 1
    assert claim_one(store).job_id == behind.id
    assert (key_of(store).holder, key_of(store).next) == (behind.id, None)


def test_two_of_one_key_never_run_at_once_under_replace(store: Store) -> None:
    taken = start(store)
    for _ in range(3):
        ask(store, REPLACE)
        hand_over(store)
        promote(store)
        assert claim(store) == []
    succeed(store, taken)
    hand_over(store)
    claim_one(store)
    ask(store, REPLACE)
    hand_over(store)
    assert claim(store) == []


def test_only_the_newest_waits_behind(store: Store, tables: Tables) -> None:
    taken = start(store)
    older, newer = ask(store, REPLACE), ask(store, REPLACE)
    assert look(store, older.id).state is State.CANCELLED
    assert error_of(store, older.id) == f"replaced by job {newer.id}"
    assert [str(row["job_id"]) for row in tables.rows("waiting")] == [str(newer.id)]
    assert ask(store).standing == newer.id
    assert ask(store, DEBOUNCE).standing == newer.id
    succeed(store, taken)
    assert hand_over(store) == 1
    assert claim_one(store).job_id == newer.id


def test_a_failed_job_with_one_behind_it_is_not_retried(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    fail(store, taken, delay_seconds=0)
    assert hand_over(store) == 1
    assert look(store, taken.job_id).state is State.CANCELLED
    assert error_of(store, taken.job_id) == f"replaced by job {behind.id}"
    promote(store)
    assert claim_one(store).job_id == behind.id


def test_latest_tells_the_running_job_to_stop(store: Store) -> None:
    taken = start(store)
    behind = ask(store, LATEST)
    assert store.cancel_requests([held(taken)]) == frozenset()  # an enqueue touches no lease
    assert hand_over(store) == 0
    assert store.cancel_requests([held(taken)]) == {taken.job_id}
    assert claim(store) == []
    settle(store, taken, "succeeded")
    assert look(store, taken.job_id).state is State.CANCELLED
    assert error_of(store, taken.job_id) == f"cancelled by job {behind.id}"
    assert hand_over(store) == 1
    assert claim_one(store).job_id == behind.id


def test_replace_does_not_tell_it(store: Store) -> None:
    taken = start(store)
    ask(store, REPLACE)
    hand_over(store)
    assert store.cancel_requests([held(taken)]) == frozenset()


def test_what_waits_for_the_latest_is_urgent_whoever_takes_its_place(store: Store) -> None:
    taken = start(store)
    ask(store, LATEST)
    ask(store, REPLACE)
    hand_over(store)
    assert store.cancel_requests([held(taken)]) == {taken.job_id}


def test_one_behind_survives_the_death_of_the_worker(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    lapse(store)
    assert hand_over(store) == 1
    assert look(store, taken.job_id).state is State.CANCELLED
    assert claim_one(store).job_id == behind.id
    promote(store)
    assert claim(store, suspects=True) == []


def test_one_behind_goes_to_its_time(store: Store, tables: Tables) -> None:
    taken = start(store)
    behind = ask(store, REPLACE, delay_seconds=60.0)
    assert places(tables, behind.id) == ["waiting"]
    succeed(store, taken)
    assert hand_over(store) == 1
    assert places(tables, behind.id) == ["scheduled"]
    pass_time(store, 61)
    promote(store)
    assert claim_one(store).job_id == behind.id


def test_one_behind_whose_time_has_come_meanwhile_is_ready(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE, delay_seconds=60.0)
    pass_time(store, 61)
    succeed(store, taken)
    assert hand_over(store) == 1
    assert claim_one(store).job_id == behind.id


def test_one_behind_goes_into_its_lane(store: Store, tables: Tables) -> None:
    declare(store, Rule(name=RULE, running=1))
    taken = start(store)
    behind = ask(store, REPLACE, lane=HOST, share="user:7")
    assert take_lanes(store) == []
    succeed(store, taken)
    assert hand_over(store) == 1
    assert look(store, behind.id).state is State.BLOCKED
    (row,) = tables.rows("waiting")
    assert (row["stage"], row["lane"], row["share"]) == ("", HOST, "user:7")
    assert take_one(store).job_id == behind.id


def test_cancelling_the_one_behind_leaves_the_running_one(store: Store) -> None:
    taken = start(store)
    behind = ask(store, LATEST)
    assert store.cancel(behind.id, by="ada") is State.CANCELLED
    assert hand_over(store) == 0
    assert store.cancel_requests([held(taken)]) == frozenset()
    assert key_of(store).next is None
    assert ask(store).standing == taken.job_id
    succeed(store, taken)
    assert ask(store).answer is None


def test_deleting_the_one_behind_leaves_the_running_one(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    assert store.delete(behind.id) is None
    hand_over(store)
    assert (key_of(store).holder, key_of(store).next) == (taken.job_id, None)


def test_one_behind_keeps_its_new_priority(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    assert store.reprioritise(behind.id, 9) is State.BLOCKED
    assert claim(store) == []
    succeed(store, taken)
    assert hand_over(store) == 1
    assert claim_one(store).priority == 9


def test_deleting_the_holder_forgets_its_key_when_nobody_waits_any_more(store: Store) -> None:
    taken = start(store, ever=True)
    store.cancel(ask(store, REPLACE).id, by="ada")
    succeed(store, taken)
    assert store.delete(taken.job_id) is None
    assert store.key(KEY, tenant="") is None
    assert ask(store, ever=True).answer is None


def test_why_names_the_job_that_one_waits_behind(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    facts = store.facts(behind.id)
    assert facts is not None
    said = explain(facts)
    assert (said.reason, said.jobs) == (Reason.BEHIND, (taken.job_id,))
    assert KEY in str(said)


@pytest.mark.parametrize("verb", ["delete", "cancel"])
def test_what_ends_the_holder_by_hand_hands_over(store: Store, verb: str) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    fail(store, taken, delay_seconds=60)
    if verb == "delete":
        assert store.delete(taken.job_id) is None
    else:
        assert store.cancel(taken.job_id, by="ada") is State.CANCELLED
    assert hand_over(store) == 1
    assert claim_one(store).job_id == behind.id


def test_a_holder_with_one_behind_it_is_not_retried_by_hand(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    settle(store, taken, "dead", error="Boom")
    with pytest.raises(KeyHeld, match=str(behind.id)):
        store.retry(taken.job_id)


def test_forget_key_refuses_one_that_waits_behind(store: Store) -> None:
    taken = start(store)
    ask(store, REPLACE)
    settle(store, taken, "succeeded")
    with pytest.raises(KeyHeld):
        store.forget_key(KEY, tenant="")


def test_a_success_is_remembered_by_who_comes_after(store: Store) -> None:
    taken = start(store)
    behind = ask(store, REPLACE)
    succeed(store, taken)
    hand_over(store)
    settle(store, claim_one(store), "dead", error="Boom")
    again = ask(store, cooldown_seconds=100.0)
    assert (again.verdict, again.standing) == (Verdict.COOLDOWN, behind.id)


def test_the_survey_says_whether_anybody_waits_behind(store: Store) -> None:
    def has_successors() -> bool:
        return store.survey(["default"], [GREET]).successors

    taken = start(store)
    assert not has_successors()
    ask(store, REPLACE)
    assert has_successors()
    assert not store.survey(["default"], [GREET]).lanes
    succeed(store, taken)
    hand_over(store)
    assert not has_successors()


def test_counts_and_find_show_one_behind_as_blocked(store: Store) -> None:
    start(store)
    behind = ask(store, REPLACE)
    (counts,) = store.counts()
    assert (counts.ready, counts.running, counts.blocked) == (0, 1, 1)
    for state, ids in ((State.BLOCKED, [behind.id]), (State.QUEUED, [])):
        found = store.find(Filter(state=state), before=None, limit=10)
        assert [job.id for job in found] == ids


def test_hand_over_takes_no_more_than_it_is_asked_for(store: Store) -> None:
    takens = [start(store, key=f"k{number}") for number in range(3)]
    for number in range(3):
        ask(store, REPLACE, key=f"k{number}")
    for taken in takens:
        succeed(store, taken)
    assert store.hand_over(limit=2) == 2
    assert store.hand_over(limit=2) == 1
    assert store.hand_over(limit=2) == 0
    assert len(claim(store)) == 3
