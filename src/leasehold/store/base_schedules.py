"""What a store can do for schedules, the rules that make jobs again and again."""

from __future__ import annotations

from typing import Protocol


class ScheduleStore(Protocol):
    """Each method is one atomic operation. A slot is fired by whoever moves the schedule on."""
