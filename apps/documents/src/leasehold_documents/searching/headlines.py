"""The part of a chunk that shows why it was found: safe to put into a page as it is."""

from __future__ import annotations

import re
from html import escape
from typing import Final

from leasehold_documents.model.words import Word, english_stem, tidy, words_of
from leasehold_documents.searching.asking import Phrase, Plain, Prefix, Question
from leasehold_documents.searching.marking import SHORTEST_PART

WIDTH: Final = 240
_BEFORE: Final = 60  # characters in front of the first word that is shown as found
_SPACE: Final = re.compile(r"\s+")


class Headlines:
    """Shows which words a question means, in one chunk after the other."""

    def __init__(self, question: Question) -> None:
        terms = question.terms()
        self._plain = [term for term in terms if isinstance(term, Plain)]
        self._prefixes = tuple(term.folded for term in terms if isinstance(term, Prefix))
        self._phrases = [term for term in terms if isinstance(term, Phrase)]
        self._known: dict[str, bool] = {}

    def of(self, text: str, *, width: int = WIDTH) -> str:
        """Cut out about `width` characters, escaped, with what was found in `<mark>`."""
        whole = tidy(text)
        words = list(words_of(whole))
        found = self._among(words)
        start, end = _window(whole, words, found, width)
        shown = [word for word in found if start <= word.start and word.end <= end]
        return _written(whole, shown, start, end)

    def _among(self, words: list[Word]) -> list[Word]:
        in_phrase = self._in_phrases([word.stem for word in words])
        return [word for place, word in enumerate(words) if self._knows(word) or place in in_phrase]

    def _knows(self, word: Word) -> bool:
        known = self._known.get(word.folded)
        if known is None:
            known = self._known[word.folded] = self._is_meant(word)
        return known

    def _is_meant(self, word: Word) -> bool:
        if self._prefixes and word.folded.startswith(self._prefixes):
            return True
        return any(_is_form(word, term) or _is_compound(word, term) for term in self._plain)

    def _in_phrases(self, stems: list[str]) -> set[int]:
        places: set[int] = set()
        for phrase in self._phrases:
            length = len(phrase.stems)
            for start in range(len(stems)):
                if tuple(stems[start : start + length]) == phrase.stems:
                    places.update(range(start, start + length))
                elif stems[start] == phrase.whole:
                    places.add(start)
        return places


def _is_form(word: Word, term: Plain) -> bool:
    return word.stem == term.stem or english_stem(word.folded) == term.english


def _is_compound(word: Word, term: Plain) -> bool:
    if len(term.folded) < SHORTEST_PART:
        return False
    ends = len(term.tail) >= SHORTEST_PART and word.stem.endswith(term.tail)
    return ends or word.folded.startswith(term.folded)


def _window(text: str, words: list[Word], found: list[Word], width: int) -> tuple[int, int]:
    """Choose where most of what was found stands together, and cut between words."""
    if len(text) <= width or not words:
        return 0, len(text)
    first = max(found, key=lambda word: _held(found, word.start, width), default=words[0])
    start = max(0, min(first.start - _BEFORE, len(text) - width))
    start = next((word.start for word in words if word.start >= start), start)
    end = max((word.end for word in words if word.end <= start + width), default=start + width)
    return (0 if start == words[0].start else start), (len(text) if end == words[-1].end else end)


def _held(found: list[Word], start: int, width: int) -> tuple[int, int]:
    inside = {word.stem for word in found if start <= word.start < start + width - _BEFORE}
    return len(inside), -start


def _written(text: str, shown: list[Word], start: int, end: int) -> str:
    parts, at = ["" if start == 0 else "… "], start
    for word in shown:
        parts += [
            escape(text[at : word.start]),
            f"<mark>{escape(text[word.start : word.end])}</mark>",
        ]
        at = word.end
    parts += [escape(text[at:end]), "" if end == len(text) else " …"]
    return _SPACE.sub(" ", "".join(parts)).strip()
