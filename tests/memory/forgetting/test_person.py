"""Forgetting a person leaves no trace of them, and all the rest as it was."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, event, func, select

import leasehold as lh
from leasehold_memory.data import entities, refreshes, units
from leasehold_memory.data.tables import entity, erasure, metadata, unit, unit_vector
from leasehold_memory.errors import EntityNotFound
from leasehold_memory.forgetting import finish, forget_person
from leasehold_memory.model.units import UnitKind, UnitState
from leasehold_memory.opening import Memory
from tests.memory.data.kit import NOON, fact, say, summary
from tests.memory.forgetting.traces import bytes_with, terms_with

TRACES = ("zephyrina", "熊五郎", "zeph", "borrowed my cello", "ゼフィ")


@lh.task(queue="memory", max_attempts=1)
def derive(unit_id: int, *, is_bad: bool = False) -> str:
    job = lh.current_job()
    job.checkpoint({"about": "Zephyrina"})
    if is_bad:
        raise ValueError("no answer about Zephyrina")
    return f"Zephyrina has borrowed my cello {unit_id}"


@lh.task(queue="memory")
def refresh(entity_id: int) -> None:
    """Wait for somebody to do it."""


def _vector(memory: Memory, unit_id: int) -> None:
    with memory.database.write() as connection:
        row = {"unit_id": unit_id, "dimension": 256, "text_hash": "x", "vector": b"zephyrina"}
        connection.execute(unit_vector.insert().values(**row))


class Scene:
    """A person of whom much is said, in many ways, and somebody else."""

    def __init__(self, memory: Memory) -> None:
        with memory.database.write() as connection:
            resolve = entities.resolve
            self.person = resolve(connection, "person", "Zephyrina", ["Zeph", "熊五郎", "ゼフィ"])
            self.bob = resolve(connection, "person", "Bob")
            self.wedding = resolve(connection, "topic", "Zephyrina's wedding")
            self.cats = resolve(connection, "topic", "cats")
            self.linked = say(connection, "She has borrowed my cello", tags=["Zephyrina"])
            entities.mention(connection, self.linked, {self.person: 1.0, self.wedding: 1.0})
            self.named = say(connection, "\uff3aEPHYRINA called", reply="熊五郎さんによろしく")
            self.edited = say(connection, "Zephyrina was here")
            units.edit(connection, self.edited, {"user_text": "Somebody was here"})
            self.other = say(connection, "Bob likes cats")
            entities.mention(connection, self.other, {self.bob: 1.0, self.cats: 1.0})
            self._derive(connection)
        self._do_jobs(memory)

    def _derive(self, connection: Connection) -> None:
        self.own_fact = fact(connection, "Osaka", subject_id=self.person).unit_id
        self.fact = fact(connection, "Kyoto").unit_id
        units.set_evidence(connection, self.named, UnitKind.FACT, [self.own_fact, self.fact])
        units.set_evidence(connection, self.other, UnitKind.FACT, [self.fact])
        self.retracted = fact(connection, "Zephyrina", state=UnitState.RETRACTED).unit_id
        self.bond = summary(connection, "A week", evidence=[self.linked, self.other]).unit_id
        refreshes.note(connection, "rolling:7d", self.other, now=NOON)
        self.loop = units.save(
            connection,
            UnitKind.LOOP,
            "call zephyrina",
            {"loop_text": "call her"},
            occurred_at=NOON,
        ).unit_id

    def _do_jobs(self, memory: Memory) -> None:
        for unit_id in (self.linked, self.own_fact, self.other):
            memory.client.enqueue(derive, unit_id)
        memory.client.enqueue(derive, self.named, is_bad=True)
        lh.Worker(memory.client, [derive]).run(until_empty=True)
        memory.client.enqueue(derive.with_options(delay="1h"), self.linked)
        memory.client.enqueue(refresh, self.person)
        _vector(memory, self.linked)


@pytest.fixture
def scene(memory: Memory) -> Scene:
    """Written as most builds of SQLite do it: what is deleted is not written over."""
    event.listen(memory.database.engine, "connect", _delete_carelessly)
    memory.database.engine.dispose()
    return Scene(memory)


def _delete_carelessly(connection: Any, _record: object) -> None:
    connection.execute("PRAGMA secure_delete = OFF")


def test_every_trace_of_a_person_is_out_of_the_files(
    memory: Memory, home: Path, scene: Scene
) -> None:
    assert bytes_with(home, *TRACES)
    assert terms_with(memory, "zep", "熊")
    _forget_the_other_s_job(memory, scene)
    forgotten = forget_person(memory, scene.person)
    assert forgotten.is_erased
    assert bytes_with(home, *TRACES) == {}
    assert terms_with(memory, "zep", "eph", "熊", "五郎", "cel") == []
    assert bytes_with(home, "Bob likes cats")


def _forget_the_other_s_job(memory: Memory, scene: Scene) -> None:
    """Delete the one whose result is about Zephyrina though it was about Bob's episode."""
    for job in memory.client.each(kind=derive):
        if job.args == {"unit_id": scene.other}:
            memory.client.delete(job.id)


def test_rows_of_others_stay_and_what_lost_its_source_is_due_again(
    memory: Memory, scene: Scene
) -> None:
    forgotten = forget_person(memory, scene.person)
    with memory.database.read() as connection:
        left = set(connection.scalars(select(unit.c.id)))
        known = set(connection.scalars(select(entity.c.id)))
        kept = units.get(connection, scene.fact)
        bob = entities.get(connection, scene.bob).importance
        assert refreshes.get(connection, "rolling:7d").episode_id == 0
        assert connection.scalar(select(func.count()).select_from(erasure)) == 0
    assert left == {scene.other, scene.fact}
    assert known == {scene.bob, scene.cats}
    assert (kept.state, kept.evidence, bob) == (UnitState.ACTIVE, (scene.other,), 1.0)
    assert (forgotten.units, forgotten.jobs) == (7, 5)


def test_jobs_about_them_are_gone_with_their_history(memory: Memory, scene: Scene) -> None:
    forget_person(memory, scene.person)
    assert [job.args for job in memory.client.each()] == [{"unit_id": scene.other}]


def test_no_table_has_a_row_of_what_was_deleted(memory: Memory, scene: Scene) -> None:
    forget_person(memory, scene.person)
    with memory.database.read() as connection:
        # What is noted of changed vectors are numbers: by them caches learn that one is gone.
        for table in set(metadata.sorted_tables) - {metadata.tables["vector_changes"]}:
            for column in ("unit_id", "source_id", "target_id"):
                if column in table.c:
                    found = set(connection.scalars(select(table.c[column])))
                    assert found <= {scene.other, scene.fact}, table.name


def test_a_person_is_not_taken_for_one_with_a_longer_name(memory: Memory) -> None:
    with memory.database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma")
        watson = entities.resolve(connection, "person", "Emma Watson")
        film = say(connection, "I saw Emma Watson in a film")
        entities.mention(connection, film, {watson: 1.0})
        name = say(connection, "Emmanuel and the dilemma")
        both = say(connection, "Emma looks like Emma Watson")
    forget_person(memory, emma)
    with memory.database.read() as connection:
        left = set(connection.scalars(select(unit.c.id)))
    assert left == {film, name}
    assert both not in left


def test_an_alias_that_somebody_else_has_too_takes_nothing_with_it(memory: Memory) -> None:
    with memory.database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma", ["my sister"])
        entities.resolve(connection, "person", "Anna", ["my sister"])
        kept = say(connection, "my sister called")
    forget_person(memory, emma)
    with memory.database.read() as connection:
        assert units.get(connection, kept).id == kept


def test_who_is_unknown_is_told_and_nothing_is_touched(memory: Memory, scene: Scene) -> None:
    forget_person(memory, scene.person)
    with pytest.raises(EntityNotFound, match=f"no entity {scene.person}"):
        forget_person(memory, scene.person)
    assert finish(memory)
