"""However a name is typed it is one person, and how much is said of them is their importance."""

from __future__ import annotations

import pytest

from leasehold.kit.data import Database
from leasehold_memory.data import entities, units
from leasehold_memory.errors import EntityNotFound, SourceGone
from tests.memory.data.kit import fact, say


@pytest.mark.parametrize(
    ("first", "again"),
    [
        ("Emma", "EMMA"),
        ("Emma", "  \uff25\uff4d\uff4d\uff41 "),
        ("Straße", "STRASSE"),
        ("田中", "田中"),
    ],
)
def test_a_name_is_one_person_however_it_is_typed(
    database: Database, first: str, again: str
) -> None:
    with database.write() as connection:
        known = entities.resolve(connection, "person", first)
        assert entities.resolve(connection, "person", again) == known
        assert entities.resolve(connection, "topic", first) != known
        assert entities.get(connection, known).name == first


def test_an_alias_leads_to_the_only_one_who_has_it(database: Database) -> None:
    with database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma", ["Em", "emma", "EM"])
        assert entities.resolve(connection, "person", "em") == emma
        anna = entities.resolve(connection, "person", "Anna", ["Em"])
        assert entities.resolve(connection, "person", "Em") not in {emma, anna}
        assert entities.get(connection, emma).aliases == ("EM",)


def test_importance_is_the_sum_of_what_episodes_say_and_of_nothing_else(
    database: Database,
) -> None:
    with database.write() as connection:
        emma = entities.resolve(connection, "person", "Emma")
        bob = entities.resolve(connection, "person", "Bob")
        one, two = say(connection), say(connection)
        for _ in range(3):
            entities.mention(connection, one, {emma: 1.0, bob: 0.5})
            entities.mention(connection, two, {emma: 1.0})
        fact(connection, entities={bob: 100.0})
        before = [entities.get(connection, each).importance for each in (emma, bob)]
        entities.mention(connection, one, {bob: 3.0})
        ranked = entities.top(connection, "person", 3)
    assert before == [2.0, 0.5]
    assert ranked == [bob, emma]


def test_who_is_spoken_of_no_more_is_not_among_the_most_important(database: Database) -> None:
    with database.write() as connection:
        emma, episode = entities.resolve(connection, "person", "Emma"), say(connection)
        entities.mention(connection, episode, {emma: 1.0})
        entities.mention(connection, episode, {})
        assert entities.top(connection, "person", 3) == []
        assert entities.mentioned(connection, episode) == {}


def test_what_was_deleted_is_not_spoken_of_again(database: Database) -> None:
    with database.write() as connection:
        emma, episode = entities.resolve(connection, "person", "Emma"), say(connection)
        with pytest.raises(SourceGone):
            entities.mention(connection, 99, {emma: 1.0})
        with pytest.raises(EntityNotFound, match="no entity 99"):
            entities.mention(connection, episode, {99: 1.0})


def test_lists_begin_with_the_most_important_and_go_on_behind_the_last(database: Database) -> None:
    with database.write() as connection:
        named = [entities.resolve(connection, "person", f"P{n}", [f"alias{n}"]) for n in range(5)]
        episode = say(connection)
        weights = {each: float(n % 3) for n, each in enumerate(named)}
        entities.mention(connection, episode, weights)
        seen, after = [], None
        while True:
            page = entities.find(connection, kind="person", after=after, limit=2)
            seen += [each.id for each in page.entities]
            after = page.after
            if after is None:
                break
        by_alias = entities.find(connection, q="IAS3").entities
        nobody = entities.find(connection, q="%").entities
        about = units.find(connection, entity_id=named[0]).units
    assert seen == sorted(named, key=lambda each: (-weights[each], each))
    assert [each.id for each in by_alias] == [named[3]]
    assert nobody == []
    assert [each.id for each in about] == [episode]
