"""A reply and the reflection behind it, parted while they come in pieces of any size.

Nothing of the marker or of what follows is ever shown: text that may be its beginning is held back
until it is known.
"""

from __future__ import annotations

import re

import msgspec

from leasehold_memory.llm.finding import find_document
from leasehold_memory.llm.fitting import fit
from leasehold_memory.model.answers import Reflection
from leasehold_memory.model.asking import REFLECTION_MARKER

_MOST_HELD = 64  # characters; a marker has fewer, whatever spaces stand in it
_MOST_TRAILER = 20_000
_CERTAIN = 3  # letters of a marker that nobody else writes
_SPACE = r"\s*"
# Any case and any spaces, and a fence or stars before it: models are not exact.
_MARKER = re.compile(_SPACE.join(map(re.escape, REFLECTION_MARKER)), re.IGNORECASE)
_DECORATION = re.compile(r"[\s`*#]*\Z")


class Parted(msgspec.Struct, frozen=True):
    """How it ended: what is still to be shown, and the reflection if there was a good one."""

    rest: str
    reflection: Reflection | None


class Trailer:
    """Takes the pieces of one reply."""

    def __init__(self) -> None:
        self._held = ""
        self._after: str | None = None

    @property
    def is_begun(self) -> bool:
        """Whether the marker has come, so that the reply before it is whole."""
        return self._after is not None

    def feed(self, piece: str) -> str:
        """Take a piece; returns what may be shown of all that came, often less or nothing."""
        if self._after is not None:
            self._after = (self._after + piece)[:_MOST_TRAILER]
            return ""
        self._held += piece
        found = _MARKER.search(self._held)
        if found is not None:
            shown, self._after = self._held[: found.start()], self._held[found.end() :]
            self._held = ""
            return _DECORATION.sub("", shown)
        keep = _begin_of_doubt(self._held)
        shown, self._held = self._held[:keep], self._held[keep:]
        return shown

    def end(self) -> Parted:
        """Say what the end of the stream decides."""
        rest = "" if _is_begun(self._held) else self._held
        return Parted(rest, None if self._after is None else _reflection(self._after))


def _begin_of_doubt(text: str) -> int:
    """Return where text begins that may turn out to be a marker, or what stands before one."""
    begin = len(text)
    for found in re.finditer("<", text[-_MOST_HELD:]):
        position = max(0, len(text) - _MOST_HELD) + found.start()
        if REFLECTION_MARKER.startswith(_compact(text[position:])):
            begin = position
            break
    decoration = _DECORATION.search(text, max(0, begin - _MOST_HELD), begin)
    return begin if decoration is None else decoration.start()


def _is_begun(held: str) -> bool:
    """Whether a marker was begun and cut off, rather than a letter written that looks like one."""
    begin = held.find("<")
    compact = _compact(held[begin:]) if begin >= 0 else ""
    return len(compact) >= _CERTAIN and REFLECTION_MARKER.startswith(compact)


def _compact(text: str) -> str:
    return re.sub(r"\s", "", text).upper()


def _reflection(written: str) -> Reflection | None:
    try:
        return fit(Reflection, find_document(written))
    except msgspec.ValidationError:
        return None
