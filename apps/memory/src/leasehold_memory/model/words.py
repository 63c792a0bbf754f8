"""Which words a text has, also in languages that write no spaces between them.

A run of letters and digits with a Japanese (or Chinese, Korean, Thai) character in it becomes its
pairs of neighbouring characters, and the single ones: a word of two characters is one pair, a
longer one a row of pairs, one of one character is itself. Nobody has to know where words end.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise

# Thai, Lao, Khmer, then from the radicals of Chinese to Hangul, rare ones, and little pictures.
_PICTURES = "\u2600-\u27bf\U0001f000-\U0001ffff"
_UNSPACED = f"\u0e00-\u0eff\u1780-\u17ff\u2e80-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff{_PICTURES}"
_RUN = re.compile(f"[^\\W_]+(?:['\u2019][^\\W_]+)*|[{_PICTURES}]")
_HAS_UNSPACED = re.compile(f"[{_UNSPACED}]")
_SPACED_PART = re.compile(rf"[^\W_{_UNSPACED}]+")
_POSSESSIVE = re.compile("['\u2019]s$")
_APOSTROPHES = str.maketrans("", "", "'\u2019")
_ACCENTS = re.compile("[\u0300-\u036f]")


@dataclass(frozen=True, slots=True)
class Run:
    """Letters and digits that stand together in a text."""

    text: str
    is_unspaced: bool  # it is looked for by its characters

    @property
    def words(self) -> list[str]:
        """The words between which a text has spaces; of an unspaced run those within it."""
        if not self.is_unspaced:
            return [_plain(self.text)]
        return [_plain(part) for part in _SPACED_PART.findall(self.text)]

    @property
    def pairs(self) -> list[str]:
        """The neighbouring characters of an unspaced run."""
        return [left + right for left, right in pairwise(self.text)] if self.is_unspaced else []


def normalise_text(text: str) -> str:
    """Return the text as it is compared: NFKC, without differences of case."""
    return unicodedata.normalize("NFKC", text).casefold().replace("\0", " ")


def runs_of(normalised: str) -> list[Run]:
    """Take a normalised text apart."""
    return [
        Run(text=found, is_unspaced=bool(_HAS_UNSPACED.search(found)))
        for found in _RUN.findall(normalised)
    ]


def _plain(word: str) -> str:
    """Leave out accents and apostrophes: `café` is `cafe`, `emma's` is `emma`."""
    bare = _POSSESSIVE.sub("", word).translate(_APOSTROPHES)
    return _ACCENTS.sub("", unicodedata.normalize("NFKD", bare))
