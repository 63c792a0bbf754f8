"""What models do to a good answer."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from leasehold_memory.servers.completing import Written

_SORRY = "I'm sorry, but I can't help with that."
_HALF = 0.5


def spoil(written: Written, how: str) -> Written:
    """Write the same as a model in that state would."""
    return SPOILED[how](written)


def _fenced(written: Written) -> Written:
    return replace(written, before="```json\n", after="\n```")


def _chatty(written: Written) -> Written:
    return replace(
        written,
        before="Sure! Here is the {JSON} you asked for:\n\n",
        after="\n\nLet me know if you need anything else {really}!",
    )


def _thinking(written: Written) -> Written:
    return replace(written, before='<think>Maybe {"summary": "x"}? No.</think>\n')


def _thinking_aloud(written: Written) -> Written:
    return replace(written, reply=f"<think>\nWho is this?\n</think>\n\n{written.reply}")


def _broken(written: Written) -> Written:
    """Leave out the last brace, and add a comma that JSON doesn't have."""
    text = json.dumps(written.document, ensure_ascii=False)
    return replace(written, document=None, reply=_beside(written, text[:-1] + ",\n"))


def _single_quoted(written: Written) -> Written:
    return replace(written, document=None, reply=_beside(written, repr(written.document)))


def _beside(written: Written, text: str) -> str:
    """Put a text where the JSON was, behind the reply if there is one."""
    parts = replace(written, document={}).text.rpartition("{}")
    return f"{parts[0]}{text}"


def _bad_item(written: Written) -> Written:
    """Add an item to each list that no schema knows."""
    document = written.document or {}
    worse = {
        key: [*value, {"kind": "ghost", "predicate": "haunts", "subject": "", "due_on": "never"}]
        if isinstance(value, list)
        else value
        for key, value in document.items()
    }
    return replace(written, document=worse)


def _wrong_shape(written: Written) -> Written:
    worse: dict[str, Any] = dict.fromkeys(written.document or {"facts": 1}, 7)
    return replace(written, document=worse)


def _refusal(written: Written) -> Written:
    return replace(written, document=None, reply="", refusal=_SORRY)


def _sorry(written: Written) -> Written:
    """Refuse in words, as most models do."""
    return replace(written, document=None, reply=_SORRY)


def _empty(written: Written) -> Written:
    return replace(written, document=None, reply="")


def _cut_off(written: Written) -> Written:
    return replace(written, cut=_HALF, finish="length")


def _no_trailer(written: Written) -> Written:
    return replace(written, document=None) if written.reply else written


def _letter_by_letter(written: Written) -> Written:
    return replace(written, piece=1)


def _in_one_piece(written: Written) -> Written:
    return replace(written, piece=1_000_000)


def _giving_up(written: Written) -> Written:
    return replace(written, gives_up=True)


SPOILED: dict[str, Callable[[Written], Written]] = {
    "fenced": _fenced,
    "chatty": _chatty,
    "thinking": _thinking,
    "thinking_aloud": _thinking_aloud,
    "broken": _broken,
    "single_quoted": _single_quoted,
    "bad_item": _bad_item,
    "wrong_shape": _wrong_shape,
    "refusal": _refusal,
    "sorry": _sorry,
    "empty": _empty,
    "cut_off": _cut_off,
    "no_trailer": _no_trailer,
    "giving_up": _giving_up,
    "letter_by_letter": _letter_by_letter,
    "in_one_piece": _in_one_piece,
}
