"""The local model understands plain Japanese and English well enough to show a memory at work."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_memory.llm import prompts
from leasehold_memory.llm.fitting import fit
from leasehold_memory.model import answers
from leasehold_memory.model.asking import Ask
from leasehold_memory.servers.mind import answer, reply_to
from leasehold_memory.servers.mind.answering import listen
from leasehold_memory.servers.mind.days import day_in
from tests.memory.llm.asking import NOW

MONDAY = date(2026, 3, 2)
SCHEMAS: dict[Ask, type[answers.Answer]] = {
    Ask.REFLECT: answers.Reflection,
    Ask.ENTITIES: answers.Entities,
    Ask.FACTS: answers.Facts,
    Ask.LOOPS: answers.Loops,
    Ask.BOND: answers.Summary,
    Ask.PERSON: answers.Summary,
    Ask.TOPIC: answers.Summary,
    Ask.CAPSULE: answers.Capsule,
}


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "妹の花子さんは京都に住んでいます。",
            [("花子", "relation_is", "妹"), ("花子", "lives_in", "京都")],
        ),
        (
            "私の名前は健太です。東京に住んでいて、看護師として働いています。",
            [
                ("user", "name_is", "健太"),
                ("user", "lives_in", "東京"),
                ("user", "works_as", "看護師"),
            ],
        ),
        (
            "コーヒーが大好きで、納豆は苦手です。",
            [("user", "likes", "コーヒー"), ("user", "dislikes", "納豆")],
        ),
        (
            "友達の佐藤くんはピアノが好きです。大阪に引っ越しました。",
            [
                ("佐藤", "relation_is", "友達"),
                ("佐藤", "likes", "ピアノ"),
                ("佐藤", "lives_in", "大阪"),
            ],
        ),
        ("花子ちゃんの誕生日は5月3日です。", [("花子", "birthday_is", "05-03")]),
        ("猫のミケを飼っています。", [("user", "has_pet", "猫のミケ")]),
        ("花子さんはどこに住んでいますか？", []),
        ("はじめまして、佐藤美咲です。", [("user", "name_is", "佐藤美咲")]),
        ("犬を飼っています。名前はポチです。", [("user", "has_pet", "犬")]),
        ("彼女の名前は由美です。", [("由美", "relation_is", "彼女")]),
        ("来週ドイツに引っ越す予定です。", []),
        (
            "My sister Emma lives in Berlin. She loves jazz. Her birthday is May 3rd.",
            [
                ("Emma", "relation_is", "sister"),
                ("Emma", "lives_in", "Berlin"),
                ("Emma", "likes", "jazz"),
                ("Emma", "birthday_is", "05-03"),
            ],
        ),
        (
            "I don't like natto but I love green tea. I work as a nurse.",
            [
                ("user", "dislikes", "natto"),
                ("user", "likes", "green tea"),
                ("user", "works_as", "nurse"),
            ],
        ),
        (
            "Emma works at Siemens and plays tennis.",
            [("Emma", "works_at", "Siemens"), ("Emma", "does", "plays tennis")],
        ),
        ("Does Emma live in Berlin?", []),
        ("Hello! I'm Anna.", [("user", "name_is", "Anna")]),
        ("My mother's birthday is on 12 June.", [("mother", "birthday_is", "06-12")]),
        ("My dog is called Rex. I love you.", [("user", "has_pet", "dog Rex")]),
    ],
)
def test_it_hears_what_is_stated(text: str, facts: list[tuple[str, str, str]]) -> None:
    assert listen(text, MONDAY).facts == facts


@pytest.mark.parametrize(
    ("text", "loops"),
    [
        (
            "明日、田中さんと映画を見に行きます。",
            [("田中さんと映画を見に行く", "2026-03-03", False)],
        ),
        ("金曜日までに家賃を払わないといけない。", [("家賃を払う", "2026-03-06", False)]),
        ("来週の金曜日に面接があります。", [("面接", "2026-03-13", False)]),
        ("昨日、北海道に行ってきた。", []),
        ("Tomorrow I will call Tom.", [("call Tom", "2026-03-03", False)]),
        ("I have an exam on Friday.", [("an exam", "2026-03-06", False)]),
        ("Yesterday I called Tom.", []),
    ],
)
def test_it_hears_what_is_still_to_come(
    text: str, loops: list[tuple[str, str | None, bool]]
) -> None:
    assert listen(text, MONDAY).loops == loops


@pytest.mark.parametrize(
    ("opening", "closing"),
    [
        ("レポートを提出しなきゃ。", "やっとレポートを提出した！"),
        (
            "明日、田中さんと映画を見に行く約束をしています。",
            "無事に田中さんと映画を見に行きました。",
        ),
        ("来週、面接があります。", "面接が終わりました。"),
        ("I need to finish the report by Friday.", "I finished the report!"),
        ("Tomorrow I will call Tom.", "I finally called Tom."),
    ],
)
def test_what_is_done_is_told_in_the_words_in_which_it_was_to_be_done(
    opening: str, closing: str
) -> None:
    ((to_do, _, is_over),) = listen(opening, MONDAY).loops
    ((done, _, is_done),) = listen(closing, MONDAY).loops

    assert to_do == done
    assert (is_over, is_done) == (False, True)


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("来週の金曜日", "2026-03-13"),
        ("月曜日", "2026-03-09"),
        ("あさって", "2026-03-04"),
        ("2月29日", "2028-02-29"),
        ("2月30日", None),
        ("this weekend", "2026-03-07"),
        ("on 3 May", "2026-05-03"),
        ("some day", None),
    ],
)
def test_days_are_counted_from_when_they_were_said(text: str, day: str | None) -> None:
    assert day_in(text, MONDAY) == day


@pytest.mark.parametrize(
    ("text", "emotion", "sensitivity"),
    [
        ("試験に合格して嬉しい", "joy", "normal"),
        ("誰にも言わないで、寂しいんだ", "sadness", "secret"),
        ("病院に行くのが不安です", "fear", "private"),
        ("I am so tired", "tiredness", "normal"),
    ],
)
def test_it_hears_how_somebody_feels_and_what_is_nobody_elses_business(
    text: str, emotion: str, sensitivity: str
) -> None:
    heard = listen(text, MONDAY)

    assert (heard.emotion, heard.sensitivity) == (emotion, sensitivity)


def test_it_answers_a_question_by_what_it_is_told_to_remember() -> None:
    def reply(text: str, memories: str) -> str:
        messages = prompts.chat(text, persona="", memories=memories, now=NOW)
        return reply_to(text, messages[0].content)[0]

    known = (
        "[people]\n- 花子について: 妹の花子さんは京都に住んでいます。\n\n"
        "[facts]\n- 花子 lives in 京都\n"
        "- Emma lives in Berlin\n- Tom likes jazz\n\n[episodes]\n"
        "- 2026-03-01 Do you remember what Tom loves? Let me think.\n- 花子はどこに住んでいる？"
    )
    assert reply("Do you remember where Emma lives?", known) == "I remember: Emma lives in Berlin"
    assert reply("What does Tom love?", known) == "I remember: Tom likes jazz"
    assert reply("花子はどこに住んでいる？", known) == (
        "覚えています。妹の花子さんは京都に住んでいます。"
    )
    assert "Berlin" in reply("What do you know about me?", known)
    assert "remember:" not in reply("What is the time?", known)
    assert reply("ありがとう", known) == "どういたしまして。"


TEXTS = st.text(max_size=200) | st.lists(
    st.sampled_from(
        [
            "妹の",
            "花子さん",
            "は",
            "が",
            "京都に住んで",
            "明日",
            "5月3日",
            "My",
            "sister",
            "Emma",
            "lives",
            "in",
            "9月31日",
        ]
    ),
    max_size=12,
).map("".join)


@given(st.sampled_from(sorted(SCHEMAS)), st.lists(TEXTS, max_size=3))
def test_whatever_is_said_its_answer_is_of_the_shape_that_was_asked_for(
    ask: Ask, texts: list[str]
) -> None:
    episodes = [{"unit_id": 1, "at": NOW.isoformat(), "user": text, "reply": ""} for text in texts]
    material: dict[str, Any] = {"episodes": episodes, "name": "花子", "facts": []}

    fitted = fit(SCHEMAS[ask], answer(ask, material))

    assert fitted == fit(SCHEMAS[ask], answer(ask, material))
    assert fitted.dropped == 0


@pytest.mark.parametrize("part", ["花", "ア", "花の", "1月", "I ", "I like ", "妹の", "My sister "])
def test_what_it_hears_of_a_text_without_end_has_an_end(part: str) -> None:
    endless = listen(part * 100_000, MONDAY)

    assert endless == listen((part * 100_000)[:4_000], MONDAY)
