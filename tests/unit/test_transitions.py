"""The table of transitions itself: what must hold of it before any store is asked."""

from __future__ import annotations

from itertools import product

import pytest

from leasehold.model.states import ENDINGS, FINAL, GONE, LANDS, TRANSITIONS, Event, State, after

EVERY_PAIR = list(product(State, Event))


@pytest.mark.parametrize("state", list(State))
def test_only_an_operator_changes_what_is_final(state: State) -> None:
    events = {event for event in Event if after(state, event) is not None}
    if state.is_final:
        assert events <= {Event.RETRY, Event.DELETE}
    else:
        assert Event.CANCEL in events


@pytest.mark.parametrize("state", sorted(set(State) - {State.QUEUED, State.BLOCKED}))
def test_only_a_queued_or_blocked_job_is_claimed(state: State) -> None:
    assert after(state, Event.CLAIM) is None


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR)
def test_a_job_without_a_throttle_is_never_blocked(state: State, event: Event) -> None:
    if state is not State.BLOCKED:
        assert after(state, event) is not State.BLOCKED


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR)
def test_a_throttle_only_blocks_what_would_be_ready(state: State, event: Event) -> None:
    plain, throttled = after(state, event), after(state, event, is_throttled=True)
    if plain is State.QUEUED and event in LANDS:
        assert throttled is State.BLOCKED
    else:
        assert throttled is plain


def test_one_behind_another_of_its_key_is_let_go_before_it_is_claimed() -> None:
    assert after(State.BLOCKED, Event.CLAIM, is_behind=True) is None
    assert after(State.BLOCKED, Event.HAND_OVER, is_behind=True) is State.QUEUED
    let_go = after(State.BLOCKED, Event.HAND_OVER, is_behind=True, is_throttled=True)
    assert let_go is State.BLOCKED


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR)
def test_only_one_behind_another_of_its_key_is_handed_it(state: State, event: Event) -> None:
    if event is Event.HAND_OVER:
        assert after(state, event) is None
        assert (after(state, event, is_behind=True) is None) == (state is not State.BLOCKED)
    elif event is not Event.CLAIM:
        assert after(state, event, is_behind=True) is after(state, event)


def test_one_that_waits_for_others_is_let_go_before_it_is_claimed() -> None:
    assert after(State.BLOCKED, Event.CLAIM, is_dependent=True) is None
    assert after(State.BLOCKED, Event.LET_GO, is_dependent=True) is State.QUEUED
    let_go = after(State.BLOCKED, Event.LET_GO, is_dependent=True, is_throttled=True)
    assert let_go is State.BLOCKED


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR)
def test_only_one_that_waits_for_others_is_let_go_or_forsaken(state: State, event: Event) -> None:
    if event in {Event.LET_GO, Event.FORSAKE}:
        assert after(state, event) is None
        assert (after(state, event, is_dependent=True) is None) == (state is not State.BLOCKED)


def test_one_that_was_forsaken_waits_again_when_it_is_retried() -> None:
    assert after(State.BLOCKED, Event.FORSAKE, is_dependent=True) is State.CANCELLED
    assert after(State.CANCELLED, Event.RETRY, is_dependent=True) is State.BLOCKED


def test_a_newer_job_replaces_what_waits_and_only_that() -> None:
    replaced = {state for state in State if after(state, Event.REPLACE) is not None}
    assert replaced == {State.QUEUED, State.BLOCKED, State.FAILED}
    assert {after(state, Event.REPLACE) for state in replaced} == {State.CANCELLED}


def test_what_waits_for_a_time_is_not_blocked_yet() -> None:
    for event in (Event.SNOOZE, Event.LAPSE):
        assert after(State.RUNNING, event, is_throttled=True) is State.QUEUED
        assert after(State.RUNNING, event, is_throttled=True, failures=1) is State.FAILED


def test_a_cancelled_throttled_attempt_ends_cancelled() -> None:
    for event in ENDINGS:
        following = after(State.RUNNING, event, cancel_requested=True, is_throttled=True)
        assert following is State.CANCELLED


@pytest.mark.parametrize("state", sorted(set(State) - {State.RUNNING}))
@pytest.mark.parametrize("event", sorted(ENDINGS))
def test_only_a_running_job_has_an_attempt_to_end(state: State, event: Event) -> None:
    assert after(state, event) is None


@pytest.mark.parametrize("event", sorted(ENDINGS))
def test_a_running_job_never_stays_running_at_the_end_of_its_attempt(event: Event) -> None:
    assert after(State.RUNNING, event) not in {None, State.RUNNING, GONE}


@pytest.mark.parametrize("event", sorted(ENDINGS))
def test_nothing_succeeds_after_a_cancel(event: Event) -> None:
    assert after(State.RUNNING, event, cancel_requested=True) is State.CANCELLED


@pytest.mark.parametrize(("state", "event"), EVERY_PAIR)
def test_a_cancel_request_never_allows_what_is_refused(state: State, event: Event) -> None:
    plain, cancelled = after(state, event), after(state, event, cancel_requested=True)
    assert (plain is None) == (cancelled is None)
    if event not in ENDINGS:
        assert plain is cancelled


def test_a_running_job_is_never_deleted_retried_or_reprioritised() -> None:
    for event in (Event.DELETE, Event.RETRY, Event.REPRIORITISE, Event.FALL_DUE):
        assert after(State.RUNNING, event) is None


def test_success_is_for_ever() -> None:
    assert after(State.SUCCEEDED, Event.RETRY) is None


def test_every_job_that_does_not_run_can_be_deleted() -> None:
    deletable = {state for state in State if after(state, Event.DELETE) is GONE}
    assert deletable == set(State) - {State.RUNNING}


def test_only_a_delete_makes_a_job_gone() -> None:
    assert {event for (_, event), to in TRANSITIONS.items() if to is GONE} == {Event.DELETE}


def test_every_state_can_be_reached_and_every_event_can_happen() -> None:
    assert {to for to in TRANSITIONS.values() if to is not GONE} == set(State)
    assert {event for _, event in TRANSITIONS} == set(Event)


def test_every_state_leads_to_an_end() -> None:
    """From each state some path leads to a final one: no job can be stuck for ever."""
    reaching = set(FINAL)
    for _ in State:
        reaching |= {state for (state, _), to in TRANSITIONS.items() if to in reaching}
    assert reaching == set(State)
