"""Steps come round in their own time, a little jittered, in virtual time."""

from __future__ import annotations

import pytest

from leasehold.upkeep.rounds import JITTER, Round, Rounds


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self.chance = 0.5

    def read(self) -> float:
        return self.now

    def rounds(self, *rounds: Round) -> Rounds:
        return Rounds(list(rounds), clock=self.read, chance=lambda: self.chance)


@pytest.fixture
def clock() -> Clock:
    return Clock()


def test_every_step_is_due_at_the_start(clock: Clock) -> None:
    ran: list[str] = []
    rounds = clock.rounds(Round(lambda: ran.append("a"), 1.0), Round(lambda: ran.append("b"), 99.0))
    assert rounds.seconds_to_next() == 0.0
    rounds.run_due()
    assert ran == ["a", "b"]


def test_each_step_has_its_own_time(clock: Clock) -> None:
    ran: list[str] = []
    rounds = clock.rounds(
        Round(lambda: ran.append("often"), 1.0), Round(lambda: ran.append("seldom"), 3.0)
    )
    for _ in range(4):
        rounds.run_due()
        clock.now += 1.0
    assert ran == ["often", "seldom", "often", "often", "often", "seldom"]


def test_a_step_that_is_not_due_is_not_run(clock: Clock) -> None:
    ran: list[int] = []
    rounds = clock.rounds(Round(lambda: ran.append(1), 1.0))
    rounds.run_due()
    clock.now += 0.99
    rounds.run_due()
    assert ran == [1]
    assert rounds.seconds_to_next() == pytest.approx(0.01)


@pytest.mark.parametrize(("chance", "wait"), [(0.0, 1 - JITTER), (0.5, 1.0), (1.0, 1 + JITTER)])
def test_jitter_spreads_the_next_time(clock: Clock, chance: float, wait: float) -> None:
    clock.chance = chance
    rounds = clock.rounds(Round(lambda: None, 1.0))
    rounds.run_due()
    assert rounds.seconds_to_next() == pytest.approx(wait)


def test_a_step_that_raises_is_due_again_after_its_pause_and_stops_no_other(clock: Clock) -> None:
    ran: list[str] = []

    def fail() -> None:
        ran.append("failed")
        raise ValueError

    rounds = clock.rounds(Round(fail, 1.0), Round(lambda: ran.append("fine"), 1.0))
    with pytest.raises(ValueError):  # noqa: PT011 - the step's own
        rounds.run_due()
    assert rounds.seconds_to_next() == 0.0  # the other one still waits for its turn
    rounds.run_due()
    assert ran == ["failed", "fine"]
    assert rounds.seconds_to_next() == pytest.approx(1.0)


def test_a_long_pause_is_not_made_up_for(clock: Clock) -> None:
    ran: list[int] = []
    rounds = clock.rounds(Round(lambda: ran.append(1), 1.0))
    rounds.run_due()
    clock.now += 100.0
    rounds.run_due()
    rounds.run_due()
    assert ran == [1, 1]
