"""The chat as a page: what was said, what was remembered, and a form that needs no script."""

from __future__ import annotations

import pytest
from markupsafe import escape

from leasehold_memory.data import units
from leasehold_memory.model.units import Sensitivity
from leasehold_memory.opening import Memory
from tests.memory.pages.kit import furnish, page, send
from tests.memory.web.kit import Asker, Standing


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("My sister Emma lives in Kyoto.", "en"),
        ("友達の田中さんは大阪に住んでいます。", "ja"),
    ],
)
def test_what_is_said_by_the_form_is_answered_and_stored(
    asker: Asker, memory: Memory, words: str, language: str
) -> None:
    sent = send(asker, "/say", text=words, sensitivity="private")
    assert (sent.status_code, sent.headers["location"]) == (303, "/?said=answered")
    with memory.database.read() as connection:
        (said,) = units.find(connection).units
    assert (said.payload["user_text"], said.sensitivity) == (words, Sensitivity.PRIVATE)
    answered = escape(said.payload["reply_text"])
    assert answered
    assert answered in page(asker, "/", language).split(words)[1]
    assert {each.kind for each in memory.client.find()} >= {"extract_facts", "upsert_embeddings"}


def test_a_model_that_does_not_answer_is_said_and_nothing_is_stored(
    asker: Asker, companion: Standing, memory: Memory
) -> None:
    nobody = {"id": "gone", "name": "Gone", "model": "m", "base_url": "http://127.0.0.1:9/v1"}
    known = companion.settings.current().shown()["model_presets"]
    presets = {"model_presets": [*known, nobody], "active_model_preset_id": "gone"}
    companion.settings.change(presets)
    sent = send(asker, "/say", text="Hello")
    assert sent.headers["location"] == "/?said=unanswered"
    assert "No answer came" in page(asker, "/?said=unanswered")
    with memory.database.read() as connection:
        assert units.find(connection).units == []


def test_what_is_no_word_is_refused_and_leads_back(asker: Asker) -> None:
    sent = send(asker, "/say", text=" \r\n")
    assert sent.status_code == 422
    assert "To the chat" in sent.text


def test_what_was_remembered_stands_beside_the_chat_with_its_evidence(
    asker: Asker, memory: Memory
) -> None:
    made = furnish(memory)
    shown = page(asker, "/").split('id="remembered"')[1]
    assert f'id="memory-{made.fact}"' in shown
    assert "Because of:" in shown
    assert f'href="/memories/{made.said}"' in shown
    assert "You live in Nara" not in shown  # that is over


def test_it_is_said_when_nothing_is_remembered(asker: Asker, companion: Standing) -> None:
    assert "Nothing yet." in page(asker, "/")
    assert "まだありません" in page(asker, "/", "ja")
    companion.settings.change({"memory_enabled": False})
    assert "switched off" in page(asker, "/")
