"""The memory that is active: lent to whoever chats, and another one after a switch."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from leasehold_memory.companion.holding import Holding
    from leasehold_memory.opening import Memory
    from leasehold_memory.settings import Settings


class Active:
    """The memory of the active preset, in use until `follow` finds that another one is."""

    def __init__(self, settings: Settings, holding: Holding) -> None:
        self._settings = settings
        self._holding = holding
        self._switching = threading.Lock()  # held while a file is opened
        self._swapping = threading.Lock()  # held for a moment: who chats waits for this one alone
        self._memory = holding.take(settings.current().embedding)

    @property
    def memory(self) -> Memory:
        """The active one, for who holds it open otherwise."""
        return self._memory

    def take(self) -> Memory:
        """Return it for one more user, who gives it back to the holding."""
        with self._swapping:
            self._holding.take_again(self._memory)
            return self._memory

    def follow(self) -> None:
        """Open what is active by the settings, and let it take the place of what was.

        `BadMemory` if it can't be used: then all stays as it was.
        """
        with self._switching:
            # Read here: of two that follow, the one who began first must not have the last word.
            preset = self._settings.current().embedding
            if preset == self._memory.preset:
                return
            opened = self._holding.take(preset)
            with self._swapping:
                left, self._memory = self._memory, opened
            self._holding.give_back(left)
