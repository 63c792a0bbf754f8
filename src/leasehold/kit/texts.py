"""Texts of strangers, made fit to be shown beside others'."""

from __future__ import annotations

import re

LONGEST_EXCERPT = 300
# They must not turn the line, or hide in it, or control a terminal.
_INVISIBLE = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\xad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]"
)
_SENTENCE_END = re.compile(r"[.!?…](?=\s)|[。．！？]")  # noqa: RUF001 - those of East Asia


def tidy(text: str | None, longest: int | None = None) -> str:
    """Make one visible line of a text, and no longer one than that."""
    if not text:
        return ""
    line = text if _is_tidy(text) else " ".join(_INVISIBLE.sub("", text).split())
    return line if longest is None or len(line) <= longest else line[:longest].rstrip()


def _is_tidy(text: str) -> bool:
    """Whether there is nothing to do, as for nearly every title: a sixth of the time."""
    return text.isprintable() and "  " not in text and text[0] != " " != text[-1]


def excerpt(text: str, longest: int = LONGEST_EXCERPT) -> str:
    """Return the beginning of a text, cut after a sentence, else after a word."""
    if len(text) <= longest:
        return text
    head = text[:longest]
    ends = [found.end() for found in _SENTENCE_END.finditer(text, 0, longest)]
    if ends and ends[-1] >= longest // 3:
        return head[: ends[-1]].rstrip()
    word = head[: longest - 1].rpartition(" ")[0]
    return (word if len(word) >= longest // 2 else head[: longest - 1]).rstrip() + "…"
