"""What pages ask: what was remembered last, by which job, and of whom how often."""

from __future__ import annotations

from uuid import uuid4

from leasehold.kit.data import Database
from leasehold_memory.data import browsing, entities, units
from leasehold_memory.model.units import UnitKind, UnitState
from tests.memory.data.kit import fact, say, summary

BOTH = [UnitKind.FACT, UnitKind.SUMMARY]


class Attempt:
    """One of a job."""

    def __init__(self) -> None:
        self.id = uuid4()
        self.attempt = 2


def test_what_changed_last_comes_first_and_what_was_said_or_is_over_not_at_all(
    database: Database,
) -> None:
    with database.write() as connection:
        said = say(connection)
        week = summary(connection, "They met.", evidence=[said]).unit_id
        lives = fact(connection, evidence=[said]).unit_id
        fact(connection, "Kyoto", evidence=[said], state=UnitState.CLOSED)
        assert _ids(browsing.remembered(connection, BOTH, limit=9)) == [lives, week]
        summary(connection, "They met again.", evidence=[said])
        assert _ids(browsing.remembered(connection, BOTH, limit=2)) == [week, lives]
        assert _ids(browsing.remembered(connection, BOTH[1:], limit=9)) == [week]


def test_what_was_remembered_last_is_found_by_an_index(database: Database) -> None:
    with database.read() as connection:
        plan = connection.exec_driver_sql(
            "EXPLAIN QUERY PLAN SELECT * FROM units WHERE kind + 0 IN (2, 7)"
            " AND state = 'active' ORDER BY updated_at DESC, id DESC LIMIT 20"
        ).all()
    assert "units_changed" in str(plan)
    assert "TEMP B-TREE" not in str(plan)


def test_a_memory_is_found_by_the_job_that_derived_it(database: Database) -> None:
    job = Attempt()
    with database.write() as connection:
        said = say(connection)
        derived = fact(connection, evidence=[said], job=job).unit_id
        fact(connection, "Kyoto", evidence=[said])
        assert _ids(browsing.derived_by(connection, job.id, limit=9)) == [derived]


def test_of_a_person_there_are_a_summary_and_a_count_of_memories(database: Database) -> None:
    with database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma")
        taro = entities.resolve(connection, "person", "太郎")
        said = [say(connection), say(connection)]
        for each in said:
            entities.mention(connection, each, {emma: 1.0})
        about = {"scope_key": f"person:{emma}", "entity_id": emma}
        made = summary(connection, "A sister.", evidence=said, payload=about).unit_id
        found = browsing.summary_of(connection, emma)
        assert found is not None
        assert (found.id, browsing.summary_of(connection, taro)) == (made, None)
        assert browsing.mentions_of(connection, [emma, taro]) == {emma: 2}
        assert browsing.names_of(connection, [emma, taro]) == {emma: "Emma", taro: "太郎"}


def _ids(found: list[units.Unit]) -> list[int]:
    return [each.id for each in found]
