"""A person may change a memory and take a change back; what a person has said stands."""

from __future__ import annotations

import pytest

from leasehold.kit.data import Database
from leasehold_memory.data import units
from leasehold_memory.errors import BadEdit, VersionNotFound
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from tests.memory.data.kit import NOON, fact, say, summary


def test_an_edit_is_the_next_version_and_found_by_its_new_words(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(connection, "I moved to Osaka")
        saved = units.edit(connection, unit_id, {"user_text": "I moved to Nagoya"}, tags=["move"])
        newest = units.versions(connection, unit_id)[0]
        found = units.find(connection, q="nagoya").units
        gone = units.find(connection, q="osaka").units
    assert (saved.version, newest.author) == (2, "person")
    assert [(each.id, each.tags) for each in found] == [(unit_id, ("move",))]
    assert gone == []


def test_an_edit_that_changes_nothing_is_no_version(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(connection, "I moved")
        saved = units.edit(connection, unit_id, {"user_text": "I moved"})
        assert (saved.version, saved.is_changed) == (1, False)
        assert units.get(connection, unit_id).held == ()


def test_rollback_says_again_what_was_said_with_its_tags(database: Database) -> None:
    with database.write() as connection:
        unit_id = summary(connection, "first", tags=["a"]).unit_id
        summary(connection, "second", tags=["b"])
        saved = units.rollback(connection, unit_id, 1)
        found = units.get(connection, unit_id)
        history = units.versions(connection, unit_id)
        again = units.rollback(connection, unit_id, 1)
    assert (saved.version, found.payload["summary_text"], found.tags) == (3, "first", ("a",))
    assert [each.author for each in history] == ["rollback", "job", "job"]
    assert history[0].payload_hash == history[2].payload_hash
    assert not again.is_changed


def test_rollback_to_a_version_that_never_was_is_refused(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(connection)
        with pytest.raises(VersionNotFound, match="no version 7"):
            units.rollback(connection, unit_id, 7)


def test_deriving_a_fact_again_leaves_what_a_person_said_of_it(database: Database) -> None:
    with database.write() as connection:
        unit_id = fact(connection, "Osaka").unit_id
        units.edit(connection, unit_id, {"object_text": "Sakai"})
        same = fact(connection, "Osaka")
        closed = fact(connection, "Osaka", valid_to=NOON, state=UnitState.CLOSED)
        found = units.get(connection, unit_id)
    assert (same.version, same.is_changed) == (2, False)
    assert closed.version == 3
    assert (found.payload["object_text"], found.state) == ("Sakai", UnitState.CLOSED)


def test_a_summary_that_a_person_changed_is_written_anew_when_it_is_derived(
    database: Database,
) -> None:
    with database.write() as connection:
        unit_id = summary(connection, "first").unit_id
        units.edit(connection, unit_id, {"summary_text": "mine"})
        summary(connection, "next week's")
        found = units.get(connection, unit_id)
    assert (found.version, found.payload["summary_text"]) == (3, "next week's")


def test_a_loop_that_a_person_closed_stays_closed(database: Database) -> None:
    with database.write() as connection:
        episode = say(connection)
        payload = {"loop_text": "call Emma", "due_at": NOON}
        loop = units.save(connection, UnitKind.LOOP, "call emma", payload, occurred_at=NOON)
        units.edit(connection, loop.unit_id, {"is_open": False})
        units.save(connection, UnitKind.LOOP, "call emma", payload, occurred_at=NOON)
        units.set_evidence(connection, episode, UnitKind.LOOP, [loop.unit_id])
        found = units.get(connection, loop.unit_id)
    assert (found.state, found.payload["is_open"]) == (UnitState.CLOSED, False)


def test_a_person_may_make_a_fact_more_sensitive_than_its_sources(database: Database) -> None:
    with database.write() as connection:
        episode, unit_id = say(connection), fact(connection).unit_id
        units.edit(connection, unit_id, {}, sensitivity=Sensitivity.PRIVATE)
        units.set_evidence(connection, episode, UnitKind.FACT, [unit_id])
        fact(connection)
        assert units.get(connection, unit_id).sensitivity is Sensitivity.PRIVATE


def test_a_fact_that_is_rolled_back_to_when_it_held_is_open_again(database: Database) -> None:
    with database.write() as connection:
        unit_id = fact(connection).unit_id
        units.edit(connection, unit_id, {"valid_to": "2026-03-02T00:00:00+09:00"})
        closed = units.get(connection, unit_id)
        units.rollback(connection, unit_id, 1)
        back = units.get(connection, unit_id)
    assert (closed.state, closed.payload["valid_to"][:13]) == (UnitState.CLOSED, "2026-03-01T15")
    assert (back.state, back.payload["valid_to"]) == (UnitState.ACTIVE, None)


def test_nobody_can_make_a_fact_less_sensitive_than_its_sources(database: Database) -> None:
    with database.write() as connection:
        episode = say(connection, sensitivity=Sensitivity.SECRET)
        unit_id = fact(connection, evidence=[episode]).unit_id
        with pytest.raises(BadEdit, match="at least secret"):
            units.edit(connection, unit_id, {}, sensitivity=Sensitivity.NORMAL)


def test_an_episode_that_becomes_secret_makes_secret_what_was_derived_from_it(
    database: Database,
) -> None:
    with database.write() as connection:
        episode, unit_id = say(connection), fact(connection).unit_id
        units.set_evidence(connection, episode, UnitKind.FACT, [unit_id])
        units.edit(connection, episode, {}, sensitivity=Sensitivity.SECRET)
        assert units.get(connection, unit_id).sensitivity is Sensitivity.SECRET


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"subject_id": 3}, "subject_id"),
        ({"object_text": " "}, "object_text"),
        ({"object_text": 3}, "object_text"),
        ({"object_text": "\ud800"}, "object_text"),
        ({"object_text": "a\0b"}, "object_text"),
        ({"object_text": "x" * 100_001}, "object_text"),
        ({"confidence": 2}, "confidence"),
        ({"confidence": True}, "confidence"),
        ({"valid_to": "tomorrow"}, "valid_to"),
        ({"valid_to": 5}, "valid_to"),
        ({"valid_to": "0001-01-01T00:00:00+14:00"}, "valid_to"),
    ],
)
def test_what_a_fact_can_t_be_is_refused_by_its_field_and_changes_nothing(
    database: Database, changes: dict[str, object], field: str
) -> None:
    with database.write() as connection:
        unit_id = fact(connection).unit_id
        with pytest.raises(BadEdit) as caught:
            units.edit(connection, unit_id, changes)
        assert units.get(connection, unit_id).version == 1
    assert caught.value.field == field
