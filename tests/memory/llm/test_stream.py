"""A reply comes word by word, and a stream that ends before its end is an outage."""

from __future__ import annotations

import asyncio
from contextlib import aclosing

import pytest

from leasehold_memory.errors import BadAnswer, ModelDown, ModelLimited, ModelRefusedKey
from leasehold_memory.llm import Llm, Trailer, prompts
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
        ("empty", BadAnswer),
        ("refusal", BadAnswer),
        ("html_ok", ModelDown),
    ],
)
def test_what_goes_wrong_with_a_stream_is_told(
    server: ModelServer, llm: Llm, how: int | str, error: type[Exception]
) -> None:
    server.fail(how)

    with pytest.raises(error):
        asyncio.run(reply_of(llm, TEXT))


def test_a_stream_that_says_nothing_is_an_outage_in_time(server: ModelServer) -> None:
    server.fail("silence")
    with Llm(preset_of(server, timeout_seconds=0.2)) as llm, pytest.raises(ModelDown, match="time"):
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
