"""A unit that is written again is the same unit, and the same payload again is no change."""

from __future__ import annotations

import hashlib
import json
from uuid import UUID

import pytest
from sqlalchemy import func, select

from leasehold.kit.data import Database
from leasehold_memory.data import units
from leasehold_memory.data.tables import payload_summary, unit, unit_version
from leasehold_memory.errors import BadPayload, SourceGone, UnitNotFound
from leasehold_memory.model.hashing import canonical_json
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from tests.memory.data.kit import NOON, fact, say, summary


class Attempt:
    id = UUID("01890000-0000-7000-8000-000000000001")
    attempt = 2


def test_an_episode_is_stored_with_its_first_version(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(
            connection, "猫が好き", tags=["\uff21\uff29", "AI", " AI "], conversation="c1"
        )
        found = units.get(connection, unit_id)
        [version] = units.versions(connection, unit_id)
    assert (found.kind, found.version, found.tags) == (UnitKind.EPISODE, 1, ("AI",))
    assert found.payload["user_text"] == "猫が好き"
    assert found.occurred_at == NOON
    assert version.author == "chat"
    assert version.payload == {**found.payload, "topic_tags": ["AI"]}


def test_the_hash_is_sha_256_of_the_version_s_canonical_json(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(connection)
        [version] = units.versions(connection, unit_id)
        stored = connection.scalar(select(unit.c.payload_hash))
    expected = hashlib.sha256(canonical_json(version.payload).encode()).hexdigest()
    assert stored == version.payload_hash == expected


def test_the_same_payload_ten_times_is_one_version_and_touches_nothing(database: Database) -> None:
    rows = set()
    with database.write() as connection:
        episode = say(connection)
    for turn in range(10):
        with database.write() as connection:
            saved = fact(connection, evidence=[episode], job=Attempt())
            rows.add(connection.execute(select(unit).where(unit.c.id == saved.unit_id)).one())
        assert saved.is_changed is (turn == 0)
    with database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(unit)) == 2
        assert connection.scalar(select(func.count()).select_from(unit_version)) == 2
    assert len(rows) == 1


def test_another_payload_is_the_next_version_and_leads_back_to_its_job(database: Database) -> None:
    with database.write() as connection:
        episode = say(connection)
        summary(connection, "first", evidence=[episode])
        saved = summary(connection, "second", evidence=[episode], job=Attempt())
        found = units.get(connection, saved.unit_id)
        history = units.versions(connection, saved.unit_id)
        row = connection.execute(select(payload_summary)).one()
    assert saved == (found.id, 2, True)
    assert [each.version for each in history] == [2, 1]
    assert (found.job_id, found.attempt, found.evidence) == (Attempt.id, 2, (episode,))
    assert row.summary_text == "second"
    assert row.summary_json == {"summary_text": "second", "key_events": [], "bond_state": "close"}


def test_values_of_now_make_no_version(database: Database) -> None:
    with database.write() as connection:
        summary(connection, "same", payload={"summary_json": {"generated_at": "2026-01-01"}})
        again = summary(
            connection, "same", payload={"summary_json": {"generated_at": "2026-02-02"}}
        )
    assert (again.version, again.is_changed) == (1, False)


def test_tags_are_part_of_what_is_hashed_however_they_are_written(database: Database) -> None:
    with database.write() as connection:
        summary(connection, "x", tags=["AI", "cats"])
        same = summary(connection, "x", tags=[" cats", "\uff21\uff29", "AI"])
        other = summary(connection, "x", tags=["cats"])
        stored = connection.scalar(select(unit.c.topic_tags))
    assert (same.version, other.version, stored) == (1, 2, '["cats"]')


def test_a_reflection_fills_in_once(database: Database) -> None:
    with database.write() as connection:
        unit_id = say(connection)
        first = units.reflect(connection, unit_id, {"mood": "glad"}, author="job", job=Attempt())
        again = units.reflect(connection, unit_id, {"mood": "sad"}, author="job")
        found = units.get(connection, unit_id)
    assert (first.version, first.is_changed) == (2, True)
    assert (again.version, again.is_changed) == (2, False)
    assert found.payload["reflection"] == {"mood": "glad"}


def test_what_is_derived_is_as_sensitive_as_its_most_sensitive_source(database: Database) -> None:
    with database.write() as connection:
        plain, secret = say(connection), say(connection, sensitivity=Sensitivity.SECRET)
        unit_id = fact(connection).unit_id
        units.set_evidence(connection, plain, UnitKind.FACT, [unit_id])
        before = units.get(connection, unit_id).sensitivity
        units.set_evidence(connection, secret, UnitKind.FACT, [unit_id])
        both = units.get(connection, unit_id).sensitivity
        again = fact(connection)
        units.set_evidence(connection, secret, UnitKind.FACT, [])
        after = units.get(connection, unit_id).sensitivity
    assert [before, both, after] == [Sensitivity.NORMAL, Sensitivity.SECRET, Sensitivity.NORMAL]
    assert not again.is_changed


def test_deriving_an_episode_again_retracts_what_nothing_speaks_for(database: Database) -> None:
    with database.write() as connection:
        one, two = say(connection), say(connection)
        osaka, kyoto = fact(connection, "Osaka").unit_id, fact(connection, "Kyoto").unit_id
        units.set_evidence(connection, one, UnitKind.FACT, [osaka, kyoto])
        units.set_evidence(connection, two, UnitKind.FACT, [kyoto])
        left = units.set_evidence(connection, one, UnitKind.FACT, [])
        states = [units.get(connection, each).state for each in (osaka, kyoto)]
        words = units.find(connection, q="Osaka", kind=UnitKind.FACT).units
        units.set_evidence(connection, one, UnitKind.FACT, [osaka])
        back = units.find(connection, q="Osaka", kind=UnitKind.FACT).units
    assert left == [osaka, kyoto]
    assert states == [UnitState.RETRACTED, UnitState.ACTIVE]
    assert words == []
    assert [(each.id, each.state) for each in back] == [(osaka, UnitState.ACTIVE)]


def test_a_closed_fact_that_is_spoken_of_again_stays_closed(database: Database) -> None:
    with database.write() as connection:
        episode = say(connection)
        saved = fact(connection, valid_to=NOON, state=UnitState.CLOSED)
        units.set_evidence(connection, episode, UnitKind.FACT, [saved.unit_id])
        found = units.get(connection, saved.unit_id)
    assert found.state is UnitState.CLOSED
    assert found.payload["valid_to"] == "2026-03-01T12:00:00.000000+00:00"


def test_nothing_is_derived_from_an_episode_that_is_gone(database: Database) -> None:
    with pytest.raises(SourceGone) as caught, database.write() as connection:
        fact(connection, evidence=[99])
    assert caught.value.unit_ids == [99]
    with database.read() as connection:
        assert connection.scalar(select(func.count()).select_from(unit)) == 0


def test_a_field_that_the_kind_does_not_have_is_refused(database: Database) -> None:
    with pytest.raises(BadPayload, match="no field mood"), database.write() as connection:
        units.save(connection, UnitKind.LOOP, "x", {"mood": 1}, occurred_at=NOON)


def test_a_unit_that_is_not_there_is_told_by_its_number(database: Database) -> None:
    with pytest.raises(UnitNotFound, match="no unit 7"), database.read() as connection:
        units.get(connection, 7)


def test_versions_keep_text_as_it_is(database: Database) -> None:
    with database.write() as connection:
        say(connection, "猫")
        raw = connection.exec_driver_sql("SELECT payload FROM unit_versions").scalar_one()
    assert "猫" in raw
    assert json.loads(raw)["user_text"] == "猫"
