"""Every text that a person sees, in one table for each language."""

from __future__ import annotations

from typing import TYPE_CHECKING

from leasehold_links.web.texts.english import ENGLISH
from leasehold_links.web.texts.korean import KOREAN

if TYPE_CHECKING:
    from collections.abc import Mapping

LANGUAGES: Mapping[str, Mapping[str, str]] = {"en": ENGLISH, "ko": KOREAN}
NAMES = {"en": "English", "ko": "한국어"}
DEFAULT = "en"


class Speaker:
    """Says things in one language."""

    def __init__(self, language: str) -> None:
        self.language = language
        self._texts = LANGUAGES[language]

    def __call__(self, key: str, **values: object) -> str:
        """Say a text; numbers in it are written for people."""
        shown = {name: _written(value) for name, value in values.items()}
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


def choose(asked: str | None, accepted: str) -> str:
    """Choose a language: what was chosen on a page, else what the browser prefers."""
    if asked is not None and asked in LANGUAGES:
        return asked
    wanted = sorted(map(_weighed, accepted.split(",")[:20]), reverse=True)
    return next((name for weight, name in wanted if weight > 0 and name in LANGUAGES), DEFAULT)


def _weighed(part: str) -> tuple[float, str]:
    name, _, rest = part.strip().partition(";")
    base = name.strip().lower().partition("-")[0]
    text = rest.strip().removeprefix("q=")
    try:
        return (float(text) if text else 1.0), base
    except ValueError:
        return 0.0, base


def _written(value: object) -> object:
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else value
