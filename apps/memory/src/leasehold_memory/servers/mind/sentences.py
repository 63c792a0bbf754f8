"""Sentences of a text, in either language; one without an end is taken in parts."""

from __future__ import annotations

import re

_ENDS = re.compile(r"(?<=[。！？])|(?<=[.!?])\s+|\n")
_LONGEST = 300  # characters: what rules do with a sentence may grow with its square


def sentences_of(text: str) -> list[str]:
    """Return what is said, sentence by sentence."""
    parts = (
        whole[begin : begin + _LONGEST]
        for whole in _ENDS.split(text)
        for begin in range(0, len(whole), _LONGEST)
    )
    return [part.strip() for part in parts if part.strip()]
