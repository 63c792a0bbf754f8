"""A reply comes word by word, and a stream that ends before its end is an outage."""

from __future__ import annotations

import asyncio
import json
from contextlib import aclosing
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_memory.errors import BadAnswer, ModelDown, ModelLimited, ModelRefusedKey
from leasehold_memory.llm import Llm, Trailer, prompts, streaming
from leasehold_memory.llm.thoughts import Thoughts
from leasehold_memory.servers import ModelServer
from tests.memory.llm.asking import NOW, preset_of, reply_of

TEXT = "妹の花子さんは京都に住んでいます。"


def parted(whole: str) -> tuple[str, bool]:
    trailer = Trailer()
    shown = trailer.feed(whole)
    ended = trailer.end()
    return shown + ended.rest, ended.reflection is not None


@pytest.mark.parametrize("how", ["", "letter_by_letter", "in_one_piece"])
def test_a_reply_comes_with_its_reflection_behind_it(
    server: ModelServer, llm: Llm, how: str
) -> None:
    if how:
        server.fail(how)

    shown, has_reflection = parted(asyncio.run(reply_of(llm, TEXT)))

    assert has_reflection
    assert "花子" in shown
    assert server.asked("chat") == 1


@pytest.mark.parametrize("how", ["no_trailer", "cut_off", "broken", "wrong_shape"])
def test_a_reply_without_a_good_reflection_is_a_reply(
    server: ModelServer, llm: Llm, how: str
) -> None:
    server.fail(how)

    shown, _ = parted(asyncio.run(reply_of(llm, TEXT)))

    assert shown
    assert "<<<" not in shown


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (401, ModelRefusedKey),
        (429, ModelLimited),
        (500, ModelDown),
        ("hangup", ModelDown),
        ("cut", ModelDown),
        ("giving_up", ModelDown),
        ("empty", BadAnswer),
        ("refusal", BadAnswer),
        ("html_ok", ModelDown),
        ("huge", BadAnswer),
    ],
)
def test_what_goes_wrong_with_a_stream_is_told(
    server: ModelServer, llm: Llm, how: int | str, error: type[Exception]
) -> None:
    server.fail(how)

    with pytest.raises(error):
        asyncio.run(reply_of(llm, TEXT))


def test_what_a_model_thinks_aloud_is_no_part_of_its_reply(server: ModelServer, llm: Llm) -> None:
    server.fail("thinking_aloud")
    whole = asyncio.run(reply_of(llm, TEXT))
    server.recover()

    assert whole == asyncio.run(reply_of(llm, TEXT))


@given(st.lists(st.integers(0, 60), max_size=8), st.sampled_from(["<think>so\n</think>\n", ""]))
def test_thoughts_are_left_out_in_whatever_pieces_they_come(cuts: list[int], before: str) -> None:
    whole = f"{before}Fine. <think>2 < 3</think>"
    places = [0, *sorted(min(cut, len(whole)) for cut in cuts), len(whole)]
    thoughts = Thoughts()

    shown = "".join(thoughts.feed(whole[begin:end]) for begin, end in pairwise(places))

    assert shown + thoughts.end() == "Fine. <think>2 < 3</think>"


@pytest.mark.parametrize("reply", ["<", "<thi", "<think", "<b>x</b>"])
def test_a_reply_that_only_looks_like_thoughts_is_shown(reply: str) -> None:
    thoughts = Thoughts()

    assert thoughts.feed(reply) + thoughts.end() == reply


def test_a_server_that_refuses_options_is_asked_without_them(server: ModelServer, llm: Llm) -> None:
    server.fail(400)

    assert parted(asyncio.run(reply_of(llm, TEXT)))[1]
    first, second = (json.loads(each.body) for each in server.seen())
    assert first.keys() - second.keys() == {"temperature", "max_tokens"}


def test_a_stream_that_says_nothing_is_an_outage_in_time(server: ModelServer) -> None:
    server.fail("silence")
    with Llm(preset_of(server, timeout_seconds=0.2)) as llm, pytest.raises(ModelDown, match="time"):
        asyncio.run(reply_of(llm, TEXT))


def test_a_stream_that_goes_on_and_on_is_an_outage(
    server: ModelServer, llm: Llm, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(streaming, "LONGEST_SECONDS", 0.1)
    server.pace(0.03)

    with pytest.raises(ModelDown, match="in time"):
        asyncio.run(reply_of(llm, TEXT))


def test_who_stops_listening_hangs_up(server: ModelServer, llm: Llm) -> None:
    server.pace(0.01)

    async def listen_to_one() -> str:
        messages = prompts.chat(TEXT, persona="", memories="", now=NOW)
        async with aclosing(llm.stream(messages)) as pieces:
            return await anext(pieces)

    assert asyncio.run(listen_to_one())


def test_a_line_break_inside_a_text_ends_no_event(server: ModelServer, llm: Llm) -> None:
    strange = "one\u2028two\x85three\x0bfour"

    whole = asyncio.run(reply_of(llm, f"I love {strange}."))

    assert strange in whole
