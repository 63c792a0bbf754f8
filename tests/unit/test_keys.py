"""What a job does that meets another one of its key: the whole table of decisions."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from leasehold.model.ids import JobId
from leasehold.model.keys import (
    FOR_EVER_SECONDS,
    KEY_LIMIT,
    Decision,
    Holding,
    KeyInfo,
    Mode,
    Push,
    Refuse,
    StandBehind,
    Standing,
    Take,
    Unique,
    Verdict,
    after_accepting,
    at_the_latest,
    decide,
    key_of,
    put_off,
)
from leasehold.model.states import State

HOLDER, SUCCESSOR = JobId(UUID(int=1)), JobId(UUID(int=2))
NOW = datetime(2030, 1, 1, tzinfo=UTC)
WAITING = ("ready", "waiting", "parked", "scheduled")
LIVE = Refuse(Verdict.LIVE, HOLDER)
NEXT_LIVES = Refuse(Verdict.LIVE, SUCCESSOR)


def ago(seconds: float) -> datetime:
    return NOW - timedelta(seconds=seconds)


def hold(place: str | None, **facts: object) -> Holding:
    fields: dict[str, object] = {"taken_at": ago(100), "series_at": ago(100), "successor": None}
    return Holding(holder=HOLDER, place=place, **(fields | facts))  # type: ignore[arg-type] # a test's own words


def ask(mode: Mode = Mode.SKIP, **words: float | bool) -> Unique:
    return Unique(key="k", mode=mode, **words)  # type: ignore[arg-type] # a test's own words


@pytest.mark.parametrize("mode", list(Mode))
def test_a_key_whose_holder_has_ended_is_free(mode: Mode) -> None:
    assert decide(ask(mode), hold(None), NOW) == Take()


@pytest.mark.parametrize("place", WAITING)
@pytest.mark.parametrize(
    ("mode", "decision"),
    [
        (Mode.SKIP, LIVE),
        (Mode.REPLACE, Take((HOLDER,))),
        (Mode.DEBOUNCE, LIVE),  # it runs anyway, and after this call
        (Mode.LATEST, Take((HOLDER,))),
    ],
)
def test_beside_one_that_waits(place: str, mode: Mode, decision: Decision) -> None:
    assert decide(ask(mode), hold(place), NOW) == decision


def test_debounce_puts_off_what_waits_for_its_time_and_was_never_tried() -> None:
    held = hold("scheduled", run_at=ago(-10))
    assert decide(ask(Mode.DEBOUNCE), held, NOW) == Push(HOLDER)


@pytest.mark.parametrize(
    ("mode", "decision"),
    [
        (Mode.SKIP, LIVE),
        (Mode.REPLACE, StandBehind(HOLDER)),
        (Mode.DEBOUNCE, StandBehind(HOLDER)),
        (Mode.LATEST, StandBehind(HOLDER)),
    ],
)
def test_beside_one_that_runs(mode: Mode, decision: Decision) -> None:
    assert decide(ask(mode), hold("lease"), NOW) == decision


@pytest.mark.parametrize(
    ("mode", "decision"),
    [
        (Mode.SKIP, NEXT_LIVES),
        (Mode.REPLACE, StandBehind(HOLDER, (SUCCESSOR,))),
        (Mode.DEBOUNCE, NEXT_LIVES),
        (Mode.LATEST, StandBehind(HOLDER, (SUCCESSOR,))),
    ],
)
def test_beside_one_that_runs_and_one_behind_it(mode: Mode, decision: Decision) -> None:
    assert decide(ask(mode), hold("lease", successor=SUCCESSOR), NOW) == decision


@pytest.mark.parametrize(
    ("place", "ended"), [(None, (SUCCESSOR,)), ("scheduled", (SUCCESSOR, HOLDER))]
)
def test_before_a_successor_was_let_go_a_replacement_ends_it_too(
    place: str | None, ended: tuple[JobId, ...]
) -> None:
    assert decide(ask(Mode.REPLACE), hold(place, successor=SUCCESSOR), NOW) == Take(ended)


@pytest.mark.parametrize("mode", list(Mode))
def test_for_ever_nothing_follows(mode: Mode) -> None:
    assert decide(ask(mode, ever=True), hold(None), NOW) == Refuse(Verdict.EVER, HOLDER)


def test_a_period_counts_from_the_acceptance() -> None:
    held = hold(None, succeeded_at=ago(1))
    refused = Refuse(Verdict.PERIOD, HOLDER, ago(-1))
    assert decide(ask(period_seconds=101), held, NOW) == refused
    assert decide(ask(period_seconds=100), held, NOW) == Take()


def test_a_cooldown_counts_from_the_last_success() -> None:
    held = hold(None, succeeded_at=ago(10))
    refused = Refuse(Verdict.COOLDOWN, HOLDER, ago(-1))
    assert decide(ask(cooldown_seconds=11), held, NOW) == refused
    assert decide(ask(cooldown_seconds=10), held, NOW) == Take()
    assert decide(ask(cooldown_seconds=10_000), hold(None), NOW) == Take()


def test_of_a_period_and_a_cooldown_the_later_end_counts() -> None:
    held = hold(None, succeeded_at=ago(10))
    asked = ask(period_seconds=150, cooldown_seconds=50)
    assert decide(asked, held, NOW) == Refuse(Verdict.PERIOD, HOLDER, ago(-50))
    asked = ask(period_seconds=150, cooldown_seconds=170)
    assert decide(asked, held, NOW) == Refuse(Verdict.COOLDOWN, HOLDER, ago(-160))


def test_a_push_moves_the_time_on_but_never_back_and_never_beyond_the_longest_wait() -> None:
    held = hold("scheduled", run_at=ago(-10))
    assert put_off(ask(Mode.DEBOUNCE), held, ago(-30)) == ago(-30)
    assert put_off(ask(Mode.DEBOUNCE), held, ago(-5)) == ago(-10)
    assert put_off(ask(Mode.DEBOUNCE, max_wait_seconds=120), held, ago(-30)) == ago(-20)


def test_one_that_replaces_others_runs_no_later_than_the_longest_wait_after_the_first() -> None:
    asked = ask(Mode.REPLACE, max_wait_seconds=60)
    assert at_the_latest(asked, ago(50), ago(-5)) == ago(-5)
    assert at_the_latest(asked, ago(50), ago(-15)) == ago(-10)


def test_a_series_goes_on_while_jobs_replace_each_other() -> None:
    held, asked = hold("ready"), ask(Mode.REPLACE)
    after = after_accepting(Take((HOLDER,)), asked, held, SUCCESSOR, NOW)
    assert (after.holder, after.taken_at, after.series_at) == (SUCCESSOR, NOW, held.series_at)
    assert after_accepting(Take(), asked, held, SUCCESSOR, NOW).series_at == NOW
    assert after_accepting(StandBehind(HOLDER), asked, held, SUCCESSOR, NOW).series_at == NOW


def test_one_that_stands_behind_leaves_the_holder_its_key() -> None:
    after = after_accepting(StandBehind(HOLDER), ask(Mode.LATEST), hold("lease"), SUCCESSOR, NOW)
    assert (after.holder, after.successor, after.taken_at) == (HOLDER, SUCCESSOR, ago(100))
    assert after.is_urgent


@pytest.mark.parametrize(("successor", "is_urgent"), [(SUCCESSOR, True), (None, False)])
def test_urgency_passes_on_to_who_takes_the_place_of_one_that_waits(
    successor: JobId | None, *, is_urgent: bool
) -> None:
    held, newest = hold("lease", successor=successor, is_urgent=True), JobId(UUID(int=3))
    ended = () if successor is None else (successor,)
    after = after_accepting(StandBehind(HOLDER, ended), ask(Mode.REPLACE), held, newest, NOW)
    assert (after.successor, after.is_urgent) == (newest, is_urgent)


def test_what_is_remembered_longest_is_said() -> None:
    assert ask().memory_seconds == 0
    assert ask(period_seconds=5, cooldown_seconds=7).memory_seconds == 7
    assert ask(ever=True, cooldown_seconds=7).memory_seconds == FOR_EVER_SECONDS


def test_values_that_would_join_to_the_same_text_are_different_keys() -> None:
    assert key_of("greet", b'["a:b","c"]') != key_of("greet", b'["a","b:c"]')
    assert key_of("greet", b"[7]") == "greet[7]"


def test_a_long_key_is_shortened_and_stays_its_own() -> None:
    long, other = (b'["%s"]' % (letter * KEY_LIMIT) for letter in (b"a", b"b"))
    assert key_of("greet", long) == key_of("greet", long)
    assert key_of("greet", long) != key_of("greet", other)
    assert key_of("greet", long).startswith("greet#")
    assert len(key_of("greet", long)) <= KEY_LIMIT


def test_a_job_is_made_when_it_replaces_or_waits_and_in_no_other_case() -> None:
    made = {each for each in Verdict if Standing(HOLDER, each).is_made}
    assert made == {Verdict.REPLACED, Verdict.BEHIND}


@pytest.mark.parametrize(
    ("state", "following", "is_live"),
    [
        (State.QUEUED, None, True),
        (State.RUNNING, None, True),
        (State.DEAD, None, False),
        (None, None, False),
        (State.SUCCEEDED, SUCCESSOR, True),
    ],
)
def test_a_key_is_live_while_a_job_of_it_is(
    state: State | None, following: JobId | None, *, is_live: bool
) -> None:
    info = KeyInfo(
        key="k",
        tenant="",
        holder=HOLDER,
        holder_state=state,
        next=following,
        taken_at=NOW,
        succeeded_at=None,
    )
    assert info.is_live is is_live
