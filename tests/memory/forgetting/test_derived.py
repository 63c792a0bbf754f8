"""What jobs have derived of a person by a real server's answers is forgotten like what was said."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from leasehold import testing
from leasehold_memory import tasks
from leasehold_memory.checking import enqueue_due
from leasehold_memory.data import entities
from leasehold_memory.forgetting import forget_person
from leasehold_memory.model.units import UnitKind
from leasehold_memory.replaying import replay
from leasehold_memory.retrieving import retrieve
from tests.memory.deriving.kit import World, open_world
from tests.memory.forgetting.traces import bytes_with, terms_with

SAID = (
    "My sister Emma lives in Osaka. She likes jazz and she works as a nurse.",
    "I met Tom at the concert. I live in Kyoto and I love ramen.",
    "I moved to Tokyo. Emma's birthday is on May 4. Tomorrow I will call Emma.",
    "妹の花子さんは横浜に住んでいます。明日、病院に行く予定です。",
)
OF_OTHERS = (1, 3)


def _hear(world: World, *days: int) -> World:
    for day in days:
        world.say(SAID[day], day=day)
    _settle(world)
    return world


def _settle(world: World) -> None:
    world.work()
    while enqueue_due(world.memory, datetime.now(UTC) + timedelta(days=1)):
        testing.drain(world.client, tasks)


def _known(world: World) -> set[tuple[str, ...]]:
    """Say what is remembered, by names: numbers differ from one memory to another."""
    with world.memory.database.read() as connection:
        names = {each.id: each.name for each in entities.find(connection, limit=100).entities}
    told: set[tuple[str, ...]] = {("entity", each) for each in names.values()}
    for kind in (UnitKind.FACT, UnitKind.LOOP):
        told |= {(kind.name, str(u.identity), u.state) for u in world.find(kind)}
    for each in world.find(UnitKind.SUMMARY):
        about = names.get(each.payload["entity_id"], each.payload["scope_key"])
        told.add(("summary", about, each.payload["summary_text"]))
    return told | {("capsule", u.payload["capsule_text"]) for u in world.find(UnitKind.CAPSULE)}


def _found(world: World, text: str) -> list[str]:
    return [hit.text for hit in retrieve(world.memory, text, limit=50)]


def _person(world: World, name: str) -> int:
    with world.memory.database.read() as connection:
        return entities.find(connection, kind="person", q=name).entities[0].id


@pytest.fixture(scope="module")
def worlds(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, World]]:
    """One memory to forget people; one that never knew one of them."""
    homes = [tmp_path_factory.mktemp(name) for name in ("forgetful", "ignorant")]
    with open_world(homes[0]) as forgetful, open_world(homes[1]) as ignorant:
        yield _hear(forgetful, *range(len(SAID))), _hear(ignorant, *OF_OTHERS)


def test_a_memory_that_forgot_is_as_one_that_never_knew(worlds: tuple[World, World]) -> None:
    world, ignorant = worlds
    home, traces = world.memory.file.parent, ("emma", "nurse", "jazz", "osaka", "moved to")
    assert bytes_with(home, *traces)
    assert any("Emma" in text for text in _found(world, "Emma likes jazz"))
    assert forget_person(world.memory, _person(world, "Emma")).is_erased
    assert bytes_with(home, *traces) == {}
    assert terms_with(world.memory, "emm", "nurs", "jaz") == []
    assert not any("Emma" in text for text in _found(world, "Emma likes jazz"))
    _settle(world)
    assert _known(world) == _known(ignorant)


def test_a_replay_brings_nothing_back(worlds: tuple[World, World]) -> None:
    world, _ = worlds
    forget_person(world.memory, _person(world, "花子"))
    _settle(world)
    before = _known(world)
    replay(world.memory)
    _settle(world)
    assert _known(world) == before
    assert bytes_with(world.memory.file.parent, "花子", "横浜") == {}
