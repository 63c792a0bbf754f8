"""Writes what jobs hold into pages: escaped, cut, and with nothing that hides or turns around.

Arguments, errors and names come from anybody. Markup in them is text, a control character shows as
its picture, and one that would turn the line around shows its number.
"""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

from markupsafe import Markup, escape

from leasehold.model.envelopes import key_in

SHORT = 120  # characters in a table's cell
LONG = 4_000  # … in a block of its own; the whole is a link away

_PICTURES = 0x2400
_DELETE = 0x7F
_DELETE_PICTURE = 0x2421
# Controls but tab and newline; what turns text around, has no width, or breaks a line unseen.
_HIDDEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000e0000-\U000e007f]"
)
_ON_ONE_LINE = re.compile(r"\s+")


def reveal(text: str) -> Markup:
    """Escape text, and show each character in it that would not show itself."""
    parts: list[str] = []
    end = 0
    for match in _HIDDEN.finditer(text):
        parts += [escape(text[end : match.start()]), _picture(match.group())]
        end = match.end()
    return Markup("").join([*parts, escape(text[end:])])


def _picture(character: str) -> Markup:
    number = ord(character)
    name = unicodedata.name(character, "control character")
    title = f"U+{number:04X} {name.lower()}"
    return Markup('<span class="hidden-character" title="{}">{}</span>').format(
        title, _shape(number)
    )


def _shape(number: int) -> str:
    if number < 0x20:  # noqa: PLR2004 - the C0 controls, which have pictures of their own
        return chr(_PICTURES + number)
    return chr(_DELETE_PICTURE) if number == _DELETE else f"⟨{number:04X}⟩"


def short(value: object, most: int = SHORT) -> Markup:
    """Write text on one line, cut to size, apart from the direction of what stands around it."""
    line = _ON_ONE_LINE.sub(" ", str(value)).strip()
    shown = line if len(line) <= most else line[: most - 1] + "…"
    return Markup("<bdi>{}</bdi>").format(reveal(shown))


def first_line(value: str | None, most: int = SHORT) -> Markup:
    """Write the first line of an error."""
    lines = (value or "").strip().splitlines()
    return short(lines[0] if lines else "", most)


def block(text: str, most: int = LONG) -> Markup:
    """Write text of many lines, cut to size."""
    return reveal(text if len(text) <= most else text[:most])


def is_cut(text: str, most: int = LONG) -> bool:
    """Whether `block` would not show it whole."""
    return len(text) > most


def pretty(value: Any) -> str:
    """Write decoded JSON for people to read."""
    key = key_in(value) if isinstance(value, dict) else None
    if key is not None:
        return f"encrypted, key {key}"
    return json.dumps(value, ensure_ascii=False, indent=2)


def compact(value: Any) -> str:
    """Write decoded JSON on one line; the arguments of a call as a call has them."""
    if isinstance(value, dict):
        key = key_in(value)
        if key is not None:
            return f"encrypted, key {key}"
        return ", ".join(
            f"{key}={json.dumps(each, ensure_ascii=False)}" for key, each in value.items()
        )
    return json.dumps(value, ensure_ascii=False)


def plain(value: object, most: int = SHORT) -> str:
    """Do the same as `short` where no markup can stand: in a drawing, or a title."""
    line = _ON_ONE_LINE.sub(" ", str(value)).strip()
    shown = line if len(line) <= most else line[: most - 1] + "…"
    return _HIDDEN.sub(lambda match: _shape(ord(match.group())), shown)
