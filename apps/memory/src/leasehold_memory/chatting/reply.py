"""A reply as it comes: what may be shown of it, and the reflection behind it."""

from __future__ import annotations

from leasehold_memory.llm import Trailer
from leasehold_memory.model.answers import Reflection


class Reply:
    """What has come of one reply so far. The marker and what follows it are never shown."""

    def __init__(self) -> None:
        self._trailer = Trailer()
        self._has_ended = False
        self._is_left = False
        self.text = ""
        self.reflection: Reflection | None = None

    @property
    def is_whole(self) -> bool:
        """Whether all of its words have come, if not of the reflection behind them."""
        return self._has_ended or self._trailer.is_begun

    def take(self, piece: str) -> str:
        """Take a piece; returns what may be shown now."""
        return self._shown(self._trailer.feed(piece))

    def end(self) -> str:
        """Say that nothing follows; returns what was held back and may be shown now."""
        self._has_ended = True
        return self.leave()

    def leave(self) -> str:
        """Do the same where more would have followed. Safe twice."""
        if self._is_left:
            return ""
        self._is_left = True
        parted = self._trailer.end()
        self.reflection = parted.reflection
        return self._shown(parted.rest)

    def _shown(self, text: str) -> str:
        shown = text if self.text else text.lstrip()
        self.text += shown
        return shown
