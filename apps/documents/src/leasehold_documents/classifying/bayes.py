"""A complement naive Bayes, learnt from what people of a tenant decided.

Each type is judged by how little a paper looks like those of all other types: that bears types of
which there are few. A paper counts as if it had few words, since words do not come by themselves,
and a type of few lessons is believed little.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from math import exp, log
from typing import Final, NamedTuple

from leasehold_documents.classifying.values import Guess
from leasehold_documents.model.stop_words import STOP_WORDS
from leasehold_documents.model.words import tidy, words_of

MOST_WORDS: Final = 150  # of a paper: its most frequent ones
_SHORTEST: Final = 3
_SMOOTH: Final = 0.5
_EVIDENCE: Final = 24  # words that a paper counts as


class Lesson(NamedTuple):
    """A paper that somebody has judged."""

    doc_type: str
    words: Mapping[str, int]


def features(text: str) -> dict[str, int]:
    """Count a paper's words: stems of letters alone, so that no number of a person is kept."""
    words = (word for word in words_of(tidy(text)) if word.folded not in STOP_WORDS)
    counted = Counter(
        word.stem for word in words if len(word.stem) >= _SHORTEST and word.stem.isalpha()
    )
    ordered = sorted(counted.items(), key=lambda pair: (-pair[1], pair[0]))
    return dict(ordered[:MOST_WORDS])


def guess(lessons: Iterable[Lesson], words: Mapping[str, int]) -> Guess | None:
    """Say which type a paper is most like; None while there is nothing to tell apart."""
    model = _Model(lessons)
    known = {word: log(1 + count) for word, count in words.items() if word in model.total}
    if len(model.lessons) < 2 or not known:  # noqa: PLR2004 - two types at least
        return None
    likeness = {doc_type: model.likeness(doc_type, known) for doc_type in sorted(model.lessons)}
    best = max(likeness, key=lambda doc_type: likeness[doc_type])
    others = sum(exp(_EVIDENCE * (each - likeness[best])) for each in likeness.values())
    believed = model.lessons[best] / (model.lessons[best] + 1)
    return Guess(best, believed * _familiar(known, words) / others)


class _Model:
    """Words of each type, and of all."""

    def __init__(self, lessons: Iterable[Lesson]) -> None:
        self.lessons: Counter[str] = Counter()
        self.total: Counter[str] = Counter()
        self._words: dict[str, Counter[str]] = {}
        for lesson in lessons:
            self.lessons[lesson.doc_type] += 1
            self.total.update(lesson.words)
            self._words.setdefault(lesson.doc_type, Counter()).update(lesson.words)

    def likeness(self, doc_type: str, known: Mapping[str, float]) -> float:
        """Tell how unlike all other types these words are, on average."""
        own = self._words[doc_type]
        others = self.total.total() - own.total() + _SMOOTH * len(self.total)
        unlike = (
            weight * -log((self.total[word] - own[word] + _SMOOTH) / others)
            for word, weight in known.items()
        )
        return sum(unlike) / sum(known.values())


def _familiar(known: Mapping[str, float], words: Mapping[str, int]) -> float:
    """Tell, from 0 to 1, whether enough of the paper's words have been seen before."""
    share = len(known) / len(words)
    return min(1.0, 2 * share)
