"""What a handler raises decides its attempt's outcome, and errors are stored as safe text."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold.errors import BadOption
from leasehold.model.outcomes import (
    MESSAGE_LIMIT,
    TRACEBACK_LIMIT,
    Cancelled,
    Died,
    Failed,
    Outcome,
    Snoozed,
    clean,
    decide,
    describe,
    lapse_delay_seconds,
)
from leasehold.model.retry import RetryPolicy, delays, fixed, never
from leasehold.model.signals import Cancel, Dead, Retry, Snooze

MOMENT = datetime(2026, 1, 1, tzinfo=UTC)


def outcome_of(
    error: BaseException,
    *,
    failures: int = 0,
    max_attempts: int = 3,
    policy: RetryPolicy | None = None,
) -> Outcome:
    return decide(
        error,
        failures=failures,
        max_attempts=max_attempts,
        policy=policy or delays(10, 20),
        chance=0.5,
    )


def test_an_error_fails_the_attempt_with_the_policys_delay() -> None:
    outcome = outcome_of(ValueError("no"), failures=1)
    assert isinstance(outcome, Failed)
    assert (outcome.delay_seconds, outcome.error.message) == (20, "ValueError: no")


def test_the_last_attempts_error_ends_the_job() -> None:
    assert isinstance(outcome_of(ValueError("no"), failures=2), Died)


def test_a_policy_that_gives_up_ends_the_job() -> None:
    assert isinstance(outcome_of(ValueError("no"), policy=never()), Died)


def test_a_policy_that_answers_nonsense_is_named() -> None:
    with pytest.raises(BadOption, match="retry policy"):
        outcome_of(ValueError(), policy=lambda _failure: -1)


def test_retry_sets_the_delay_but_spends_an_attempt() -> None:
    outcome = outcome_of(Retry("7s", "rate limit"))
    assert isinstance(outcome, Failed)
    assert (outcome.delay_seconds, outcome.error.message) == (7, "Retry: rate limit")
    assert isinstance(outcome_of(Retry("7s"), failures=2), Died)


def test_snooze_spends_nothing_even_at_the_last_attempt() -> None:
    assert outcome_of(Snooze("1m", reason="not yet"), failures=2) == Snoozed(
        delay_seconds=60, reason="not yet"
    )
    assert outcome_of(Snooze(until=MOMENT), failures=2) == Snoozed(until=MOMENT)


def test_dead_ends_the_job_whatever_the_policy_says() -> None:
    outcome = outcome_of(Dead("account closed"), policy=fixed(1))
    assert isinstance(outcome, Died)
    assert outcome.error.message == "Dead: account closed"


def test_cancel_ends_the_job_as_cancelled() -> None:
    assert outcome_of(Cancel("superseded")) == Cancelled(reason="superseded")
    assert outcome_of(Cancel()) == Cancelled(reason="cancelled by its handler")


def test_snooze_wants_one_moment_with_a_time_zone() -> None:
    with pytest.raises(BadOption, match="either after or until"):
        Snooze()
    with pytest.raises(BadOption, match="either after or until"):
        Snooze("1m", until=MOMENT)
    with pytest.raises(BadOption, match="no time zone"):
        Snooze(until=MOMENT.replace(tzinfo=None))


def test_an_error_that_can_not_be_shown_is_still_described() -> None:
    class Shy(Exception):
        def __str__(self) -> str:
            raise RuntimeError

    assert "can't be shown" in describe(Shy()).message


def test_an_error_without_a_message_is_its_name() -> None:
    assert describe(KeyError()).message == "KeyError"


@given(st.text(st.characters(), max_size=MESSAGE_LIMIT * 2))
def test_a_described_error_is_safe_text_within_its_limits(message: str) -> None:
    text = describe(ValueError(message))
    assert len(text.message) <= MESSAGE_LIMIT
    assert len(text.traceback or "") <= TRACEBACK_LIMIT
    for part in (text.message, text.traceback or ""):
        assert "\x00" not in part
        part.encode()


@given(st.text())
def test_cleaning_keeps_good_text_as_it_is(text: str) -> None:
    if "\x00" not in text:
        assert clean(text) == text
    assert clean(clean(text)) == clean(text)


@given(st.integers(0, 10_000), st.floats(0, 1, exclude_max=True))
def test_a_reclaimed_job_waits_between_nothing_and_a_minute(lapses: int, chance: float) -> None:
    wait = lapse_delay_seconds(min(lapses, 1000), chance)
    assert 0 <= wait <= 60
    assert 0.5 <= lapse_delay_seconds(0, chance) <= 1.5
