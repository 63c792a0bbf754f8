"""JSON in what a model wrote: behind thoughts, in fences, between friendly words, or a bit broken.

What a model writes may be hostile, too: how much is looked at has a limit, and so has its depth.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import accumulate
from typing import Any

import json_repair

_MOST_CHARACTERS = 100_000
_MOST_MENDED = 12_000  # characters: mending can take time that grows with their square
_DEEPEST_MENDED = 60  # brackets inside one another
_STUCK = re.compile(r"(.{1,8}?)\1{200}", re.DOTALL)  # a model that writes the same for ever
_MOST_BEGINNINGS = 50  # braces at which JSON is looked for
_THOUGHTS_END = "</think>"
_BEGINNING = re.compile(r"[{\[]")
_DECODER = json.JSONDecoder()
_KEPT = "\n\t"


def find_document(text: str) -> Any:
    """Return the largest JSON object or list in a text, mended if need be; None if none is."""
    written = text.rpartition(_THOUGHTS_END)[2][:_MOST_CHARACTERS]
    try:
        found = _whole(written)
        return cleaned(_mended(written) if found is None else found)
    except (RecursionError, ValueError):
        return None


def _whole(text: str) -> Any:
    """Find the largest object or list that needs no mending and isn't followed by broken ones."""
    best, size, end = None, 0, 0
    for begin in list(_BEGINNING.finditer(text))[:_MOST_BEGINNINGS]:
        if begin.start() < end:
            continue
        try:
            found, end = _DECODER.raw_decode(text, begin.start())
        except ValueError:
            if begin.start() > 0 and text[begin.start() + 1 : begin.start() + 2] not in '"{[\n ':
                continue  # a brace in prose
            return best  # broken from here: what is inside of it is not the answer
        if end - begin.start() > size:
            best, size = found, end - begin.start()
    return best


def _mended(text: str) -> Any:
    if _BEGINNING.search(text) is None or not _is_mendable(text):
        return None
    found = json_repair.loads(text)
    if isinstance(found, list):
        found = next((each for each in found if isinstance(each, dict)), found)
    return found if isinstance(found, dict | list) and found else None


def _is_mendable(text: str) -> bool:
    """Whether mending a text takes little time: it isn't long, nor deep, nor the same for ever."""
    if len(text) > _MOST_MENDED or _STUCK.search(text):
        return False
    steps = ((letter in "{[(") - (letter in "}])") for letter in text)
    return max(accumulate(steps), default=0) <= _DEEPEST_MENDED


def cleaned(value: Any) -> Any:
    """Take out of all texts what no file and no page can keep: controls and half letters."""
    if isinstance(value, str):
        return "".join(filter(_is_kept, value)).strip()
    if isinstance(value, list):
        return [cleaned(each) for each in value]
    if isinstance(value, dict):
        return {cleaned(str(key)): cleaned(each) for key, each in value.items()}
    return value


def _is_kept(letter: str) -> bool:
    return letter in _KEPT or unicodedata.category(letter) not in {"Cc", "Cs"}
