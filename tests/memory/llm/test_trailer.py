"""The reflection behind a reply is never shown, in whatever pieces the two come."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from leasehold_memory.llm import Trailer
from leasehold_memory.model.answers import Reflection
from leasehold_memory.model.asking import REFLECTION_MARKER

REFLECTION = json.dumps({"summary": "うれしい知らせ", "emotion": "joy", "intensity": 0.8})
WHOLE = f"よかったですね。 1 < 2 です。\n\n{REFLECTION_MARKER}\n{REFLECTION}"


def parted(pieces: list[str]) -> tuple[str, Reflection | None]:
    trailer = Trailer()
    shown = "".join(trailer.feed(piece) for piece in pieces)
    ended = trailer.end()
    return shown + ended.rest, ended.reflection


@given(st.lists(st.integers(0, len(WHOLE)), max_size=30))
def test_however_the_pieces_are_split_only_the_reply_is_shown(cuts: list[int]) -> None:
    places = [0, *sorted(cuts), len(WHOLE)]
    pieces = [WHOLE[begin:end] for begin, end in pairwise(places)]

    shown, reflection = parted(pieces)

    assert shown == "よかったですね。 1 < 2 です。"
    assert reflection is not None
    assert (reflection.summary, reflection.emotion) == ("うれしい知らせ", "joy")


@pytest.mark.parametrize(
    "marker",
    ["<<<reflection>>>", "<<< REFLECTION >>>", "```\n<<<REFLECTION>>>", "**<<<REFLECTION>>>**"],
)
def test_a_marker_that_is_not_written_exactly_is_known_as_well(marker: str) -> None:
    shown, reflection = parted(list(f"Fine.\n{marker}\n```json\n{REFLECTION}\n```"))

    assert shown == "Fine."
    assert reflection is not None


@given(st.text(alphabet="a <\n`*REFLCTION>", max_size=60))
def test_a_reply_without_a_trailer_is_shown_whole(reply: str) -> None:
    if "<<<" in "".join(reply.split()):
        return
    assert parted(list(reply)) == (reply, None)


@pytest.mark.parametrize("length", range(3, len(REFLECTION_MARKER)))
def test_a_marker_that_is_cut_off_is_not_shown(length: int) -> None:
    assert parted(["Fine.\n", REFLECTION_MARKER[:length]])[0].strip() == "Fine."


@pytest.mark.parametrize("trailer", ["", "{", "no JSON", '{"summary": ""}', '{"summary": 1e999}'])
def test_a_reflection_that_is_none_is_none_and_the_reply_is_fine(trailer: str) -> None:
    assert parted([f"Fine.\n{REFLECTION_MARKER}\n{trailer}"]) == ("Fine.", None)
