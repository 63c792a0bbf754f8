"""Whether a text speaks of somebody by name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from leasehold_memory.model.names import name_key

# Of one character, such as a letter or a Japanese one, it may be a part of any word.
SHORTEST = 2
# Languages that put no spaces between words: a name may stand anywhere in them.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
_LETTER = rf"(?!{_UNSPACED})[^\W\d_]"


class Naming:
    """Finds names in texts, however they are typed.

    A name in a script with spaces is a whole word, so that `Al` is not in `also`. One that is only
    a part of another person's longer name (`but_for`) is not theirs.
    """

    def __init__(self, names: Iterable[str], *, but_for: Iterable[str] = ()) -> None:
        self.keys = sorted({key for name in names if len(key := name_key(name)) >= SHORTEST})
        longer = {key for name in but_for if self._is_part_of(key := name_key(name))}
        self._others = _any_of(longer)
        self._own = _any_of(self.keys)

    def is_in(self, text: str) -> bool:
        """Whether the text has one of the names."""
        if self._own is None:
            return False
        folded = name_key(text)
        rest = folded if self._others is None else self._others.sub("\n", folded)
        return self._own.search(rest) is not None

    def _is_part_of(self, other: str) -> bool:
        return any(key in other and key != other for key in self.keys)


def _any_of(keys: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted(keys, key=lambda each: (-len(each), each))
    return re.compile("|".join(map(_word, longest_first))) if longest_first else None


def _word(key: str) -> str:
    """Ask for the ends of a word where the name has a letter that is written with spaces."""
    before = rf"(?:^|(?<=[\W\d_])|(?<={_UNSPACED}))" if re.match(_LETTER, key[0]) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, key[-1]) else ""
    return f"{before}{re.escape(key)}{after}"


def texts_in(value: Any) -> Iterator[str]:
    """Go through all texts of a payload, however deep."""
    match value:
        case str():
            yield value
        case dict():
            for each in value.values():
                yield from texts_in(each)
        case list():
            for each in value:
                yield from texts_in(each)
