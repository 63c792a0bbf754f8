"""An idle fleet takes turns at wake-ups, and shares its looks at the queues."""

from __future__ import annotations

from collections import Counter

import pytest

from leasehold.model.ids import WorkerId
from leasehold.model.values import Fleet
from leasehold.store.base import Wake
from leasehold.worker.turns import (
    LAPSE_LOOKERS,
    SPARE_LOOKS,
    looks_for_lapses,
    place_in_line,
    seconds_between_surveys,
)

WORKERS = [WorkerId(number) for number in range(10, 210)]
FLEET = Fleet(len(WORKERS), {"mail": WORKERS, "rare": WORKERS[:2]})


def places(wake: Wake, fleet: Fleet = FLEET) -> list[int]:
    return sorted(place_in_line(worker, wake, fleet) for worker in WORKERS)


def test_one_job_is_one_workers_turn_and_a_few_more_stand_by() -> None:
    found = places(Wake({"mail": 1}, turn=77))
    assert found == list(range(200))
    assert sum(place <= SPARE_LOOKS for place in found) == 1 + SPARE_LOOKS


def test_as_many_have_their_turn_as_jobs_came() -> None:
    assert places(Wake({"mail": 30}, turn=5)).count(0) == 30
    assert set(places(Wake({"mail": 5_000}, turn=5))) == {0}


def test_turns_go_round() -> None:
    first = Counter(
        next(
            worker
            for worker in WORKERS
            if place_in_line(worker, Wake({"mail": 1}, turn), FLEET) == 0
        )
        for turn in range(1_000)
    )
    assert set(first.values()) == {5}


def test_a_queue_that_few_serve_is_not_left_to_chance() -> None:
    found = [place_in_line(worker, Wake({"rare": 1}, 999), FLEET) for worker in WORKERS[:2]]
    assert sorted(found) == [0, 1]


@pytest.mark.parametrize(
    ("wake", "fleet"),
    [
        (Wake(), FLEET),  # a poke: only this process knows
        (Wake({"*": 1}, 3), FLEET),  # a job whose queue its task decides
        (Wake({"mail": 1}, 3), Fleet()),  # before the first beat
        (Wake({"other": 1, "mail": 1}, 3), FLEET),
    ],
)
def test_who_can_not_know_whose_turn_it_is_looks(wake: Wake, fleet: Fleet) -> None:
    assert place_in_line(WORKERS[100], wake, fleet) == 0


@pytest.mark.parametrize(
    ("queues", "fleet", "seconds"),
    [
        (["mail"], Fleet(), 1.0),  # before the first beat
        ([], FLEET, 1.0),
        (["mail"], Fleet(40, {"mail": WORKERS[:40]}), 1.0),
        (["mail"], FLEET, 5.0),
        (["mail"], Fleet(2_000, {"mail": WORKERS * 10}), 10.0),
        (["mail", "rare"], FLEET, 1.0),  # which two others could not do for it
    ],
)
def test_the_more_look_at_a_queue_the_less_often_each_does(
    queues: list[str], fleet: Fleet, seconds: float
) -> None:
    assert seconds_between_surveys(1.0, queues, fleet) == seconds


def test_nobody_looks_more_often_than_was_asked_for() -> None:
    assert seconds_between_surveys(60.0, ["mail"], FLEET) == 60.0


@pytest.mark.parametrize("workers", [0, 1, LAPSE_LOOKERS, 10 * LAPSE_LOOKERS, 100 * LAPSE_LOOKERS])
def test_of_a_large_fleet_a_few_dozen_look_for_lapsed_leases(workers: int) -> None:
    lots = [number / max(1, workers) for number in range(max(1, workers))]
    looking = [lot for lot in lots if looks_for_lapses(lot, Fleet(workers))]
    assert len(looking) == min(len(lots), LAPSE_LOOKERS)


def test_when_those_who_looked_for_lapses_have_died_others_do() -> None:
    survivors = [lot / 200 for lot in range(200) if not looks_for_lapses(lot / 200, Fleet(200))]
    assert any(looks_for_lapses(lot, Fleet(len(survivors))) for lot in survivors)
