"""Facts: what was said last holds, and each leads back to the episodes that say it."""

from __future__ import annotations

import itertools

import pytest

from leasehold_memory import tasks
from leasehold_memory.data import units
from leasehold_memory.data.edges import SUPERSEDES
from leasehold_memory.data.tables import edge
from leasehold_memory.deriving import facts
from leasehold_memory.model.answers import Facts, FoundFact
from leasehold_memory.model.predicates import Predicate
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from tests.memory.deriving.kit import BEGAN, World

MOVES = ("I live in Kyoto.", "I moved to Tokyo.", "I live in Osaka.", "I moved to Tokyo.")


class Job:
    """Somebody who derives."""

    attempt = 1

    @property
    def id(self) -> None:
        return None


def say_facts(world: World, unit_id: int, *found: tuple[str, Predicate, str]) -> None:
    answer = Facts(facts=[FoundFact(subject=s, predicate=p, object=o) for s, p, o in found])
    with world.memory.database.write() as connection:
        facts.write(connection, unit_id, answer, Job())  # type: ignore[arg-type] # none is known


def stands(world: World) -> dict[str, tuple[str, int]]:
    """Return what each place is, and on which day it began to hold."""
    return {
        each.payload["object_text"]: (each.state, (each.occurred_at - BEGAN).days)
        for each in world.find(UnitKind.FACT)
    }


def test_the_place_that_was_said_last_holds_and_closes_the_others(world: World) -> None:
    said = [world.say(text, day=day, follows=False) for day, text in enumerate(MOVES)]
    for unit_id in said:
        world.run(tasks.extract_facts, unit_id)
    assert stands(world) == {"Kyoto": ("closed", 0), "Osaka": ("closed", 2), "Tokyo": ("active", 3)}
    kyoto, osaka, tokyo = world.find(UnitKind.FACT)
    assert (kyoto.payload["valid_to"], osaka.payload["valid_to"]) == (
        "2026-03-02T09:00:00.000000+00:00",
        "2026-03-04T09:00:00.000000+00:00",
    )
    assert tokyo.evidence == (said[1], said[3])
    with world.memory.database.read() as connection:
        rows = connection.execute(edge.select().where(edge.c.relation == SUPERSEDES)).all()
    assert {(row.source_id, row.target_id) for row in rows} == {
        (tokyo.id, kyoto.id),
        (tokyo.id, osaka.id),
    }


@pytest.fixture
def moved(world: World) -> World:
    for day, text in enumerate(MOVES[:3]):
        world.say(text, day=day, follows=False)
    return world


def test_in_whatever_order_episodes_are_derived_it_ends_the_same(moved: World) -> None:
    ends = []
    for order in itertools.permutations((1, 2, 3)):
        for unit_id in order:
            say_facts(moved, unit_id)
        for unit_id in order:
            place = ("Kyoto", "Tokyo", "Osaka")[unit_id - 1]
            say_facts(moved, unit_id, ("user", Predicate.LIVES_IN, place))
        ends.append(moved.hashes())
    assert all(end == ends[0] for end in ends)
    assert stands(moved)["Osaka"] == ("active", 2)


def test_a_fact_that_nothing_speaks_for_any_more_is_retracted_and_what_it_closed_holds_again(
    moved: World,
) -> None:
    say_facts(moved, 1, ("user", Predicate.LIVES_IN, "Kyoto"))
    say_facts(moved, 2, ("user", Predicate.LIVES_IN, "Tokyo"))
    say_facts(moved, 2)
    assert stands(moved) == {"Kyoto": ("active", 0), "Tokyo": ("retracted", 1)}


def test_one_fact_however_it_is_written_is_one_unit_in_the_words_of_who_said_it_last(
    moved: World,
) -> None:
    say_facts(moved, 2, ("User", Predicate.LIKES, "JAZZ"))
    say_facts(moved, 1, ("user", Predicate.LIKES, " jazz "))
    fact = moved.only(UnitKind.FACT)
    assert (fact.payload["object_text"], fact.evidence) == ("JAZZ", (1, 2))


def test_a_fact_is_as_secret_as_the_most_secret_episode_that_says_it(world: World) -> None:
    world.say("I love jazz.", follows=False)
    world.say("Between us: I love jazz.", sensitivity=Sensitivity.SECRET, follows=False)
    for unit_id in (1, 2):
        world.run(tasks.extract_facts, unit_id)
    assert world.only(UnitKind.FACT).sensitivity is Sensitivity.SECRET


def test_what_a_person_has_corrected_stays_when_it_is_derived_again(moved: World) -> None:
    say_facts(moved, 1, ("user", Predicate.LIKES, "jas"))
    fact = moved.only(UnitKind.FACT)
    with moved.memory.database.write() as connection:
        units.edit(connection, fact.id, {"object_text": "jazz"})
    say_facts(moved, 1, ("user", Predicate.LIKES, "jas"))
    assert moved.only(UnitKind.FACT).payload["object_text"] == "jazz"


def test_of_an_episode_that_was_deleted_nothing_is_derived(world: World) -> None:
    job = world.run(tasks.extract_facts, 77)
    assert job.state == "succeeded"
    assert world.find(UnitKind.FACT) == []
    assert world.server.asked("facts") == 0


def test_a_fact_between_people_is_about_both(world: World) -> None:
    world.say("…", follows=False)
    say_facts(world, 1, ("Emma", Predicate.FRIEND_OF, "Tom"))
    payload = world.only(UnitKind.FACT).payload
    assert payload["subject_id"] != payload["object_id"]
    assert None not in {payload["subject_id"], payload["object_id"]}
    assert world.only(UnitKind.FACT).state is UnitState.ACTIVE
