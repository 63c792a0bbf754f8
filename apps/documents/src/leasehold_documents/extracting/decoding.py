"""Bytes of a text file as text, whatever it was saved as."""

from __future__ import annotations

import codecs

from charset_normalizer import from_bytes

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # begins like UTF-16's
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4_096
_WIDE = (("utf-32-le", 4, 0), ("utf-32-be", 4, 3), ("utf-16-le", 2, 0), ("utf-16-be", 2, 1))
_MOSTLY = 0.7
# What stands above ASCII in German, English and their neighbours' texts.
_USUAL = frozenset(
    "äöüÄÖÜßéèêàâáçñóôúíîëïœæøåÉÈÀÇÑ„“”\u201a\u2018\u2019«»\u2013—…€§°²³µ©®½¼·•£ \u00a0\u00ad"
)
_WESTERN = ("cp1252", "cp850", "mac-roman")
_PLAUSIBLE = 0.9


def decode(data: bytes) -> str:
    """Return the text; what can't be read is U+FFFD, never an error."""
    for bom, name in _BOMS:
        if data.startswith(bom):
            return data[len(bom) :].decode(name, "replace")
    wide = _wide(data[:_SAMPLE])
    if wide is not None:
        return data.decode(wide, "replace")
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError:
        return data.decode(_guess(data), "replace")


def _wide(sample: bytes) -> str | None:
    """Tell UTF-16 and UTF-32 without a mark by where their zeros stand."""
    for name, width, low in _WIDE:
        units = [sample[at : at + width] for at in range(0, len(sample) - width + 1, width)]
        plain = sum(unit[low] != 0 and unit.count(0) == width - 1 for unit in units)
        if units and plain > _MOSTLY * len(units):
            return name
    return None


def _guess(data: bytes) -> str:
    """Prefer the western ones where their letters make sense; else what statistics say."""
    unusual = bytes(sorted(set(data) - set(range(128))))
    weights = {byte: data.count(byte) for byte in unusual}
    total = sum(weights.values())
    scores = {name: _usual(weights, name) / total for name in _WESTERN}
    best = max(_WESTERN, key=lambda name: scores[name])  # the first of equals: cp1252
    if scores[best] >= _PLAUSIBLE:
        return best
    guessed = from_bytes(data[: 64 * 1_024]).best()
    return guessed.encoding if guessed is not None else "cp1252"


def _usual(weights: dict[int, int], name: str) -> int:
    return sum(
        count for byte, count in weights.items() if bytes([byte]).decode(name, "replace") in _USUAL
    )
