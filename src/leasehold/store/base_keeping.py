"""What a store can do with ended jobs: say what they came to, keep them for a time, move them."""

from __future__ import annotations

from typing import Protocol


class KeepingStore(Protocol):
    """Each method is one atomic operation, in small steps that nobody waits for."""
