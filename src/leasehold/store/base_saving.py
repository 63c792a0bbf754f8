"""What a store can do for jobs that go on where they were: checkpoints, progress, steps."""

from __future__ import annotations

from typing import Protocol


class SavingStore(Protocol):
    """Each method is one atomic operation, and each write is fenced by the lease."""
