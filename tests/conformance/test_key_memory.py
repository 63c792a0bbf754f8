"""What is remembered of a key whose job has ended: for ever, for a period, for a cooldown."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

import pytest

from leasehold.model.keys import FOR_EVER_SECONDS, Mode, Verdict
from tests.conformance.key_kit import (
    KEY,
    LATEST,
    REPLACE,
    ask,
    key_of,
    keyed_job,
    run_one,
    start,
)
from tests.conformance.kit import Place, bring, claim_one, look, pass_time, settle

if TYPE_CHECKING:
    from leasehold.store.base import Store
    from tests.conformance.tables import Tables

DAY = 86_400.0


@pytest.mark.parametrize("place", [Place.SUCCEEDED, Place.DEAD, Place.CANCELLED])
def test_a_key_for_ever_outlives_every_end(store: Store, place: Place) -> None:
    standing = bring(store, place, unique=keyed_job(ever=True).unique)
    pass_time(store, 1000 * DAY)
    again = ask(store, ever=True)
    assert (again.verdict, again.standing) == (Verdict.EVER, standing.job_id)


@pytest.mark.parametrize("mode", [Mode.SKIP, Mode.REPLACE, Mode.LATEST, Mode.DEBOUNCE])
def test_for_ever_holds_in_every_mode(store: Store, mode: Mode) -> None:
    run_one(store)
    assert ask(store, mode, ever=True).verdict is Verdict.EVER


def test_a_refresh_takes_the_key_over(store: Store) -> None:
    run_one(store, ever=True)
    refresh = ask(store)
    assert refresh.answer is None
    assert ask(store, ever=True).verdict is Verdict.LIVE
    settle(store, claim_one(store), "succeeded")
    again = ask(store, ever=True)
    assert (again.verdict, again.standing) == (Verdict.EVER, refresh.id)


def test_a_key_for_ever_is_forgotten_with_its_job_when_that_is_deleted_by_hand(
    store: Store,
) -> None:
    job_id = run_one(store, ever=True)
    store.delete(job_id)
    assert ask(store, ever=True).answer is None


def test_deleting_a_former_holder_forgets_nothing(store: Store) -> None:
    former = run_one(store)
    last = run_one(store, ever=False)
    store.delete(former)
    assert ask(store, ever=True).standing == last


def test_a_period_counts_from_the_acceptance(store: Store) -> None:
    taken = start(store, period_seconds=100.0)
    pass_time(store, 60)
    settle(store, taken, "dead", error="Boom")
    again = ask(store, period_seconds=100.0)
    assert (again.verdict, again.standing) == (Verdict.PERIOD, taken.job_id)
    assert again.answer is not None
    created_at = look(store, taken.job_id).created_at
    assert again.answer.until == created_at + timedelta(seconds=100)
    pass_time(store, 41)
    assert ask(store, period_seconds=100.0).answer is None


def test_a_period_does_not_end_while_its_job_lives(store: Store) -> None:
    start(store, period_seconds=1.0)
    pass_time(store, 50)
    assert ask(store, period_seconds=1.0).verdict is Verdict.LIVE


def test_a_cooldown_counts_from_the_last_success(store: Store) -> None:
    taken = start(store)
    pass_time(store, 1000)
    settle(store, taken, "succeeded")
    again = ask(store, cooldown_seconds=100.0)
    assert (again.verdict, again.standing) == (Verdict.COOLDOWN, taken.job_id)
    assert again.answer is not None
    finished_at = look(store, taken.job_id).finished_at
    assert finished_at is not None
    assert again.answer.until == finished_at + timedelta(seconds=100)
    pass_time(store, 101)
    assert ask(store, cooldown_seconds=100.0).answer is None


@pytest.mark.parametrize("place", [Place.DEAD, Place.CANCELLED])
def test_a_job_that_did_not_succeed_starts_no_cooldown(store: Store, place: Place) -> None:
    bring(store, place, unique=keyed_job().unique)
    assert ask(store, cooldown_seconds=100.0).answer is None


def test_a_later_dead_job_does_not_end_a_cooldown(store: Store) -> None:
    run_one(store)
    taken = start(store)
    settle(store, taken, "dead", error="Boom")
    again = ask(store, cooldown_seconds=100.0)
    assert (again.verdict, again.standing) == (Verdict.COOLDOWN, taken.job_id)


def test_two_callers_may_ask_one_key_with_different_rules(store: Store) -> None:
    run_one(store, cooldown_seconds=DAY)
    assert ask(store, cooldown_seconds=DAY).verdict is Verdict.COOLDOWN
    episode = ask(store)
    assert episode.answer is None
    assert ask(store, cooldown_seconds=DAY).standing == episode.id


def test_of_a_period_and_a_cooldown_the_later_end_counts(store: Store) -> None:
    taken = start(store)
    pass_time(store, 50)
    settle(store, taken, "succeeded")
    assert ask(store, period_seconds=200.0, cooldown_seconds=10.0).verdict is Verdict.PERIOD
    assert ask(store, period_seconds=60.0, cooldown_seconds=90.0).verdict is Verdict.COOLDOWN


def test_replacing_starts_a_new_period(store: Store) -> None:
    ask(store)
    pass_time(store, 50)
    newer = ask(store, REPLACE)
    assert key_of(store).taken_at == look(store, newer.id).created_at


@pytest.mark.parametrize("mode", [REPLACE, LATEST])
def test_what_is_remembered_refuses_a_replacement_too(store: Store, mode: Mode) -> None:
    run_one(store)
    assert ask(store, mode, cooldown_seconds=100.0).verdict is Verdict.COOLDOWN


def test_the_longest_wish_is_noted_also_by_who_was_refused(store: Store, tables: Tables) -> None:
    def noted() -> float:
        (row,) = tables.rows("key")
        return float(row["memory_seconds"])

    ask(store, period_seconds=5.0)
    assert noted() == 5
    assert ask(store, cooldown_seconds=DAY).verdict is Verdict.LIVE
    assert noted() == DAY
    ask(store, REPLACE)
    assert noted() == DAY
    ask(store, ever=True)
    assert noted() == FOR_EVER_SECONDS
    assert key_of(store, KEY).is_live
