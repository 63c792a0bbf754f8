"""A turn: one call of the model, the trailer shown to nobody, and what was said stored at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Any

import pytest

from leasehold_memory.chatting import Done, Event, Failed, Token, Wanted, chat
from leasehold_memory.data import units
from leasehold_memory.errors import BadAnswer, ModelDown, ModelLimited, ModelRefusedKey
from leasehold_memory.llm import Llm
from leasehold_memory.model.stored import Unit
from leasehold_memory.model.units import Sensitivity
from leasehold_memory.opening import Memory
from leasehold_memory.servers import ModelServer

TEXT = "妹の花子さんは京都に住んでいます。"
DEFAULT_JOBS = {
    "reflect_episode",
    "extract_entities",
    "extract_facts",
    "extract_loops",
    "upsert_embeddings",
    "capsule_refresh",
    "bond_summary",
}


async def heard(memory: Memory, llm: Llm, wanted: Wanted, **options: Any) -> list[Event]:
    events = chat(memory, llm, wanted, persona="You are kind.", **options)
    async with aclosing(events):
        return [event async for event in events]


async def leaving(memory: Memory, llm: Llm, wanted: Wanted, after: int) -> str:
    """Hear so many words, and leave; returns them."""
    shown = ""
    async with aclosing(chat(memory, llm, wanted, persona="")) as events:
        for _ in range(after):
            event = await anext(events)
            assert isinstance(event, Token)
            shown += event.text
    return shown


def say(memory: Memory, llm: Llm, text: str = TEXT, **options: Any) -> list[Event]:
    return asyncio.run(heard(memory, llm, Wanted(text=text), **options))


def shown(events: list[Event]) -> str:
    return "".join(event.text for event in events if isinstance(event, Token))


def stored(memory: Memory) -> list[Unit]:
    with memory.database.read() as connection:
        return units.find(connection).units


def jobs(memory: Memory) -> set[str]:
    return {job.kind for job in memory.client.find(limit=100)}


@pytest.mark.parametrize("how", ["", "letter_by_letter", "in_one_piece", "fenced"])
def test_reply_and_reflection_come_of_one_call_and_are_stored_at_once_with_their_jobs(
    memory: Memory, llm: Llm, server: ModelServer, how: str
) -> None:
    if how:
        server.fail(how)
    *tokens, done = say(memory, llm)
    (episode,) = stored(memory)
    assert done == Done(preset_id="local", unit_id=episode.id, is_reflected=True, told=[])
    assert server.asked() == 1
    assert tokens
    assert "<" not in shown(tokens)
    assert episode.payload["reply_text"] == shown(tokens)
    assert episode.payload["user_text"] == TEXT
    assert episode.payload["reflection"]["summary"]
    assert (episode.version, episode.payload["is_partial"]) == (1, False)
    assert jobs(memory) == DEFAULT_JOBS


@pytest.mark.parametrize("how", ["no_trailer", "broken", "wrong_shape", "cut_off"])
def test_without_a_good_reflection_the_chat_is_fine_and_a_job_fills_it_in(
    memory: Memory, llm: Llm, server: ModelServer, how: str
) -> None:
    server.fail(how)
    *tokens, done = say(memory, llm)
    (episode,) = stored(memory)
    assert isinstance(done, Done)
    assert shown(tokens)
    assert "<" not in shown(tokens)
    if not done.is_reflected:
        assert episode.payload["reflection"] is None
    assert "reflect_episode" in jobs(memory)


def test_whoever_leaves_in_the_midst_is_remembered_with_what_had_come(
    memory: Memory, llm: Llm
) -> None:
    words = asyncio.run(leaving(memory, llm, Wanted(text=TEXT), after=2))
    (episode,) = stored(memory)
    assert episode.payload["is_partial"] is True
    assert episode.payload["reply_text"].startswith(words)
    assert "<" not in episode.payload["reply_text"]
    assert episode.payload["reflection"] is None
    assert jobs(memory) == DEFAULT_JOBS


def test_whoever_is_cut_off_while_the_model_thinks_is_remembered_too(
    memory: Memory, llm: Llm, server: ModelServer
) -> None:
    server.pace(5.0)

    async def cut_off() -> None:
        events = chat(memory, llm, Wanted(text=TEXT), persona="")
        waiting = asyncio.ensure_future(anext(events))
        while not server.asked("chat"):
            await asyncio.wait({waiting}, timeout=0.01)
        waiting.cancel()
        await asyncio.wait({waiting})
        await events.aclose()

    asyncio.run(cut_off())
    (episode,) = stored(memory)
    assert (episode.payload["user_text"], episode.payload["is_partial"]) == (TEXT, True)
    assert jobs(memory) == DEFAULT_JOBS


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        (401, ModelRefusedKey),
        (403, ModelRefusedKey),
        (429, ModelLimited),
        (500, ModelDown),
        ("hangup", ModelDown),
        ("empty", BadAnswer),
        ("refusal", BadAnswer),
    ],
)
def test_a_model_that_fails_before_its_first_word_is_told_and_nothing_is_stored(
    memory: Memory, llm: Llm, server: ModelServer, how: int | str, kind: type[Exception]
) -> None:
    server.fail(how, retry_after=7 if how == 429 else None)
    (failed,) = say(memory, llm)
    assert isinstance(failed, Failed)
    assert isinstance(failed.error, kind)
    assert failed.unit_id is None
    assert TEXT not in str(failed.error)
    assert stored(memory) == []
    assert jobs(memory) == set()


def test_a_model_that_breaks_off_has_replied_in_part_which_is_stored(
    memory: Memory, llm: Llm, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def broken(_self: Llm, _messages: Any) -> AsyncGenerator[str]:
        yield "Good "
        yield "morning <<<REFL"
        raise ModelDown("it broke off")

    monkeypatch.setattr(Llm, "stream", broken)
    *tokens, failed = say(memory, llm)
    (episode,) = stored(memory)
    assert shown(tokens) == episode.payload["reply_text"] == "Good morning"
    assert isinstance(failed, Failed)
    assert failed.unit_id == episode.id
    assert episode.payload["is_partial"] is True
    assert jobs(memory) == DEFAULT_JOBS


def test_a_model_that_breaks_off_behind_its_marker_has_replied(
    memory: Memory, llm: Llm, server: ModelServer
) -> None:
    server.fail("cut")
    *_, done = say(memory, llm)
    (episode,) = stored(memory)
    assert isinstance(done, Done)
    assert episode.payload["is_partial"] is False


def test_where_memory_is_off_the_chat_works_and_nothing_is_stored(memory: Memory, llm: Llm) -> None:
    *tokens, done = say(memory, llm, is_remembering=False)
    assert shown(tokens)
    assert done == Done(preset_id="local", unit_id=None, is_reflected=True, told=[])
    assert stored(memory) == []
    assert jobs(memory) == set()


def test_a_secret_stays_one_whatever_the_model_thinks_of_it(memory: Memory, llm: Llm) -> None:
    asyncio.run(heard(memory, llm, Wanted(text=TEXT, sensitivity=Sensitivity.SECRET)))
    assert [each.sensitivity for each in stored(memory)] == [Sensitivity.SECRET]


def test_the_last_turns_of_a_conversation_are_said_again_and_no_others(
    memory: Memory, llm: Llm, monkeypatch: pytest.MonkeyPatch
) -> None:
    said: list[list[str]] = []
    stream = Llm.stream

    def listen(self: Llm, messages: Any) -> Any:
        said.append([message.content for message in messages[1:]])
        return stream(self, messages)

    monkeypatch.setattr(Llm, "stream", listen)
    for text, conversation in (("one", "a"), ("two", "b"), ("three", "a")):
        asyncio.run(heard(memory, llm, Wanted(text=text, conversation=conversation)))
    assert said[0] == ["one"]
    assert said[1] == ["two"]
    assert [said[2][0], said[2][-1], len(said[2])] == ["one", "three", 3]


def test_what_is_remembered_is_told_to_the_model_and_secrets_are_not(
    memory: Memory, llm: Llm, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Wanted(text="My cat Tama likes tuna.", conversation="a")
    asyncio.run(heard(memory, llm, first))
    secret = Wanted(text="Tama hates Bob.", conversation="b", sensitivity=Sensitivity.SECRET)
    asyncio.run(heard(memory, llm, secret))
    said: list[str] = []
    stream = Llm.stream

    def listen(self: Llm, messages: Any) -> Any:
        said.append(messages[0].content)
        return stream(self, messages)

    monkeypatch.setattr(Llm, "stream", listen)
    *_, done = asyncio.run(heard(memory, llm, Wanted(text="What does Tama like?")))
    assert isinstance(done, Done)
    assert done.told == [1]
    assert "likes tuna" in said[0]
    assert "Bob" not in said[0]


def test_jobs_are_held_up_until_the_first_word_was_passed_on_and_no_longer(
    memory: Memory, llm: Llm, server: ModelServer
) -> None:
    server.pace(0.05)
    hurried: list[bool] = []

    async def listen() -> None:
        events = chat(memory, llm, Wanted(text=TEXT), persona="")
        waiting = asyncio.ensure_future(anext(events))
        while not server.asked("chat"):
            await asyncio.wait({waiting}, timeout=0.01)
        hurried.append(memory.courtesy.is_hurried)
        await waiting
        hurried.append(memory.courtesy.is_hurried)
        await anext(events)
        hurried.append(memory.courtesy.is_hurried)
        await events.aclose()

    asyncio.run(listen())
    assert hurried == [True, True, False]
