"""Episodes of a companion that was talked to for years: English and Japanese of made-up words.

Words are as frequent as in a language: the second is half as frequent as the first, the hundredth a
hundredth. So a question has rare and frequent ones, as people's questions do.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate
from random import Random
from typing import Final

_VOCABULARY: Final = 20_000
_JAPANESE = 0.3  # of all episodes
_SYLLABLES = [first + vowel for first in "bdfgklmnprstvz" for vowel in "aeiou"]
_KANJI = [chr(0x4E00 + 7 * number) for number in range(800)]
_PARTICLES = ["は", "を", "に", "で", "の", "が", "から", "まで"]


class Speaker:
    """Says the same from the same seed."""

    def __init__(self, seed: int) -> None:
        self._random = Random(seed)
        words = Random(1)
        self._english = ["".join(words.choices(_SYLLABLES, k=3)) for _ in range(_VOCABULARY)]
        self._japanese = ["".join(words.choices(_KANJI, k=2)) for _ in range(_VOCABULARY)]
        self._weights = [*accumulate(1 / (rank + 10) for rank in range(_VOCABULARY))]

    def episodes(self, count: int) -> Iterator[str]:
        """Say so much."""
        for _ in range(count):
            yield self._say(self._random.randint(8, 40))

    def question(self) -> str:
        """Ask about something."""
        return self._say(self._random.randint(2, 8))

    def _say(self, length: int) -> str:
        is_japanese = self._random.random() < _JAPANESE
        vocabulary = self._japanese if is_japanese else self._english
        words = self._random.choices(vocabulary, cum_weights=self._weights, k=length)
        if not is_japanese:
            return " ".join(words)
        return "".join(word + self._random.choice(_PARTICLES) for word in words)
