"""What a paragraph is, by its words alone."""

from __future__ import annotations

import re

_BULLET = re.compile(r"(?:[•◦▪‣·●○*\u2013\u2014-]|\(?\d{1,3}[.)]|\(?[a-z]\))\s+\S")
_FULL_SENTENCE = 6  # words


def is_bullet(text: str) -> bool:
    return _BULLET.match(text) is not None


def type_of(text: str) -> str:
    """Name a paragraph as Unstructured would."""
    if is_bullet(text):
        return "ListItem"
    return "NarrativeText" if len(text.split()) >= _FULL_SENTENCE else "UncategorizedText"
