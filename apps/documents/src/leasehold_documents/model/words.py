"""A text's words as both databases keep them: the same words, so that they find the same.

A word is folded (upper and lower case, ß and ss, ä and ae, accents, ligatures), and stemmed: the
German stem takes `ae` for `ä`. A word that was divided at a line's end is one word again.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from typing import Final, NamedTuple

import snowballstemmer

from leasehold_documents.model.stop_words import ENGLISH, GERMAN

LONGEST: Final = 64  # characters of a word that count; PostgreSQL takes 2,046 bytes
_KNOWN: Final = 50_000  # words whose stems are remembered: to make one takes 0.1 ms
_SOFT: Final = "\u00ad"
# Joined: by a soft hyphen, or by a hyphen at a line's end before a small letter. Not in "Miet-⏎und
# Kaufvertrag", where the hyphen stands for a word to come.
_JOINT: Final = (
    r"(?:\u00ad\s*|[-\u2010]\s*\n\s*(?=[a-zß-öø-ÿ])(?!(?:und|oder|bzw|sowie|noch|als|and|or)\b))"
)
_WORD: Final = re.compile(rf"[^\W_]+(?:{_JOINT}[^\W_]+)*")
_BREAK: Final = re.compile(r"[\u00ad\u2010\s-]+")
_UMLAUTS: Final = str.maketrans({"ä": "ae", "ö": "oe", "ü": "ue"})
_HYPHENS: Final = frozenset("-\u2010\u2011")


class Word(NamedTuple):
    """A word where it stands in the text, folded and stemmed."""

    start: int
    end: int
    folded: str
    stem: str


def tidy(text: str) -> str:
    """Write letters with their marks as one sign; places in the text are places in this one."""
    return unicodedata.normalize("NFC", text)


def words_of(text: str) -> Iterator[Word]:
    """Find the words of a text that is `tidy`."""
    for match in _WORD.finditer(text):
        folded, stem = _known(match.group())
        if folded:
            yield Word(*match.span(), folded, stem)


@lru_cache(maxsize=_KNOWN)
def _known(word: str) -> tuple[str, str]:
    folded = fold(word)
    return folded, german_stem(folded)


def fold(word: str) -> str:
    """Write a word as all its spellings are kept."""
    whole = _BREAK.sub("", word)
    lower = unicodedata.normalize("NFKC", whole).casefold().translate(_UMLAUTS)
    if not lower.isascii():
        parts = unicodedata.normalize("NFKD", lower)
        lower = "".join(sign for sign in parts if sign.isalnum())
    return lower[:LONGEST]


@lru_cache(maxsize=_KNOWN)
def german_stem(folded: str) -> str:
    return _stem("german", folded)


@lru_cache(maxsize=_KNOWN)
def english_stem(folded: str) -> str:
    return _stem("english", folded)


def is_english(words: list[Word]) -> bool:
    """Whether more of its small words are English than German."""
    english = sum(word.folded in ENGLISH for word in words)
    return english > sum(word.folded in GERMAN for word in words)


def joined(text: str, words: list[Word]) -> Iterator[str]:
    """Write what stands with hyphens as one word, too: Miet-Vertrag is a Mietvertrag."""
    parts: list[str] = []
    for word, after in zip(words, [*words[1:], None], strict=True):
        parts.append(word.folded)
        if after is not None and text[word.end : after.start] in _HYPHENS:
            continue
        if len(parts) > 1:
            yield "".join(parts)[:LONGEST]
        parts.clear()


def _stem(language: str, folded: str) -> str:
    if not folded.isalpha():  # a number, or half of one
        return folded
    # Stemmers keep what they work on: one for each word, since threads may ask at once.
    return str(snowballstemmer.stemmer(language).stemWord(folded)) or folded
