"""Every text that a person sees, in one table for each language."""

from __future__ import annotations

from collections.abc import Mapping

from leasehold.kit.web.texts.english import ENGLISH
from leasehold.kit.web.texts.german import GERMAN
from leasehold.kit.web.texts.japanese import JAPANESE
from leasehold.kit.web.texts.korean import KOREAN

_OURS = {"de": GERMAN, "en": ENGLISH, "ja": JAPANESE, "ko": KOREAN}
_MARKS = {",.": {}, ".,": str.maketrans(",.", ".,")}  # of thousands, and of parts
_MOST_ACCEPTED = 20  # languages that we read of a browser


class Speaker:
    """Says things in one language."""

    def __init__(self, language: str, texts: Mapping[str, str]) -> None:
        self.language = language
        self._texts = texts

    def __call__(self, key: str, **values: object) -> str:
        """Say a text; numbers in it are written for people."""
        shown = {name: self._written(value) for name, value in values.items()}
        return self._texts[key].format_map(shown)

    def many(self, key: str, count: int, **values: object) -> str:
        """Say a text about so many: `key.one` or `key.many`."""
        return self(f"{key}.{'one' if count == 1 else 'many'}", count=count, **values)

    def known(self, key: str, instead: str) -> str:
        """Say a text that may be missing, else another one."""
        return self._texts.get(key) or self._texts[instead]

    def raw(self, key: str) -> str:
        """Return a text with its places for numbers, which the script fills in."""
        return self._texts[key]

    def has(self, key: str) -> bool:
        return key in self._texts

    def number(self, value: float, places: int | None = None) -> str:
        """Write a number as it is written in this language, with so many places of its parts."""
        written = f"{value:,}" if places is None else f"{value:,.{places}f}"
        return written.translate(_MARKS[self._texts["marks"]])

    def _written(self, value: object) -> object:
        is_count = isinstance(value, int) and not isinstance(value, bool)
        return self.number(value) if is_count else value  # type: ignore[arg-type] # as just seen


class Languages:
    """The languages of an application, the first of which is for whoever prefers none of them.

    Its tables stand on the kit's own, so they have only what is the application's. `names`: what
    people are offered to choose from, each as it calls itself.
    """

    def __init__(
        self, tables: Mapping[str, Mapping[str, str]], *, names: Mapping[str, str] | None = None
    ) -> None:
        self.tables = {code: {**_OURS.get(code, ENGLISH), **own} for code, own in tables.items()}
        self.names = names or {}

    def choose(self, asked: str | None, accepted: str) -> Speaker:
        """Choose what was chosen on a page, else what the browser prefers (Accept-Language)."""
        wanted = [asked or "", *_preferred(accepted)]
        code = next((each for each in wanted if each in self.tables), next(iter(self.tables)))
        return Speaker(code, self.tables[code])


def _preferred(accepted: str) -> list[str]:
    weighed = sorted(map(_weighed, accepted.split(",")[:_MOST_ACCEPTED]), reverse=True)
    return [name for weight, name in weighed if weight > 0]


def _weighed(part: str) -> tuple[float, str]:
    name, _, rest = part.strip().partition(";")
    base = name.strip().lower().partition("-")[0]
    text = rest.strip().removeprefix("q=")
    try:
        return (float(text) if text else 1.0), base
    except ValueError:
        return 0.0, base
