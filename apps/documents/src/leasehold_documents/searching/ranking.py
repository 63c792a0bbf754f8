"""Which hit comes first: counted in whole numbers from its stems, by one code for both stores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple, TypeAlias, assert_never

from leasehold_documents.searching.asking import Phrase, Plain, Prefix, Question, Term

_TIMES: Final = (0, 8, 12, 14, 15)  # said often is worth more, ever less so
_PART: Final = 4  # a word within another
_NEXT: Final = 6  # words that stand beside each other as they were typed
_PHRASE: Final = 10
_TITLE: Final = 3  # halves that a title is worth


class Candidate(NamedTuple):
    """A hit as the index knows it: each stem stands between spaces, the first and last, too."""

    number: int
    is_title: bool
    stems: str


class Ranked(NamedTuple):
    """A hit and what it is worth."""

    number: int
    score: int


Worth: TypeAlias = Callable[[str], int]


def rank(question: Question, candidates: Iterable[Candidate]) -> list[Ranked]:
    """Put the best first; of equals the newest."""
    terms = question.terms()
    worths = [_worth(term) for term in terms]
    pairs = [f" {a} {b} " for a, b in pairwise(_stems(terms))]

    def score(candidate: Candidate) -> int:
        stems = candidate.stems
        points = sum(worth(stems) for worth in worths)
        points += sum(_NEXT for pair in pairs if pair in stems)
        return points * _TITLE // 2 if candidate.is_title else points

    ranked = [Ranked(candidate.number, score(candidate)) for candidate in candidates]
    return sorted(ranked, key=lambda hit: (-hit.score, -hit.number))


def _stems(terms: Sequence[Term]) -> list[str]:
    return [term.stem for term in terms if isinstance(term, Plain)]


def _worth(term: Term) -> Worth:
    match term:
        case Plain():
            return _worth_of_word(term)
        case Prefix():
            return lambda stems: _PART + _times(stems.count(f" {term.folded}")) // 2
        case Phrase():
            said = " ".join(term.stems)
            return lambda stems: _PHRASE + _times(stems.count(f" {said} "))
        case _:
            assert_never(term)


def _worth_of_word(term: Plain) -> Worth:
    alone, at_end, at_start = f" {term.stem} ", f"{term.tail} ", f" {term.stem}"

    def worth(stems: str) -> int:
        if times := stems.count(alone):
            return _times(times)
        return _PART if at_end in stems or at_start in stems else 0

    return worth


def _times(count: int) -> int:
    return _TIMES[min(count, len(_TIMES) - 1)]
