"""Text as it was meant: without what only a typesetter or an encoding has put into it."""

from __future__ import annotations

import re
import unicodedata

# A line's last hyphen: U+FFFE and U+0002 are what pdfium writes for it, with the next line behind.
_LINE_HYPHENS = re.compile("[\ufffe\x02]\r?\n?")
_SOFT_BREAK = re.compile("\u00ad[ \t]*\n[ \t]*")
_BROKEN_WORD = re.compile(r"(\w)[-\u2010][ \t]*\n[ \t]*(\w+)")
_INVISIBLE = re.compile("[\u00ad\u200b\u200e\u200f\u202a-\u202e\u2060\u2066-\u2069\ufeff]")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]")
_SPACES = re.compile("[ \t\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_AROUND_BREAK = re.compile(" ?\n ?")
_MANY_BREAKS = re.compile("\n{3,}")
_LIGATURES = {0xFB00 + i: t for i, t in enumerate(("ff", "fi", "fl", "ffi", "ffl", "st", "st"))}
# "Haus- und Grundbesitz": the hyphen stands for a part of the next word, wherever the line ends.
_LINKING = frozenset(["und", "oder", "bzw", "sowie", "bis", "als", "wie", "and", "or", "to"])


def tidy(text: str) -> str:
    """Return text of which everything can be stored, compared and found."""
    text = text.encode("utf-8", "replace").decode()  # no half of a surrogate pair
    text = _LINE_HYPHENS.sub("-\n", text).replace("\r\n", "\n").replace("\r", "\n")
    text = text.replace("\u2028", "\n").replace("\u2029", "\n").replace("\x0b", "\n")
    text = text.replace("\x0c", "\n")
    text = _SOFT_BREAK.sub("", text)
    text = _CONTROL.sub("", _INVISIBLE.sub("", text)).translate(_LIGATURES)
    text = unicodedata.normalize("NFC", _SPACES.sub(" ", text))
    text = _BROKEN_WORD.sub(_rejoined, text)
    return _MANY_BREAKS.sub("\n\n", _AROUND_BREAK.sub("\n", text)).strip()


def unwrapped(text: str) -> str:
    """Make one line of a paragraph's lines."""
    return tidy(text).replace("\n", " ").replace("  ", " ")


def _rejoined(match: re.Match[str]) -> str:
    before, after = match[1], match[2]
    if after.lower() in _LINKING and not before.isdigit():
        return f"{before}- {after}"
    if before.isdigit() or not after[0].islower():
        return f"{before}-{after}"  # E-Mail-Adresse, 2020-2021
    return before + after
