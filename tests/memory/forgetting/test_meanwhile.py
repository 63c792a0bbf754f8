"""Whatever goes on while a person is forgotten, nothing of them comes back or stays for good."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace
from sqlalchemy import func, select

import leasehold as lh
from leasehold_memory.companion.chores import do_chores
from leasehold_memory.data import entities, units
from leasehold_memory.data.tables import erasure
from leasehold_memory.deriving import facts, loops
from leasehold_memory.errors import UnitNotFound
from leasehold_memory.forgetting import erasing, finish, forget_person, forget_unit, forgetting
from leasehold_memory.model.answers import Facts, FoundFact, FoundLoop, Loops
from leasehold_memory.model.predicates import Predicate
from leasehold_memory.model.units import UnitKind, UnitState
from leasehold_memory.opening import Memory, memory_of
from tests.memory.data.kit import NOON, fact, say, summary
from tests.memory.forgetting.traces import bytes_with


def _person(memory: Memory) -> tuple[int, int]:
    with memory.database.write() as connection:
        person = entities.resolve(connection, "person", "Zephyrina")
        episode = say(connection, "Zephyrina called")
        entities.mention(connection, episode, {person: 1.0})
    return person, episode


@lh.task(queue="memory", max_attempts=1, retry=lh.fixed("1h"))
def sum_up(unit_id: int, *, entity: int) -> None:
    """Read, let the person be forgotten, and write what was derived from what was read."""
    job = lh.current_job()
    memory = memory_of(job.client)
    forgotten = forget_person(memory, entity)
    assert not forgotten.is_erased
    with job.transaction() as connection:
        joined = memory.database.joined(connection)
        summary(joined, "Zephyrina called", evidence=[unit_id])


def test_a_job_that_read_them_before_writes_nothing_of_them_afterwards(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(forgetting, "PATIENCE_SECONDS", 0.1)
    person, episode = _person(memory)
    memory.client.enqueue(sum_up, episode, entity=person)
    lh.Worker(memory.client, [sum_up]).run(until_empty=True)
    with memory.database.read() as connection:
        assert units.find(connection).units == []
        assert connection.scalar(select(func.count()).select_from(erasure)) == 1
    assert finish(memory)
    assert list(memory.client.each()) == []
    assert bytes_with(home, "zephyrina") == {}


def test_what_a_reader_held_up_is_finished_later(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(erasing, "PATIENCE_SECONDS", 0.1)
    person, _ = _person(memory)
    with memory.database.read() as reader:
        reader.exec_driver_sql("SELECT count(*) FROM units").scalar_one()
        forgotten = forget_person(memory, person)
        assert not forgotten.is_erased
        assert not finish(memory)
    assert bytes_with(home, "zephyrina")
    assert finish(memory)
    assert bytes_with(home, "zephyrina") == {}


def test_what_a_crash_left_behind_is_finished_later(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any) -> bool:
        raise KeyboardInterrupt

    person, _ = _person(memory)
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "erase", crash)
        with pytest.raises(KeyboardInterrupt):
            forget_person(memory, person)
    assert bytes_with(home, "zephyrina")
    assert finish(memory)
    assert bytes_with(home, "zephyrina") == {}


def test_an_episode_is_forgotten_with_what_only_it_speaks_for(memory: Memory, home: Path) -> None:
    with memory.database.write() as connection:
        gone, other = say(connection, "I live in Osaka"), say(connection, "as I said: Kyoto")
        only, both = fact(connection, "Osaka").unit_id, fact(connection, "Kyoto").unit_id
        units.set_evidence(connection, gone, UnitKind.FACT, [only, both])
        units.set_evidence(connection, other, UnitKind.FACT, [both])
        loop = {"loop_text": "move", "due_at": NOON}
        kept = units.save(connection, UnitKind.LOOP, "move", loop, occurred_at=NOON).unit_id
    assert forget_unit(memory, gone).units == 2
    with memory.database.read() as connection:
        left = {each.id: each.state for each in units.find(connection).units}
    assert left == dict.fromkeys([other, both, kept], UnitState.ACTIVE)
    assert bytes_with(home, "osaka") == {}
    with pytest.raises(UnitNotFound):
        forget_unit(memory, gone)


def test_the_number_of_a_unit_that_was_deleted_never_comes_again(memory: Memory) -> None:
    with memory.database.write() as connection:
        gone = say(connection)
    forget_unit(memory, gone)
    with memory.database.write() as connection:
        assert say(connection) > gone


def test_what_a_forgotten_episode_had_closed_stands_again(memory: Memory) -> None:
    with memory.database.write() as connection:
        first, second = say(connection), say(connection, at=NOON + timedelta(days=1))
        for episode, place in ((first, "Osaka"), (second, "Kyoto")):
            stated = FoundFact(subject="user", predicate=Predicate.LIVES_IN, object=place)
            facts.write(connection, episode, Facts(facts=[stated]), None)
        loop = FoundLoop(text="move house")
        loops.write(connection, first, Loops(loops=[loop]), None)
        loops.write(connection, second, Loops(loops=[replace(loop, is_done=True)]), None)
        closed = units.find(connection, state=UnitState.CLOSED).units
    assert {each.kind for each in closed} == {UnitKind.FACT, UnitKind.LOOP}
    forget_unit(memory, second)
    with memory.database.read() as connection:
        left = {each.kind: each for each in units.find(connection, state=UnitState.ACTIVE).units}
    assert left.keys() == {UnitKind.EPISODE, UnitKind.FACT, UnitKind.LOOP}
    assert left[UnitKind.FACT].payload["object_text"] == "Osaka"
    assert left[UnitKind.FACT].payload["valid_to"] is None
    assert left[UnitKind.LOOP].payload["is_open"]


def test_the_companion_finishes_what_was_left(
    memory: Memory, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(forgetting, "erase", lambda _: False)
        person, _ = _person(memory)
        assert not forget_person(memory, person).is_erased
    do_chores(memory, NOON)
    assert bytes_with(home, "zephyrina") == {}
    with memory.database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(erasure)) == 0
