"""Words of any length are found, in Japanese as in English."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from sqlalchemy import Connection, delete, insert, select

from leasehold.kit.data import Database
from leasehold_memory.data import text_index, text_ranking
from leasehold_memory.data.tables import unit
from leasehold_memory.data.text_ranking import search, terms_of
from leasehold_memory.model.units import UnitKind

_NOW = datetime(2026, 5, 1, tzinfo=UTC)


def _remember(connection: Connection, content: str, *, kind: UnitKind = UnitKind.EPISODE) -> int:
    row = {"kind": kind, "occurred_at": _NOW, "created_at": _NOW, "updated_at": _NOW}
    unit_id: int = connection.execute(insert(unit).returning(unit.c.id), row).scalar_one()
    text_index.put(connection, unit_id, content)
    return unit_id


def _found(connection: Connection, query: str) -> set[int]:
    return set(search(connection, terms_of(query)))


def _containing(connection: Connection, query: str) -> set[int]:
    return set(connection.scalars(select(unit.c.id).where(text_index.containing(query))))


@pytest.mark.parametrize(
    "word", ["猫", "京都", "抹茶", "清水寺", "ケーキ", "ｹｰｷ", "カフェ", "7月", "AI", "😀"]
)
def test_a_japanese_word_of_any_length_is_found(database: Database, word: str) -> None:
    with database.write() as connection:
        wanted = _remember(
            connection, "7月に京都の清水寺で猫を見て、カフェで抹茶ケーキを食べた😀AIの話も"
        )
        other = _remember(connection, "昨日は大阪で雨だった。The weather was bad.")

        assert _found(connection, word) == {wanted}
        assert _containing(connection, word) == {wanted}
        assert other


def test_an_english_word_is_found_by_its_stem_and_whatever_its_case(database: Database) -> None:
    with database.write() as connection:
        wanted = _remember(connection, "Melanie painted Emma\u2019s CAFÉ at the lake")

        for query in ("paintings", "PAINTING", "cafe", "emma", "\uff2c\uff41\uff4b\uff45"):
            assert _found(connection, query) == {wanted}
        assert not _found(connection, "sculpture")


def test_a_text_contains_parts_of_words_and_every_word_that_is_asked_for(
    database: Database,
) -> None:
    with database.write() as connection:
        wanted = _remember(connection, "Tomorrow I will visit 東京タワー")

        assert _containing(connection, "morr 京タワ") == {wanted}
        assert _containing(connection, "wi") == {wanted}
        assert _containing(connection, "rr") == {wanted}
        assert _containing(connection, "morrow 大阪") == set()
        assert _containing(connection, "") == {wanted}


def test_signs_are_found_and_mean_nothing_to_the_index(database: Database) -> None:
    with database.write() as connection:
        wanted = _remember(connection, 'a "quoted" AND (wild*) NEAR: ^thing -- %_')

        for query in ('"', '")(', "%_", "--", 'AND "', "kind : kind1", "NEAR(", "*", "\0", "^th"):
            search(connection, terms_of(query))
        assert _containing(connection, '"') == {wanted}
        assert _containing(connection, "%_") == {wanted}
        assert _containing(connection, "__") == set()


def test_rare_words_count_for_more(database: Database) -> None:
    with database.write() as connection:
        for _ in range(20):
            _remember(connection, "we talked about lunch and work")
        rare = _remember(connection, "we talked about a telescope and nothing else that day at all")

        assert search(connection, terms_of("we talked about telescope"))[0] == rare


def test_words_that_every_sentence_has_lead_nowhere_unless_there_are_no_others(
    database: Database,
) -> None:
    with database.write() as connection:
        wanted = _remember(connection, "a telescope")
        other = _remember(connection, "what did you do with it, and when?")
        japanese = _remember(connection, "それはそうですけど")

        assert _found(connection, "What did you do with the telescope?") == {wanted}
        assert _found(connection, "それは望遠鏡ですか") == set()
        assert _found(connection, "what did you do") == {other}
        assert _found(connection, "です") == {japanese}


def test_of_very_many_units_those_with_the_rarer_words_are_ranked(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_ranking, "_MOST_RANKED", 6)
    with database.write() as connection:
        often = {_remember(connection, "we had lunch") for _ in range(8)}
        rare = _remember(connection, "we had lunch and saw a telescope")

        assert _found(connection, "lunch telescope") == {rare}
        assert _found(connection, "lunch") == {*often, rare}


def test_only_the_kinds_that_are_asked_for_are_found(database: Database) -> None:
    with database.write() as connection:
        episode = _remember(connection, "call the dentist")
        loop = _remember(connection, "call the dentist", kind=UnitKind.LOOP)

        assert search(connection, terms_of("dentist"), kinds=[UnitKind.LOOP]) == [loop]
        assert _found(connection, "dentist") == {episode, loop}


def test_a_unit_is_found_by_its_newest_text_only(database: Database) -> None:
    with database.write() as connection:
        wanted = _remember(connection, "likes tea")
        text_index.put(connection, wanted, "likes coffee")

        assert not _found(connection, "tea")
        assert not _containing(connection, "tea")
        assert _found(connection, "coffee") == {wanted}


def test_a_deleted_unit_is_found_no_more(database: Database) -> None:
    with database.write() as connection:
        gone = _remember(connection, "likes tea")
        connection.execute(delete(unit).where(unit.c.id == gone))

        assert not connection.exec_driver_sql(
            "SELECT rowid FROM unit_trigrams UNION ALL SELECT rowid FROM unit_words"
        ).all()


def test_merging_leaves_no_byte_of_what_was_removed(database: Database) -> None:
    with database.write() as connection:
        gone = _remember(connection, "xylophone")
        _remember(connection, "piano")
        text_index.remove(connection, gone)
        text_index.merge(connection)

        for name in text_index.RELATIONS:
            blobs = connection.exec_driver_sql(f"SELECT block FROM {name}_data").scalars()  # noqa: S608
            assert b"xylo" not in b"".join(blobs)


def test_rebuilding_forgets_all_but_what_it_is_given(database: Database) -> None:
    with database.write() as connection:
        first, second = _remember(connection, "likes tea"), _remember(connection, "likes milk")
        text_index.rebuild(connection, [(second, "likes cocoa")])

        assert _found(connection, "likes tea cocoa") == {second}
        assert first
