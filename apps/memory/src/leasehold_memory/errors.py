"""What can go wrong and can be said to a person in one line; each error says what about."""

from __future__ import annotations

import leasehold as lh


class MemoryAppError(lh.LeaseholdError):
    """The root of the application's errors."""


class UnitNotFound(MemoryAppError):
    """There is no such unit in this memory."""

    def __init__(self, unit_id: int) -> None:
        super().__init__(f"there is no unit {unit_id} in this memory")
        self.unit_id = unit_id
