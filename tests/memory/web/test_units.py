"""Memories over HTTP: read, searched, put right and taken back, each change with its jobs."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from leasehold_memory.data import entities, units
from leasehold_memory.model.units import UnitKind
from leasehold_memory.opening import Memory
from tests.memory.web.kit import Asker

WHEN = datetime(2026, 3, 4, 9, tzinfo=UTC)
UNITS = "/api/memories/local/units"


@pytest.fixture
def episode(memory: Memory) -> int:
    with memory.database.write() as connection:
        return units.save_episode(
            connection,
            user_text="猫のタマを飼っています",
            reply_text="かわいいですね",
            occurred_at=WHEN,
            tags=["猫"],
        )


@pytest.fixture
def fact(memory: Memory, episode: int) -> int:
    with memory.database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma", ["エマ"])
        payload = {
            "subject_id": emma,
            "predicate": "lives_in",
            "object_text": "Kyoto",
            "confidence": 0.8,
        }
        saved = units.save(
            connection,
            UnitKind.FACT,
            "emma|lives_in|kyoto",
            payload,
            occurred_at=WHEN,
            evidence=[episode],
            entities={emma: 1.0},
        )
        return saved.unit_id


def kinds_of_jobs(memory: Memory) -> set[str]:
    return {job.kind for job in memory.client.find(limit=100)}


def test_units_are_listed_newest_first_and_found_by_any_word(asker: Asker, fact: int) -> None:
    page = asker.get(UNITS)
    assert [each["kind"] for each in page["units"]] == ["fact", "episode"]
    assert page["next"] is None
    for word in ("猫", "タマ", "飼っています"):
        assert [each["kind"] for each in asker.get(UNITS, q=word)["units"]] == ["episode"]
    first = asker.get(UNITS, limit=1)
    assert len(asker.get(UNITS, before=first["next"])["units"]) == 1
    assert [each["id"] for each in asker.get(UNITS, kind="fact")["units"]] == [fact]
    assert asker.get(UNITS, kind="loop")["units"] == []
    assert asker.get(UNITS, sensitivity="secret")["units"] == []


def test_a_unit_leads_back_to_what_speaks_for_it(asker: Asker, fact: int, episode: int) -> None:
    unit = asker.get(f"{UNITS}/{fact}")
    assert unit["evidence"] == [episode]
    assert unit["payload"]["object_text"] == "Kyoto"
    assert (unit["state"], unit["sensitivity"]) == ("active", "normal")


def test_an_edit_is_the_next_version_and_a_rollback_the_one_after(
    asker: Asker, memory: Memory, fact: int
) -> None:
    change = {"payload": {"object_text": "Osaka"}, "sensitivity": "private"}
    edited = asker.send("PATCH", f"{UNITS}/{fact}", change)
    assert (edited["version"], edited["payload"]["object_text"]) == (2, "Osaka")
    assert edited["sensitivity"] == "private"
    assert kinds_of_jobs(memory) == {"upsert_embeddings"}
    back = asker.send("POST", f"{UNITS}/{fact}/rollback", {"version": 1})
    assert (back["version"], back["payload"]["object_text"]) == (3, "Kyoto")
    versions = asker.get(f"{UNITS}/{fact}/versions")["versions"]
    assert [each["author"] for each in versions] == ["rollback", "person", "job"]
    assert versions[0]["payload_hash"] != versions[1]["payload_hash"]


def test_an_edit_that_changes_nothing_is_no_version_and_no_job(
    asker: Asker, memory: Memory, fact: int
) -> None:
    same = asker.send("PATCH", f"{UNITS}/{fact}", {"payload": {"object_text": "Kyoto"}})
    assert same["version"] == 1
    assert kinds_of_jobs(memory) == set()


def test_what_was_derived_from_an_episode_that_is_put_right_is_derived_again(
    asker: Asker, memory: Memory, episode: int
) -> None:
    asker.send("PATCH", f"{UNITS}/{episode}", {"payload": {"user_text": "犬を飼っています"}})
    assert {"extract_entities", "extract_facts", "upsert_embeddings"} <= kinds_of_jobs(memory)


@pytest.mark.parametrize(
    ("change", "status"),
    [
        ({"payload": {"predicate": "hates"}}, 422),
        ({"payload": {"object_text": ""}}, 422),
        ({"payload": {"confidence": 7}}, 422),
        ({"sensitivity": "hidden"}, 422),
        ({"unknown": 1}, 422),
        ([], 422),
    ],
)
def test_what_a_unit_cannot_say_is_refused_and_changes_nothing(
    asker: Asker, fact: int, change: Any, status: int
) -> None:
    before = asker.get(f"{UNITS}/{fact}")
    problem = asker.send("PATCH", f"{UNITS}/{fact}", change, status=status)
    assert problem["status"] == status
    assert asker.get(f"{UNITS}/{fact}") == before


def test_what_is_not_there_is_not_found(asker: Asker, fact: int) -> None:
    for path in (f"{UNITS}/999", f"{UNITS}/999/versions", "/api/memories/other/units"):
        assert asker.ask("GET", path).status_code == 404
    missing = asker.send("POST", f"{UNITS}/{fact}/rollback", {"version": 9}, status=404)
    assert missing["type"].endswith("version-not-found")


def test_people_are_found_by_any_of_their_names(asker: Asker, fact: int) -> None:
    (emma,) = asker.get("/api/memories/local/entities", q="エマ")["entities"]
    assert (emma["name"], emma["kind"], emma["aliases"]) == ("Emma", "person", ["エマ"])
    assert asker.get(f"/api/memories/local/entities/{emma['id']}") == emma
    assert [each["id"] for each in asker.get(UNITS, entity_id=emma["id"])["units"]] == [fact]
    assert asker.get("/api/memories/local/entities", kind="topic")["entities"] == []


def test_another_presets_memory_is_read_without_switching(asker: Asker, episode: int) -> None:
    settings = asker.get("/api/settings")
    other = settings["embedding_presets"][0] | {"id": "second", "name": "Second"}
    presets = [*settings["embedding_presets"], other]
    asker.send("PUT", "/api/settings", {"embedding_presets": presets})
    assert asker.get("/api/memories/second/units")["units"] == []
    assert [each["id"] for each in asker.get(UNITS)["units"]] == [episode]


def test_a_unit_is_forgotten_and_stays_so(asker: Asker, episode: int, fact: int) -> None:
    gone = asker.send("DELETE", f"{UNITS}/{fact}")
    assert (gone["units"], gone["is_erased"]) == (1, True)
    assert asker.ask("GET", f"{UNITS}/{fact}").status_code == 404
    assert asker.ask("DELETE", f"{UNITS}/{fact}").status_code == 404
    assert asker.get(f"{UNITS}/{episode}")["id"] == episode


def test_a_person_is_forgotten_with_what_was_remembered_of_them(asker: Asker, fact: int) -> None:
    (emma,) = asker.get("/api/memories/local/entities")["entities"]
    path = f"/api/memories/local/entities/{emma['id']}"
    assert asker.send("DELETE", path)["entities"] == 1
    assert asker.ask("GET", path).status_code == 404
    assert asker.ask("GET", f"{UNITS}/{fact}").status_code == 404
    assert asker.ask("DELETE", path).status_code == 404
