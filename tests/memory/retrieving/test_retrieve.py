"""What is near in meaning and what shares words is found, without asking a model."""

from __future__ import annotations

from contextlib import closing

import pytest

from leasehold_memory.data import units, vectors
from leasehold_memory.embedding import HttpEmbedder, LocalEmbedder
from leasehold_memory.errors import ModelDown
from leasehold_memory.model.presets import EmbeddingPreset, Provider
from leasehold_memory.model.units import Sensitivity, UnitKind, UnitState
from leasehold_memory.opening import Memory
from leasehold_memory.retrieving import Hit, Why, finding, retrieve
from leasehold_memory.servers import ModelServer
from tests.memory.retrieving.remembering import derive, say


def _ids(hits: list[Hit]) -> list[int]:
    return [hit.unit_id for hit in hits]


def test_the_unit_that_shares_words_and_meaning_is_the_first(memory: Memory) -> None:
    tea, _, tax = say(memory, "I drink green tea", "The cat sleeps", "The tax office called")

    first, *_ = retrieve(memory, "Which tea do I drink?")
    assert first.unit_id == tea
    assert first.why == (Why.WORDS, Why.MEANING)
    assert first.text == "I drink green tea"
    assert retrieve(memory, "office")[0].unit_id == tax


def test_a_unit_without_any_shared_word_is_found_by_meaning(memory: Memory) -> None:
    puppy, *_ = say(memory, "We got a puppy", "The tax office called", "It rained all day")

    first, *_ = retrieve(memory, "dogs")
    assert (first.unit_id, first.why) == (puppy, (Why.MEANING,))


@pytest.mark.parametrize("question", ["猫", "京都", "抹茶ケーキ", "カフェで何を食べた？", "ｶﾌｪ"])
def test_japanese_questions_of_any_length_find_what_was_said(memory: Memory, question: str) -> None:
    wanted, *_ = say(
        memory,
        "京都のカフェで抹茶ケーキを食べた。猫もいた。",
        "昨日は一日中雨で、家で本を読んでいた。",
        "来週の会議は火曜日になった。",
    )

    assert retrieve(memory, question)[0].unit_id == wanted


def test_a_word_in_hiragana_is_looked_for_inside_a_question(memory: Memory) -> None:
    wanted, *_ = say(memory, "りんごを買ってきた", "好きなのは音楽です", "みかんは好きじゃない")

    assert retrieve(memory, "りんごは好き？")[0].unit_id == wanted


def test_secrets_are_shown_to_nobody_who_did_not_ask_for_them(memory: Memory) -> None:
    (secret,) = say(memory, "my diagnosis is diabetes", sensitivity=Sensitivity.SECRET)

    assert secret not in _ids(retrieve(memory, "diagnosis diabetes"))
    assert _ids(retrieve(memory, "diagnosis", may_be_secret=True)) == [secret]


def test_what_may_be_shown_is_found_behind_any_number_of_secrets(memory: Memory) -> None:
    say(memory, *["tea " * 3] * 120, sensitivity=Sensitivity.SECRET)
    (shown,) = say(memory, "somebody once spoke of tea and of many other things, too")

    assert _ids(retrieve(memory, "tea")) == [shown]


def test_only_the_kinds_that_are_asked_for_are_found(memory: Memory) -> None:
    said, *_ = say(memory, "Emma likes tea", "Emma likes cake")
    fact = derive(memory, UnitKind.FACT, predicate="likes", object_text="tea")

    assert _ids(retrieve(memory, "Emma tea", kinds=[UnitKind.FACT])) == [fact]
    found = retrieve(memory, "Emma tea", kinds=[UnitKind.EPISODE])
    assert found[0].unit_id == said
    assert fact not in _ids(found)


def test_what_holds_no_more_is_found_only_where_the_past_is_asked_for(memory: Memory) -> None:
    old = derive(memory, UnitKind.FACT, UnitState.CLOSED, predicate="lives_in", object_text="Osaka")

    assert _ids(retrieve(memory, "Osaka")) == [old]
    assert not retrieve(memory, "Osaka", is_current=True)


def test_words_alone_decide_while_the_embedder_is_away(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ModelDown("away")

    (wanted,) = say(memory, "green tea")
    monkeypatch.setattr(LocalEmbedder, "embed", refuse)

    (found,) = retrieve(memory, "tea")
    assert (found.unit_id, found.why) == (wanted, (Why.WORDS,))


@pytest.mark.parametrize("how", ["silence", "drip"])
def test_a_question_waits_for_no_server_that_hangs(
    memory: Memory, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    (wanted,) = say(memory, "green tea")
    monkeypatch.setattr(finding, "_PATIENCE_SECONDS", 0.2)
    with ModelServer() as server:
        preset = EmbeddingPreset(
            id="served",
            name="Served",
            provider=Provider.HTTP,
            model="rules-1",
            dimension=256,
            base_url=server.base_url,
        )
        with closing(HttpEmbedder(preset)) as memory.embedder:
            server.fail(how)
            (found,) = retrieve(memory, "tea")
            assert (found.unit_id, found.why) == (wanted, (Why.WORDS,))


def test_a_first_question_waits_for_no_embedder(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[object] = []
    monkeypatch.setattr(LocalEmbedder, "embed", lambda *texts, **_: asked.append(texts))

    assert not retrieve(memory, "tea")
    assert not asked


@pytest.mark.parametrize("question", ["", "   ", '" OR *', "，。", "the", "\0"])
def test_any_question_may_be_asked(memory: Memory, question: str) -> None:
    say(memory, "green tea")

    retrieve(memory, question)


def test_the_same_question_has_the_same_answer_and_newer_units_go_first(memory: Memory) -> None:
    said = say(memory, *["green tea"] * 5)

    assert _ids(retrieve(memory, "tea")) == _ids(retrieve(memory, "tea"))
    assert sorted(_ids(retrieve(memory, "tea", limit=3))) <= said
    assert len(retrieve(memory, "tea", limit=3)) == 3


def test_a_unit_that_was_changed_is_found_as_it_is_now(memory: Memory) -> None:
    loop = derive(memory, UnitKind.LOOP, loop_text="call the dentist")
    with memory.database.write() as connection:
        units.edit(connection, loop, {"loop_text": "call the bakery"})

    assert [hit.text for hit in retrieve(memory, "bakery")] == ["call the bakery"]
    with memory.database.read() as connection:
        assert vectors.is_current(connection, loop, "call the dentist")
        assert not vectors.is_current(connection, loop, "call the bakery")
