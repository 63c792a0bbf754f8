"""A question in the words of either index: the same words, joined by each one's own signs."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final, NamedTuple, assert_never

from leasehold_documents.searching.asking import Every, Phrase, Plain, Prefix, Question, Term
from leasehold_documents.searching.marking import (
    END,
    ENGLISH,
    SHORTEST_PART,
    STEM,
    STRONG,
    WORD,
)


class Signs(NamedTuple):
    """How an index is asked; words are letters and digits, so that none of them holds a sign."""

    all_of: str
    one_of: str
    but_not: str
    word: Callable[[str], str]
    begins: Callable[[str], str]
    follows: Callable[[list[str]], str]


POSTGRES: Final = Signs(
    all_of=" & ",
    one_of=" | ",
    but_not=" & !",
    word=lambda word: f"'{word}'",
    begins=lambda word: f"'{word}':*",
    follows=lambda words: "(" + " <-> ".join(f"'{word}'" for word in words) + ")",
)
# Stems alone stand as they do in the text.
SQLITE: Final = Signs(
    all_of=" AND ",
    one_of=" OR ",
    but_not=" NOT ",
    word=lambda word: f'"{word}"',
    begins=lambda word: f'"{word}"*',
    follows=lambda words: '(stems: "' + " ".join(words) + '")',
)


class Wording:
    """Writes a tenant's questions for one index."""

    def __init__(self, signs: Signs, prefix: str) -> None:
        self._signs = signs
        self._prefix = prefix

    def all_hits(self, question: Question) -> str:
        """Ask for everything that is meant."""
        return self._question(question, self._broadly)

    def best_hits(self, question: Question) -> str:
        """Ask for chunks that are about it: where words are in a title, or occur often."""
        return self._question(question, self._strongly)

    def _question(self, question: Question, word: Callable[[Term], str]) -> str:
        return self._one_of(self._every(every, word) for every in question.either)

    def _every(self, every: Every, word: Callable[[Term], str]) -> str:
        wanted = self._signs.all_of.join(word(term) for term in every.wanted)
        if not every.unwanted:
            return f"({wanted})"
        unwanted = self._one_of(self._narrowly(term) for term in every.unwanted)
        return f"(({wanted}){self._signs.but_not}{unwanted})"

    def _broadly(self, term: Term) -> str:
        if not isinstance(term, Plain) or len(term.folded) < SHORTEST_PART:
            return self._narrowly(term)
        ways = [self._narrowly(term), *self._starts(term.folded)]
        if len(term.tail) >= SHORTEST_PART:
            ways.append(self._signs.begins(self._prefix + END + term.tail[::-1]))
        return self._one_of(ways)

    def _strongly(self, term: Term) -> str:
        return self._one(STRONG, term.stem) if isinstance(term, Plain) else self._narrowly(term)

    def _narrowly(self, term: Term) -> str:
        match term:
            case Plain():
                return self._one_of([self._one(STEM, term.stem), self._one(ENGLISH, term.english)])
            case Prefix():
                return self._one_of(self._starts(term.folded))
            case Phrase():
                return self._phrase(term)
            case _:
                assert_never(term)

    def _phrase(self, term: Phrase) -> str:
        if len(term.stems) == 1:
            return self._one(STEM, term.stems[0])
        phrase = self._signs.follows([self._prefix + STEM + stem for stem in term.stems])
        return phrase if term.whole is None else self._one_of([phrase, self._one(STEM, term.whole)])

    def _starts(self, folded: str) -> list[str]:
        return [self._signs.begins(self._prefix + kind + folded) for kind in (STEM, WORD)]

    def _one(self, kind: str, stem: str) -> str:
        return self._signs.word(self._prefix + kind + stem)

    def _one_of(self, ways: Iterable[str]) -> str:
        return f"({self._signs.one_of.join(ways)})"
