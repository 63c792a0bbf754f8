"""Whether a text speaks of somebody by name, however it is typed, and not by a word like it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Any

from leasehold_memory.model.names import name_key

# Of one character, such as a letter or a Japanese one, it may be a part of any word.
SHORTEST = 2
# Languages that put no spaces between words: a name may stand anywhere in them.
_UNSPACED = r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]"
_LETTER = rf"(?!{_UNSPACED})[^\W\d_]"
_KATAKANA = r"[\u30a0-\u30ff]"
_SHORT_HIRAGANA = r"[\u3040-\u309f]{2,3}"  # these are in many words
_HONORIFIC = "(?=さん|ちゃん|くん|君|様|さま|先生|氏)"
# Names that are words, too: theirs when they begin with a capital within a sentence.
_WORDS = frozenset(
    re.findall(
        r"\w+",
        """
        amber angel april art august autumn bill carol chance chase chuck christian dale dawn dean
        drew earnest eve faith forest frank gene glen grace grant guy harmony heather holly hope
        hunter iris ivy jack jade jasmine jewel joy june justice lance lily major mark mason may
        melody miles misty nick olive page pat pearl pierce ray red reed rich rob robin rocky rose
        ruby sandy sky sonny spencer star storm sue summer terry tiffany victor violet wade will
        willow
        """,
    )
)


class Naming:
    """Finds names in texts.

    A name in a script with spaces is a whole word, so that `Al` is not in `also`; in katakana it is
    all of a row of it, and a short one in hiragana has an honorific behind it. One that is only a
    part of another person's longer name (`but_for`) is not theirs.
    """

    def __init__(self, names: Iterable[str], *, but_for: Iterable[str] = ()) -> None:
        known = {key: name for name in names if len(key := name_key(name)) >= SHORTEST}
        self.keys = sorted(known)
        longer = {key for name in but_for if self._is_part_of(key := name_key(name))}
        self._others = _any_of(map(_word, longer))
        self._own = _any_of(_word(key) for key in known if key not in _WORDS)
        self._careful = _any_of(_capital(name) for key, name in known.items() if key in _WORDS)

    def is_in(self, text: str) -> bool:
        """Whether the text has one of the names."""
        return self._is_found(self._own, name_key(text)) or self._is_found(
            self._careful, " ".join(unicodedata.normalize("NFKC", text).split())
        )

    def _is_found(self, wanted: re.Pattern[str] | None, text: str) -> bool:
        if wanted is None:
            return False
        rest = text if self._others is None else self._others.sub("\n", text)
        return wanted.search(rest) is not None

    def _is_part_of(self, other: str) -> bool:
        return any(key in other and key != other for key in self.keys)


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


def _any_of(patterns: Iterable[str]) -> re.Pattern[str] | None:
    longest_first = sorted(patterns, key=lambda each: (-len(each), each))
    return re.compile("|".join(longest_first), re.IGNORECASE) if longest_first else None


def _capital(name: str) -> str:
    """Ask for the name as names are written, behind a word or a comma."""
    written = unicodedata.normalize("NFKC", name).strip().capitalize()
    return rf"(?-i:(?<=[a-z,;] ){re.escape(written)}(?!{_LETTER}))"


def _word(key: str) -> str:
    """Ask for the ends of a word, as the script has them."""
    if re.fullmatch(f"{_KATAKANA}+", key):
        return f"(?<!{_KATAKANA}){re.escape(key)}(?!{_KATAKANA})"
    if re.fullmatch(_SHORT_HIRAGANA, key):
        return re.escape(key) + _HONORIFIC
    before = rf"(?:^|(?<=[\W\d_])|(?<={_UNSPACED}))" if re.match(_LETTER, key[0]) else ""
    after = f"(?!{_LETTER})" if re.match(_LETTER, key[-1]) else ""
    return f"{before}{re.escape(key)}{after}"
