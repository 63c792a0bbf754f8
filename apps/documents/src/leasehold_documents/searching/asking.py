"""What a person typed, understood: words, "phrases", prefixes*, -left out, this oder that.

    mietvertrag berlin         both in one chunk
    "ordentliche Kündigung"    these words in this order, whatever their endings
    kündig*                    words that begin so
    miete oder pacht           one of them; `oder`, `or` and `|` bind less than a space
    vertrag -mietvertrag       without that word: its own forms only, not compounds with it
    "miete"                    its own forms only, too

Small words are left out, but in phrases.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final, NamedTuple, TypeAlias

from leasehold_documents.errors import Rejected
from leasehold_documents.model.stop_words import STOP_WORDS
from leasehold_documents.model.words import (
    Word,
    english_stem,
    german_stem,
    joined,
    tidy,
    words_of,
)

MOST_CHARACTERS: Final = 1_000
MOST_WORDS: Final = 32
_PART: Final = re.compile(
    r"""(?P<minus>(?:(?<=\s)|^)[-\u2212])?(?:"(?P<phrase>[^"]*)"?|(?P<word>[^\s"]+))"""
)
_HEAD: Final = "haupt"  # of any compound
_EITHER: Final = frozenset({"oder", "or", "|", "||"})
_QUOTES: Final = str.maketrans(dict.fromkeys("\u201c\u201d\u201e\u00ab\u00bb", '"'))


class Plain(NamedTuple):
    """A word: in all its forms, and in compounds, in which its stem may be a shorter one."""

    folded: str
    stem: str
    english: str
    tail: str


class Prefix(NamedTuple):
    """How words begin."""

    folded: str


class Phrase(NamedTuple):
    """Words in this order; what was typed with hyphens is also looked for as one word."""

    stems: tuple[str, ...]
    whole: str | None = None


Term: TypeAlias = Plain | Prefix | Phrase


@dataclass(frozen=True, slots=True, kw_only=True)
class Every:
    """All of these, and none of those."""

    wanted: tuple[Term, ...]
    unwanted: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Question:
    """One of these is enough."""

    either: tuple[Every, ...]

    def terms(self) -> list[Term]:
        """Everything that is wanted, once."""
        return list(dict.fromkeys(term for every in self.either for term in every.wanted))


def understand(text: str) -> Question:
    """Read what was typed; who asks for nothing, or only for what is to be left out, is told so."""
    if len(text) > MOST_CHARACTERS:
        raise Rejected("QUERY_TOO_LONG", f"a search has at most {MOST_CHARACTERS:,} characters")
    groups = [_every(group) for group in _groups(tidy(text).translate(_QUOTES))]
    either = tuple(every for every in groups if every.wanted)
    if not either:
        raise Rejected("EMPTY_QUERY", "a search needs at least one word that is to be found")
    if sum(len(every.wanted) + len(every.unwanted) for every in either) > MOST_WORDS:
        raise Rejected("QUERY_TOO_LONG", f"a search has at most {MOST_WORDS} words")
    return Question(tuple(dict.fromkeys(either)))


class _Typed(NamedTuple):
    term: Term
    is_unwanted: bool
    is_small: bool  # says nothing by itself


def _groups(text: str) -> Iterator[list[_Typed]]:
    group: list[_Typed] = []
    for match in _PART.finditer(text):
        word = match["word"]
        if word is not None and word.casefold() in _EITHER:
            yield group
            group = []
        else:
            group.extend(_typed(match))
    yield group


def _every(group: list[_Typed]) -> Every:
    """Leave out small words, unless there are no others."""
    wanted = [typed for typed in group if not typed.is_unwanted]
    telling = [typed for typed in wanted if not typed.is_small] or wanted
    return Every(wanted=_terms(telling), unwanted=_terms(t for t in group if t.is_unwanted))


def _terms(typed: Iterable[_Typed]) -> tuple[Term, ...]:
    return tuple(dict.fromkeys(each.term for each in typed))


def _typed(match: re.Match[str]) -> Iterator[_Typed]:
    is_unwanted = match["minus"] is not None
    is_quoted = match["word"] is None
    text = match["phrase"] if is_quoted else match["word"]
    words = list(words_of(text))
    if not words:
        return
    if text.endswith("*") and not is_quoted:
        *before, last = words
        if before:
            yield _Typed(_sequence(text, before), is_unwanted, is_small=False)
        yield _Typed(Prefix(last.folded), is_unwanted, is_small=False)
    elif len(words) == 1 and not is_quoted:
        yield _Typed(_plain(words[0]), is_unwanted, words[0].folded in STOP_WORDS)
    else:
        yield _Typed(_sequence(text, words), is_unwanted, is_small=False)


def _plain(word: Word) -> Plain:
    return Plain(word.folded, word.stem, english_stem(word.folded), _tail(word.folded))


def _tail(folded: str) -> str:
    """Stem a word as the end of a longer one: of Rechnung all stays, of Abrechnung `abrechn`."""
    return german_stem(_HEAD + folded).removeprefix(_HEAD)


def _sequence(text: str, words: list[Word]) -> Phrase:
    whole = [*joined(text, words)]
    is_one = len(whole) == 1 and len(whole[0]) == sum(len(word.folded) for word in words)
    return Phrase(tuple(word.stem for word in words), german_stem(whole[0]) if is_one else None)
