"""Everything is derived again from episodes, and ends in the same hashes."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import delete

import leasehold as lh
from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.checking import enqueue_due
from leasehold_memory.data.tables import edge, unit, unit_vector
from leasehold_memory.model.units import UnitKind, UnitState
from leasehold_memory.replaying import Replayed, replay
from tests.memory.deriving.kit import World, open_world
from tests.memory.deriving.test_idempotence import SAID


def settle(world: World) -> None:
    """Let all be done that is due by then."""
    world.work()
    while enqueue_due(world.memory, datetime.now(UTC) + timedelta(days=1)):
        testing.drain(world.client, tasks)


@pytest.fixture(scope="module")
def settled(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """A memory in which nothing is left to do."""
    with open_world(tmp_path_factory.mktemp("home")) as world:
        for day, text in enumerate(SAID):
            world.say(text, day=day)
        settle(world)
        yield world


def test_a_replay_ends_in_the_same_hashes_without_a_new_version(settled: World) -> None:
    before, rows = settled.hashes(), settled.rows()
    summaries = len(settled.find(UnitKind.SUMMARY))
    assert replay(settled.memory) == Replayed(4, 4 * 5 + 1 + summaries)  # and a capsule
    settled.work()
    assert settled.hashes() == before
    assert settled.rows()["unit_versions"] == rows["unit_versions"]
    assert {job.state for job in settled.client.find(limit=1_000)} == {"succeeded"}


def test_what_was_lost_is_derived_again(settled: World) -> None:
    before = settled.hashes()
    with settled.memory.database.write() as connection:
        connection.execute(delete(unit).where(unit.c.kind != UnitKind.EPISODE))
    assert settled.hashes() == {}
    replay(settled.memory)
    settled.work()
    assert settled.hashes() == before


def test_in_whatever_order_episodes_come_and_jobs_run_it_ends_the_same(
    world: World, other_world: World
) -> None:
    for day, text in enumerate(SAID):
        world.say(text, day=day)
    world.work()
    for day, text in reversed(list(enumerate(SAID))):
        other_world.say(text, day=day)
    testing.advance(other_world.client, "11s")
    lh.Worker(other_world.client, tasks, slots=4).run(until_empty=True)
    facts = (UnitKind.FACT, UnitKind.LOOP, UnitKind.CAPSULE)
    assert said_by(world, *facts) == said_by(other_world, *facts)


def said_by(world: World, *kinds: UnitKind) -> dict[str | None, object]:
    """Return what units say, but for numbers, which count who was met first."""
    numbers = {"subject_id", "object_id", "entity_id"}
    return {
        each.identity: (
            each.state,
            {name: value for name, value in each.payload.items() if name not in numbers},
        )
        for kind in kinds
        for each in world.find(kind)
    }


def test_what_nothing_speaks_for_is_retracted(world: World) -> None:
    world.say(SAID[0])
    world.work()
    with world.memory.database.write() as connection:
        connection.execute(delete(edge))
    with world.memory.database.write() as connection:
        connection.execute(delete(unit).where(unit.c.kind == UnitKind.EPISODE))
    assert replay(world.memory).episodes == 0
    world.work()
    states = {each.state for kind in UnitKind for each in world.find(kind)}
    assert states == {UnitState.RETRACTED}
    with world.memory.database.read() as connection:
        assert connection.execute(unit_vector.select()).all() == []


def test_a_replay_twice_at_once_makes_each_job_once(world: World) -> None:
    world.say(SAID[0], follows=False)
    assert replay(world.memory).jobs == 7
    assert replay(world.memory).jobs == 0
