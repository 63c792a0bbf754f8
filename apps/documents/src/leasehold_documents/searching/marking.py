"""What is kept of a chunk: its stems in their order, and marks by which they are found otherwise.

A mark begins with what kind it is. Both databases know a word only with its tenant's prefix before
it, so that a look at words which begin alike sees one tenant's words and no others.

    g  a German stem                   s  a stem that the chunk is about: of a title, or said often
    w  a whole word, unlike its stem   e  a long stem from its end: compounds that end in a word
    n  an English stem, of an English text
"""

from __future__ import annotations

import hashlib
from collections import Counter
from typing import Final, NamedTuple
from uuid import UUID

from leasehold_documents.model.stop_words import STOP_WORDS
from leasehold_documents.model.words import (
    Word,
    english_stem,
    german_stem,
    is_english,
    joined,
    tidy,
    words_of,
)

STEM, WORD, END, ENGLISH, STRONG = "g", "w", "e", "n", "s"
SHORTEST_PART: Final = 4  # letters of a word that is looked for in compounds
_SHORTEST_COMPOUND: Final = SHORTEST_PART + 3
_OFTEN: Final = 3
_TITLES: Final = frozenset({"Title", "Header"})
_LETTERS: Final = "abcdefghijklmnopqrstuvwxyz234567"


class Marked(NamedTuple):
    """A chunk as it is found."""

    stems: tuple[str, ...]
    marks: tuple[str, ...]
    is_title: bool


def mark(text: str, element_type: str | None = None) -> Marked:
    """Analyse a chunk."""
    whole = tidy(text)
    words = list(words_of(whole))
    compounds = {german_stem(word) for word in joined(whole, words)}
    is_title = element_type in _TITLES
    marks = {STEM + stem for stem in compounds}
    marks.update(WORD + word.folded for word in words if word.folded != word.stem)
    marks.update(END + stem[::-1] for stem in _compounds(words, compounds))
    marks.update(STRONG + stem for stem in _strong(words, is_title=is_title))
    if is_english(words):
        marks.update(_english(words))
    return Marked(tuple(word.stem for word in words), tuple(sorted(marks)), is_title)


def prefix_of(tenant_id: UUID) -> str:
    """Name a tenant in three letters. Two may share them: who searches says the tenant, too."""
    number = int.from_bytes(hashlib.blake2s(tenant_id.bytes, digest_size=2).digest())
    return "".join(_LETTERS[number >> shift & 31] for shift in (10, 5, 0))


def _compounds(words: list[Word], more: set[str]) -> set[str]:
    stems = {word.stem for word in words} | more
    return {stem for stem in stems if len(stem) >= _SHORTEST_COMPOUND and stem.isalpha()}


def _strong(words: list[Word], *, is_title: bool) -> set[str]:
    counted = Counter(word.stem for word in words if word.folded not in STOP_WORDS)
    return {stem for stem, times in counted.items() if is_title or times >= _OFTEN}


def _english(words: list[Word]) -> set[str]:
    return {ENGLISH + english_stem(word.folded) for word in words if word.folded not in STOP_WORDS}
