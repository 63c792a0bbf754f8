"""What templates say: every text that they ask for is there, and none stands in them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

    from leasehold.kit.web import Pages

_KEY = re.compile(r"""say(?:\.many|\.raw)?\(\s*["']([\w.-]+)["']\s*[,)]""")
_MANY = re.compile(r"""say\.many\(\s*["']([\w.-]+)["']""")
_LETTERS = re.compile(r"[A-Za-zÄÖÜäöüßぁ-んァ-ヶ一-龯가-힣]{2,}")
_SPOKEN = re.compile(r"""(?:aria-label|title|placeholder|alt|value)="([^"{]*)""")


def sources(pages: Pages) -> dict[str, str]:
    loader = pages.environment.loader
    assert loader is not None
    names = loader.list_templates()
    return {name: loader.get_source(pages.environment, name)[0] for name in names}


def missing_texts(pages: Pages) -> set[tuple[str, str]]:
    """Name the template and the key of each text that a template asks for and nobody has."""
    tables = pages.languages.tables.values()
    asked = set()
    for name, source in sources(pages).items():
        many = set(_MANY.findall(source))
        asked |= {(name, key) for key in set(_KEY.findall(source)) - many}
        asked |= {(name, f"{key}.{form}") for key in many for form in ("one", "many")}
    assert asked
    return {(name, key) for name, key in asked if any(key not in texts for texts in tables)}


def written_texts(pages: Pages, allowed: Collection[str] = ()) -> list[tuple[str, str]]:
    """Name the words that stand in templates themselves, so in one language only."""
    found = []
    for name, source in sources(pages).items():
        kept = [text for _, kind, text in pages.environment.lex(source) if kind == "data"]
        markup = "\x00".join(kept)
        outside = re.sub(r"<[^>]*>", " ", markup).replace("\x00", "")
        words = _LETTERS.findall(outside + " " + " ".join(_SPOKEN.findall(markup)))
        found += [(name, word) for word in words if word not in allowed]
    return found
