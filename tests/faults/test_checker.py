"""The checker is tested too: histories broken on purpose, at least one for each invariant."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.faults.checker import INVARIANTS, check
from tests.faults.history import EffectRow, Expected, History, JobRow, OutcomeRow

SECOND = 1_000_000
JOB = "job-1"


def outcome(attempt: int, state: str, **changes: Any) -> OutcomeRow:
    """One attempt, a second long, ten seconds after the one before."""
    fields: dict[str, Any] = {
        "job_id": JOB,
        "attempt": attempt,
        "state": state,
        "failures": 0,
        "lapses": 0,
        "fence": attempt * 100,
        "started_at": attempt * 10 * SECOND,
        "finished_at": (attempt * 10 + 1) * SECOND,
    }
    return OutcomeRow(**(fields | changes))


# It failed, lapsed (uncharged), lapsed again (charged), was handed back, and succeeded.
GOOD = History(
    expected={JOB: Expected(kind="pay", has_effect=True)},
    jobs=[JobRow(id=JOB, kind="pay", max_attempts=5, run_at=5 * SECOND)],
    outcomes=[
        outcome(1, "failed", failures=1, error="UnluckyError"),
        outcome(2, "lapsed", failures=1, lapses=1, error="lapsed: its worker stopped"),
        outcome(3, "lapsed", failures=2, lapses=2, error="lapsed: its worker stopped"),
        outcome(4, "released", failures=2, lapses=2, started_at=None),
        outcome(5, "succeeded", failures=2, lapses=2),
    ],
    effects=[EffectRow(job_id=JOB, attempt=5)],
    live=[],
)


def with_outcomes(*outcomes: OutcomeRow, **changes: Any) -> History:
    return replace(GOOD, outcomes=outcomes, **changes)


def with_changed(number: int, **changes: Any) -> History:
    """Change one attempt of the good history."""
    rows = [replace(row, **changes) if row.attempt == number else row for row in GOOD.outcomes]
    return with_outcomes(*rows)


def lose_the_job() -> History:
    return replace(GOOD, jobs=[], outcomes=[], effects=[])


def invent_a_job() -> History:
    return replace(GOOD, expected={})


def change_its_kind() -> History:
    return replace(GOOD, jobs=[JobRow(id=JOB, kind="other", max_attempts=5)])


def leave_it_waiting() -> History:
    return with_outcomes(*GOOD.outcomes[:4], effects=[], live=[("ready", JOB)])


def leave_it_nowhere() -> History:
    return with_outcomes(*GOOD.outcomes[:4], effects=[])


def succeed_twice() -> History:
    return with_changed(4, state="succeeded")


def double_the_effect() -> History:
    return replace(GOOD, effects=[*GOOD.effects, *GOOD.effects])


def miss_the_effect() -> History:
    return replace(GOOD, effects=[])


def leave_an_effect_of_a_job_that_died() -> History:
    return with_changed(5, state="dead", failures=5)


def write_an_effect_under_a_lapsed_lease() -> History:
    return replace(GOOD, effects=[EffectRow(job_id=JOB, attempt=2)])


def write_an_effect_without_any_outcome() -> History:
    return replace(GOOD, effects=[EffectRow(job_id=JOB, attempt=9)])


def succeed_under_an_old_fence() -> History:
    return with_changed(5, fence=250)


def let_an_old_attempt_settle_a_new_one() -> History:
    return with_changed(5, result=3)


def end_an_attempt_twice() -> History:
    return with_outcomes(*GOOD.outcomes[:1], *GOOD.outcomes)


def skip_an_attempt() -> History:
    return with_outcomes(*GOOD.outcomes[:3], *GOOD.outcomes[4:])


def start_with_attempt_two() -> History:
    row = outcome(2, "succeeded")
    return with_outcomes(row, effects=[EffectRow(job_id=JOB, attempt=2)])


def use_a_fence_again() -> History:
    return with_changed(4, fence=300)


def charge_the_first_lapse() -> History:
    return with_changed(2, failures=2)


def forget_a_failure() -> History:
    return with_changed(1, failures=0)


def charge_a_hand_back() -> History:
    return with_changed(4, failures=3)


def forget_a_lapse() -> History:
    return with_changed(2, lapses=0)


def keep_lapses_after_a_failure() -> History:
    return with_changed(1, lapses=1)


def die_too_early() -> History:
    return with_outcomes(outcome(1, "dead", failures=1), effects=[])


def live_too_long() -> History:
    row = replace(GOOD.jobs[0], max_attempts=2)
    return replace(GOOD, jobs=[row])


def go_on_after_success() -> History:
    return with_outcomes(*GOOD.outcomes, outcome(6, "released", failures=2, lapses=2))


def stand_somewhere_after_the_end() -> History:
    return replace(GOOD, live=[("lease", JOB)])


def start_too_early() -> History:
    return with_changed(1, started_at=4 * SECOND)


def end_before_the_start() -> History:
    return with_changed(3, finished_at=29 * SECOND)


BROKEN: list[tuple[str, Callable[[], History]]] = [
    ("no loss", lose_the_job),
    ("no invention", invent_a_job),
    ("no invention", change_its_kind),
    ("every job ended", leave_it_waiting),
    ("every job ended", leave_it_nowhere),
    ("one success", succeed_twice),
    ("effect once", double_the_effect),
    ("effect once", miss_the_effect),
    ("effect once", leave_an_effect_of_a_job_that_died),
    ("no late write", write_an_effect_under_a_lapsed_lease),
    ("no late write", write_an_effect_without_any_outcome),
    ("no late write", succeed_under_an_old_fence),
    ("no late write", let_an_old_attempt_settle_a_new_one),
    ("one outcome each", end_an_attempt_twice),
    ("attempts in a row", skip_an_attempt),
    ("attempts in a row", start_with_attempt_two),
    ("fences grow", use_a_fence_again),
    ("failures add up", charge_the_first_lapse),
    ("failures add up", forget_a_failure),
    ("failures add up", charge_a_hand_back),
    ("lapses add up", forget_a_lapse),
    ("lapses add up", keep_lapses_after_a_failure),
    ("deaths are earned", die_too_early),
    ("deaths are earned", live_too_long),
    ("terminal is last", go_on_after_success),
    ("terminal is last", stand_somewhere_after_the_end),
    ("not before run at", start_too_early),
    ("time goes on", end_before_the_start),
]


def test_a_good_history_has_no_violation() -> None:
    assert check(GOOD) == []


@pytest.mark.parametrize(
    ("invariant", "break_it"), BROKEN, ids=lambda each: getattr(each, "__name__", None)
)
def test_a_broken_history_is_noticed(invariant: str, break_it: Callable[[], History]) -> None:
    assert invariant in {each.invariant for each in check(break_it())}


def test_every_invariant_has_a_history_that_breaks_it() -> None:
    assert {invariant for invariant, _ in BROKEN} == INVARIANTS.keys()


def test_a_job_without_a_transaction_has_no_effect_to_check() -> None:
    expected = {JOB: Expected(kind="pay", has_effect=False)}
    assert check(replace(GOOD, expected=expected, effects=[])) == []


def test_a_death_by_lapse_is_charged_like_any_other() -> None:
    history = with_outcomes(
        outcome(1, "lapsed", lapses=1, error="lapsed: …"),
        outcome(2, "dead", failures=1, lapses=2, error="lapsed: …"),
        effects=[],
        jobs=[JobRow(id=JOB, kind="pay", max_attempts=1)],
    )
    assert check(history) == []
