"""Loops: open until an episode says that they are over, whichever is derived last."""

from __future__ import annotations

from datetime import date

import pytest

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.deriving import loops
from leasehold_memory.model.answers import FoundLoop, Loops
from leasehold_memory.model.units import UnitKind, UnitState
from tests.memory.deriving.kit import World
from tests.memory.deriving.test_facts import Job


def say_loops(world: World, unit_id: int, *found: FoundLoop) -> None:
    with world.memory.database.write() as connection:
        job = Job()
        loops.write(connection, unit_id, Loops(loops=list(found)), job)  # type: ignore[arg-type]


@pytest.fixture
def spoken(world: World) -> World:
    for day in range(3):
        world.say(f"day {day}", day=day, follows=False)
    return world


OPENED = FoundLoop(text="call Emma", due_on=date(2026, 3, 2))
DONE = FoundLoop(text="Call  Emma", is_done=True)


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
def test_a_loop_is_closed_by_a_later_episode_in_whatever_order_they_are_derived(
    spoken: World, order: tuple[int, int]
) -> None:
    for unit_id in order:
        say_loops(spoken, unit_id, OPENED if unit_id == 1 else DONE)
    loop = spoken.only(UnitKind.LOOP)
    assert (loop.state, loop.payload["is_open"]) == (UnitState.CLOSED, False)
    assert loop.evidence == (1, 2)


def test_a_loop_that_is_opened_again_is_open(spoken: World) -> None:
    say_loops(spoken, 2, DONE)
    say_loops(spoken, 3, OPENED)
    say_loops(spoken, 1, OPENED)
    loop = spoken.only(UnitKind.LOOP)
    assert loop.state is UnitState.ACTIVE
    assert loop.payload["due_at"] == "2026-03-02T00:00:00.000000+00:00"


def test_a_loop_whose_end_was_a_mistake_is_open_again(spoken: World) -> None:
    say_loops(spoken, 1, OPENED)
    say_loops(spoken, 2, DONE)
    say_loops(spoken, 2)
    assert spoken.only(UnitKind.LOOP).state is UnitState.ACTIVE


def test_a_loop_that_nobody_speaks_of_any_more_is_retracted(spoken: World) -> None:
    say_loops(spoken, 1, OPENED)
    say_loops(spoken, 1)
    assert spoken.only(UnitKind.LOOP).state is UnitState.RETRACTED


def test_a_loop_is_closed_however_its_end_is_worded_since_the_model_is_shown_what_is_open(
    world: World,
) -> None:
    world.say("I have to finish the report.", follows=False)
    world.say("I have finished the report.", day=1, follows=False)
    for unit_id in (1, 2, 2):  # again: it is asked the same
        assert world.run(tasks.extract_loops, unit_id).state == "succeeded"
    loop = world.only(UnitKind.LOOP)
    assert (loop.payload["loop_text"], loop.state) == ("finish the report", UnitState.CLOSED)
    assert loop.version == 2


def test_a_loop_that_a_person_has_reworded_is_closed_by_its_new_words(spoken: World) -> None:
    say_loops(spoken, 1, OPENED)
    with spoken.memory.database.write() as connection:
        units.edit(connection, spoken.only(UnitKind.LOOP).id, {"loop_text": "Ring Emma up"})
    say_loops(spoken, 2, FoundLoop(text="Ring Emma up", is_done=True))
    loop = spoken.only(UnitKind.LOOP)
    assert (loop.state, loop.payload["loop_text"]) == (UnitState.CLOSED, "Ring Emma up")
