"""What some models think aloud before they reply: it is nobody's to read."""

from __future__ import annotations

_BEGIN, _END = "<think>", "</think>"


class Thoughts:
    """Takes the pieces of one reply, and leaves out a block of thoughts that it begins with."""

    def __init__(self) -> None:
        self._held = ""
        self._is_over = False

    def feed(self, piece: str) -> str:
        """Take a piece; returns what belongs to the reply."""
        if self._is_over:
            return piece
        self._held += piece
        begun = self._held.lstrip()
        if begun.startswith(_BEGIN):
            if _END not in begun:
                self._held = _BEGIN + begun[len(_BEGIN) :][-len(_END) :]  # only its end may come
                return ""
            self._held = begun = begun.partition(_END)[2].lstrip()
        if _BEGIN.startswith(begun):  # nothing yet but spaces, or a beginning of thoughts
            return ""
        self._is_over = True
        return begun

    def end(self) -> str:
        """Return what was held back and is no thought after all."""
        begun = self._held.lstrip()
        return "" if self._is_over or begun.startswith(_BEGIN) else begun
