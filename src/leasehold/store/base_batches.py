"""What a store can do for jobs that belong together: batches, callbacks, dependencies."""

from __future__ import annotations

from typing import Protocol


class BatchStore(Protocol):
    """Each method is one atomic operation. What follows from an end comes after its commit."""
