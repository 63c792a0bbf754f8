"""Memories in words: facts are sentences in either language, and each has its evidence."""

from __future__ import annotations

import pytest

from leasehold.kit.data import Database
from leasehold_memory.data import entities, units
from leasehold_memory.model.units import Sensitivity
from leasehold_memory.web.pages.showing import MOST_EVIDENCE, Shown, show
from leasehold_memory.web.texts import LANGUAGES
from tests.memory.data.kit import fact, say, summary

BRACES = "{subject} {0} {object.__class__} %s"


def shown(database: Database, unit_id: int, language: str = "en") -> Shown:
    with database.read() as connection:
        found = [units.get(connection, unit_id)]
        return show(connection, LANGUAGES.choose(language, ""), found)[0]


@pytest.mark.parametrize(
    ("predicate", "english", "japanese"),
    [
        ("lives_in", "You live in Osaka", "あなたはOsakaに住んでいる"),
        ("likes", "You like Osaka", "あなたはOsakaが好き"),
        ("never_heard_of", "You: Osaka", "あなた：Osaka"),
    ],
)
def test_a_fact_is_a_sentence_in_the_readers_language(
    database: Database, predicate: str, english: str, japanese: str
) -> None:
    with database.write() as connection:
        own = fact(connection, predicate=predicate, evidence=[say(connection)]).unit_id
    assert shown(database, own).text == english
    assert shown(database, own, "ja").text == japanese


def test_a_fact_about_somebody_names_them_whatever_is_in_their_name(database: Database) -> None:
    with database.write() as connection:
        emma = entities.resolve(connection, "person", BRACES)
        own = fact(connection, BRACES, subject_id=emma, evidence=[say(connection)]).unit_id
    assert shown(database, own).text == f"{BRACES} lives in {BRACES}"


def test_a_memory_is_shown_with_the_last_words_that_speak_for_it(database: Database) -> None:
    with database.write() as connection:
        said = [say(connection, f"word {number}") for number in range(5)]
        secret = say(connection, "word 5", sensitivity=Sensitivity.SECRET)
        own = summary(connection, "All of it.", evidence=[*said, secret]).unit_id
    found = shown(database, own)
    assert (found.kind, found.text, found.sensitivity) == ("summary", "All of it.", "secret")
    assert [each.text for each in found.evidence] == ["word 4", "word 5"]
    assert len(found.evidence) == MOST_EVIDENCE
