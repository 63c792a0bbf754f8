"""A text speaks of somebody when it has their name, and not when it has a word like it."""

import pytest

from leasehold_memory.model.naming import Naming, texts_in


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Emma", "I met EMMA!"),
        ("Emma", "emma called"),
        ("Emma", "Emmaさんと会った"),
        ("Emma", "\uff25\uff4d\uff4d\uff41"),
        ("Emma", "first\nEmma"),
        ("Emma", "Emma Watson and Emma"),
        ("Mary Ann", "mary\n ann was here"),
        ("エマ", "今日エマさんと話した"),
        ("はな", "はなちゃんが来た"),
        ("さくらこ", "きのうさくらこに会った"),
        ("田中", "田中さん"),
        ("O'Neil (Bob)", "O'Neil (Bob) said"),
        ("Will", "yesterday Will called"),
        ("Will", "Anna, Will and I"),
    ],
)
def test_a_name_is_found_however_it_is_typed(name: str, text: str) -> None:
    assert Naming([name], but_for=["Emma Watson", "エマニュエル"]).is_in(text)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("Emma", "emmanuel and the dilemma"),
        ("Emma", "Emma Watson rocks"),
        ("Al", "also, all"),
        ("エマ", "エマニュエルと話した"),
        ("アン", "アンケートに答えた"),
        ("はな", "はなしをした"),
        ("愛", "愛しています"),
        ("Will", "Will you come? I will."),
        ("May", "I may go in a day or two"),
        ("", "anything"),
    ],
)
def test_a_word_like_a_name_is_not_taken_for_it(name: str, text: str) -> None:
    assert not Naming([name], but_for=["Emma Watson", "エマニュエル"]).is_in(text)


def test_all_texts_of_a_payload_are_looked_at() -> None:
    assert [*texts_in({"a": ["b", {"c": "d"}], "e": 1, "f": None})] == ["b", "d"]
