"""Memories that are open, each for as long as somebody uses it."""

from __future__ import annotations

import threading
from collections.abc import Callable
from dataclasses import dataclass

from leasehold_memory.model.presets import EmbeddingPreset
from leasehold_memory.opening import Memory


@dataclass(slots=True)
class _Held:
    memory: Memory
    users: int = 0


class Holding:
    """Opens a memory for its first user; `close_unused` closes what has none any more.

    Not the last user closes it: that may take a while, and a user may be an event loop.
    """

    def __init__(self, open_memory: Callable[[EmbeddingPreset], Memory]) -> None:
        self._open_memory = open_memory
        self._lock = threading.Lock()
        self._held: dict[EmbeddingPreset, _Held] = {}

    def take(self, preset: EmbeddingPreset) -> Memory:
        """Return the preset's memory for one more user; `BadMemory` if it can't be opened."""
        with self._lock:
            held = self._held.get(preset)
            if held is not None:
                held.users += 1
                return held.memory
        # Not under the lock: those of other memories need not wait for this file.
        opened = self._open_memory(preset)
        with self._lock:
            held = self._held.setdefault(preset, _Held(opened))
            held.users += 1
        if held.memory is not opened:
            opened.close()
        return held.memory

    def take_again(self, memory: Memory) -> None:
        """Let a memory that is in use have one more user."""
        with self._lock:
            self._held[memory.preset].users += 1

    def give_back(self, memory: Memory) -> None:
        """Let it have one user less; fine, too, when all of them were closed meanwhile."""
        with self._lock:
            held = self._held.get(memory.preset)
            if held is not None:
                held.users -= 1

    def close_unused(self) -> None:
        """Close memories that nobody uses."""
        with self._lock:
            unused = [preset for preset, held in self._held.items() if not held.users]
            closing = [self._held.pop(preset).memory for preset in unused]
        for memory in closing:
            memory.close()

    def close(self) -> None:
        """Close all of them, used or not. Safe twice."""
        with self._lock:
            closing = [held.memory for held in self._held.values()]
            self._held.clear()
        for memory in closing:
            memory.close()
